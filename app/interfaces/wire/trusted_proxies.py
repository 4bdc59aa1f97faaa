"""Where a request comes from when a reverse proxy passes it on.

The address that the proxies name whom the settings trust.
"""

import ipaddress
from collections.abc import Iterator, Sequence

from app.settings import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Client = tuple[str, int] | None
MOST_HOPS = 20


class Proxies:
    """The addresses and networks whose word on where a request comes from counts."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._trusted = trusted

    def client(self, client: Client, headers: dict[bytes, bytes]) -> Client:
        """Return where a request comes from.

        The peer, or the address that trusted proxies name, the nearest that is none of theirs.

        Each proxy adds to the end of `Forwarded` or `X-Forwarded-For` and may let the other pass
        as the client wrote it, so where both are sent and do not agree neither counts.
        """
        if (
            not self._trusted
            or client is None
            or not self._trusts(_parse_address(peer := client[0]))
        ):
            return client
        told = [
            hops
            for name, read in _READERS.items()
            if (sent := headers.get(name)) is not None and (hops := list(read(sent)))
        ]
        found = {self._nearest(peer, hops) for hops in told}
        return (found.pop(), 0) if len(found) == 1 else client

    def _nearest(self, peer: str, hops: list[str]) -> str:
        nearest = peer
        for hop in reversed(hops[-MOST_HOPS:]):
            address = _parse_address(hop)
            if (
                address is None
            ):  # an unknown or hidden one: whatever stands before it is nobody's word
                break
            nearest = str(address)
            if not self._trusts(address):
                break
        return nearest

    def _trusts(self, address: Address | None) -> bool:
        return address is not None and any(
            address in trusted for trusted in self._trusted if trusted.version == address.version
        )


def _parse_address(text: str) -> Address | None:
    """Return an address as proxies write it, with or without a port, an IPv4 address in IPv6 as
    what it is; None for anything else.
    """
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _forwarded_hops(value: bytes) -> Iterator[str]:
    """Yield what each element of `Forwarded` (RFC 7239) names after `for=`, an empty text where
    it names nothing.
    """
    for element in value.decode("latin-1").split(","):
        pairs = (pair.partition("=") for pair in element.split(";"))
        yield next((text for name, _, text in pairs if name.strip().lower() == "for"), "")


def _x_forwarded_hops(value: bytes) -> Iterator[str]:
    yield from value.decode("latin-1").split(",")


_READERS = {b"forwarded": _forwarded_hops, b"x-forwarded-for": _x_forwarded_hops}
