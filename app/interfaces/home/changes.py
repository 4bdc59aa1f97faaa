"""Word of changes: what a page asks while it is looked at, to learn that it has grown old."""

import hmac

from starlette.responses import Response
from starlette.routing import Route

from app.core import random_tokens
from app.core.app import App
from app.core.caller import Caller
from app.interfaces.pages.visit import Visit

_KEY = random_tokens.new_bytes(32)
"""Another with each start, since commits are counted anew."""


def routes() -> list[Route]:
    """Give the route."""
    return [Route("/changes", show)]


async def show(visit: Visit) -> Response:
    """Give the mark of all that is stored; no operation is asked, so that it costs next to
    nothing.
    """
    mark = mark_of(visit.parts, visit.signed_in())
    return Response(mark, media_type="text/plain; charset=utf-8")


def mark_of(parts: App, reader: Caller) -> str:
    """Return what is another text after anything was stored, by whomever.

    By whom and how often stays unsaid: a digest, each reader's own. Whose page a commit changes
    nobody counts, as notes are shared and messages go to and fro.
    """
    told = f"{reader.user_id} {parts.store.commits}"
    return hmac.digest(_KEY, told.encode(), "sha256").hex()[:16]
