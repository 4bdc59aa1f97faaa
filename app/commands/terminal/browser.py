"""The browser on this machine, and the link that signs one in."""

import os
import sys

SIGN_IN = "/auth/sign-in"


def sign_in_link(origin: str, code: str) -> str:
    """Return the address that signs a browser in; the code stands in its fragment, which no
    server's log and no other site gets to see.
    """
    return f"{origin.rstrip('/')}{SIGN_IN}#code={code}"


def can_open_browser() -> bool:
    """Return whether there is a display on which a browser would be seen."""
    if os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
