"""Addresses that users give: which may be fetched.

Nothing that is not public is reached unless it is allowed.
"""

import ipaddress
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

WEB_PORTS = frozenset({80, 443})
MOST_REDIRECTS = 5
LONGEST_URL = 4_000
NOT_PUBLIC = (
    "it does not lie in the public network; the setting HEARTH_ALLOW_PRIVATE_HOSTS "
    "allows private addresses"
)
_PATH = "/%:@!$&'()*+,;=-._~"
# not `is_global`, which changes with the version of Python
_RESERVED_V4 = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 "
        "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 "
        "224.0.0.0/4 240.0.0.0/4".split()
    )
]
_PRIVATE_V4 = [
    ipaddress.IPv4Network(one)
    for one in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16")
]
_RESERVED_V6 = [ipaddress.IPv6Network(one) for one in ("2001::/23", "2001:db8::/32", "3fff::/20")]
# all that IANA gives out
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_PRIVATE_V6 = ipaddress.IPv6Network("fc00::/7")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class FetchFailed(Exception):
    """Nothing could be fetched; the message is a sentence for the user and holds neither path
    nor query of the address.
    """


class NotAllowed(FetchFailed):
    """The address is not one that may be asked."""


class FetchPolicy(Struct, frozen=True):
    """What a fetch may reach: this machine, private networks, http beside https, and which ports.

    Public addresses always.

    `own_port` is where this server itself listens: whatever leads there inside is never asked.
    `follows`: a redirect is followed, else it is the answer.
    """

    loopback: bool = False
    private: bool = False
    plain: bool = True
    ports: frozenset[int] | None = None
    own_port: int = 0
    follows: bool = True

    def allows(self, address: Address, port: int = 0) -> bool:
        """Return whether an address may be connected to.

        Those that lead to another inside are judged by that one.
        """
        inner = unwrap_address(address)
        if self.own_port and port == self.own_port and not is_public(inner):
            return False
        if inner.is_loopback:
            return self.loopback
        return is_public(inner) or (self.private and is_private(inner))


class Fetched(Struct, frozen=True):
    """What was fetched; `url` is where it stood in the end, `is_cut` says that there is more of
    it, `is_public` that nobody inside was asked.
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    is_cut: bool
    is_public: bool = True


class Answered(Struct, frozen=True):
    """What came back for a body that was sent: no more than is needed to know what became of it."""

    status: int
    headers: dict[str, str]


class Target(Struct, frozen=True):
    """A checked address."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The address in full."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _default_port(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def parse_target(url: str, reach: FetchPolicy) -> Target:
    """Return the parts of an address; raise NotAllowed for one that cannot or must not be asked.

    Whither its name leads is looked at later.
    """
    # some readers take a backslash for a slash, and so see another host
    if len(url) > LONGEST_URL or any(mark <= " " or mark == "\x7f" or mark == "\\" for mark in url):
        raise NotAllowed(
            "The address is too long or holds blanks, backslashes or control characters."
        )
    try:
        parts = urlsplit(url)
        port = parts.port or _default_port(parts.scheme)
        host = _normalise_host(parts.hostname or "")
    except ValueError:
        raise NotAllowed("The address cannot be read.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise NotAllowed("The address must begin with https:// or http:// and name a host.")
    if parts.username is not None or parts.password is not None:
        raise NotAllowed("The address must not hold a user name or a password.")
    if reach.ports is not None and port not in reach.ports:
        raise NotAllowed(
            f"Only the ports {' and '.join(map(str, sorted(reach.ports)))} may be asked."
        )
    path = quote(parts.path or "/", safe=_PATH) + (
        f"?{quote(parts.query, safe=_PATH + '?')}" if parts.query else ""
    )
    return Target(parts.scheme, host, port, path)


def follow_redirect(now: Target, location: str, reach: FetchPolicy) -> Target:
    """Return where a redirect leads; it is checked like the first address."""
    return parse_target(urljoin(now.url, location.strip()), reach)


def unwrap_address(address: Address) -> Address:
    """Return the address that one stands for: mapped, translated and tunnelled ones hold
    another."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    inner = (
        address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    )
    return inner or address


def is_public(address: Address) -> bool:
    """Return whether an address lies in the public network."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _RESERVED_V4)
    return address in _GLOBAL_V6 and not any(address in network for network in _RESERVED_V6)


def is_private(address: Address) -> bool:
    """Return whether an address lies in a network of a home or an office.

    Link-local ones, where machines keep their secrets, do not.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return any(address in network for network in _PRIVATE_V4)
    return address in _PRIVATE_V6


def require_nameable(target: Target, reach: FetchPolicy) -> None:
    """Raise NotAllowed for an address that names by itself, without any look-up, what must not
    be reached.
    """
    try:
        address = ipaddress.ip_address(
            "127.0.0.1"
            if target.host == "localhost" or target.host.endswith(".localhost")
            else target.host
        )
    except ValueError:
        return
    if not reach.allows(address, target.port):
        if target.port == reach.own_port and unwrap_address(address).is_loopback:
            raise NotAllowed("This server cannot fetch from itself.")
        raise NotAllowed(f"The address of {target.host} is not fetched: {NOT_PUBLIC}.")


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _normalise_host(name: str) -> str:
    if ":" in name:
        return str(ipaddress.IPv6Address(name))
    # one spelling for a name in Unicode, in its xn-- form, or with the dot of the root
    return name.rstrip(".").encode("idna").decode("ascii").lower() if name else ""
