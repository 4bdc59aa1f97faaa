"""Where a form goes on to after it has done its work."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from app.interfaces.pages.visit import Visit

TOLD_ONCE = ("did", "what", "undo", "mark")


def back_of(visit: Visit, form: list[tuple[str, str]], default: str = "/todos") -> str:
    """Return the page of this server to go back to: the one that the form names, else the one that
    it was on.

    Without what was told there, which is told once.
    """
    named = next((value for name, value in form if name == "back"), "")
    before = visit.headers.get("referer", "")
    own = visit.origin + "/"
    came_from = _own("/" + before.removeprefix(own)) if before.startswith(own) else ""
    return _own(named) or came_from or default


def _own(address: str) -> str:
    """Return an address of this server without what is told once; empty for any other."""
    if not address.startswith("/") or address[1:2] in ("/", "\\") or not address.isprintable():
        return ""
    parts = urlsplit(address)
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in TOLD_ONCE]
    return f"{parts.path}?{urlencode(kept)}" if kept else parts.path
