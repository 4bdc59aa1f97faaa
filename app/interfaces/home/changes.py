"""Word of changes: what a page asks while it is looked at, to learn that it has grown old."""

from starlette.responses import Response
from starlette.routing import Route

from app.core import random_tokens
from app.core.app import App
from app.interfaces.pages.visit import Visit

_BEGUN = random_tokens.new_uuid()
"""Commits are counted anew with each start."""


def routes() -> list[Route]:
    """Give the route."""
    return [Route("/changes", show)]


async def show(visit: Visit) -> Response:
    """Give the mark of all that is stored; no operation is asked, so that it costs next to
    nothing.
    """
    visit.signed_in()
    return Response(mark_of(visit.parts), media_type="text/plain; charset=utf-8")


def mark_of(parts: App) -> str:
    """Return what is another text after anything was stored, by whomever."""
    return f"{_BEGUN[:8]}.{parts.store.commits}"
