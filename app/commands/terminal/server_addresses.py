"""Addresses of servers that somebody types."""

import ipaddress
from urllib.parse import urlsplit

from app.commands.terminal.command_group import Misused
from app.commands.terminal.terminal_safe import on_one_line


def check_address(given: str) -> str:
    """Return the origin of a server that somebody typed; raise Misused."""
    address = given if "://" in given else f"http://{given}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise Misused(f"{on_one_line(given, 100)} is not an address such as http://laptop:8000.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def is_own_machine(server: str) -> bool:
    """Return whether an address is spelt as one of this machine alone; no name is looked up."""
    host = urlsplit(server).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
