"""The sockets that the server listens on, opened before any data is changed."""

import errno
import ipaddress
import socket
import sys
from typing import Any

from app.commands.terminal.command_group import Misused, Refused

BACKLOG = 2048
ELSEWHERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - the other way round: from these to loopback


def resolve_host(host: str, port: int) -> list[tuple[int, int, tuple[str, int]]]:
    """Return (family, protocol, socket address) of each address that `host` stands for."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise Misused(f"The host {host!r} is not an address or name of this machine.") from None
    named: list[Any] = [(int(family), protocol, at) for family, _, protocol, _, at in found]
    return list(dict.fromkeys(named))


def is_loopback(host: str) -> bool:
    """Return whether only this machine itself can reach `host`."""
    return all(
        ipaddress.ip_address(address[0]).is_loopback for _, _, address in resolve_host(host, 0)
    )


def listen(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets on every address of `host`; refuse when the port is taken.

    Port 0 takes a free one.
    """
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    for family, protocol, address in resolve_host(host, port):
        try:
            sockets.append(_bind(family, protocol, (address[0], port, *address[2:])))
        except OSError as error:
            if error.errno not in ELSEWHERE:
                for opened in sockets:
                    opened.close()
                raise Refused(_explain_error(error, host, port)) from None
            missing = error  # `localhost` may stand for ::1 on a machine without IPv6
        else:
            port = sockets[-1].getsockname()[1]  # with 0: the same free port on every address
    if missing is not None and not sockets:
        raise Refused(_explain_error(missing, host, port))
    return sockets


def url_of(listener: socket.socket) -> str:
    """Return the URL at which this machine reaches the socket."""
    host, port = listener.getsockname()[:2]
    host = ANY.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _bind(family: int, protocol: int, address: tuple[str | int, ...]) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM, protocol)
    try:
        if sys.platform == "win32":
            # On Windows SO_REUSEADDR lets another program take over a port that is in use.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # Else :: takes the port of 0.0.0.0 too, and binding that one fails.
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except BaseException:
        opened.close()
        raise
    return opened


def _explain_error(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use by another program. Choose another with --port."
    if error.errno == errno.EACCES:
        return f"You may not use port {port} on {host}. Choose another with --port."
    return f"Cannot listen on {host}, port {port}: {error.strerror}."
