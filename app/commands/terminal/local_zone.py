"""The time zone of this machine, in which somebody at it means “tomorrow at five”."""

import os
import re
from pathlib import Path

LINK = Path("/etc/localtime")
NAME = re.compile(r"(?!Etc/)[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+")


def zone_fields() -> dict[str, str]:
    """Return the field that tells the service this machine's zone; none where it has no name.

    Nor in UTC, which is how machines are set that stand in for no place: then the account's holds.
    """
    name = os.environ.get("TZ", "").removeprefix(":") or _linked_name()
    return {"userTimezone": name} if NAME.fullmatch(name) and _is_known(name) else {}


def _linked_name() -> str:
    try:
        return LINK.readlink().as_posix().partition("zoneinfo/")[2]
    except OSError:  # no link, or a system without one
        return ""


def _is_known(name: str) -> bool:
    import zoneinfo  # only for a name that may be one

    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return False
    return True
