"""Signing in and out at a page of this server: the way in of people, beside the API."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR, Caller
from app.errors import Unauthorized
from app.interfaces.credentials import require_json, session_secret
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit

LARGEST = 16 << 10
FIELDS = ("key", "code", "timezone")


def routes() -> list[Route]:
    """Return the three routes of a web session."""
    return [
        Route("/api/auth/sign-in", sign_in, methods=["POST"]),
        Route("/api/auth/sign-out", sign_out, methods=["POST"]),
        Route("/api/auth/session", session, methods=["GET"]),
    ]


async def sign_in(visit: Visit) -> Response:
    """Begin a session with a key or a code of the command line, and give the profile of its
    user; a session that there was ends.
    """
    require_json(visit.sent)
    given = await visit.fields(LARGEST)
    secret = await begin(visit, {name: given[name] for name in FIELDS if name in given})
    admitted = visit.credentials.sessions.admit(secret)
    return await _profile(visit, None if admitted is None else admitted[0], secret)


async def begin(visit: Visit, given: dict[str, Any]) -> str:
    """Begin a session with the key or code that is given, and return its secret; where the browser
    is said to be counts too.
    """
    try:
        asked = given | {"language": visit.wanted_language()}
        begun = await visit.parts.call(OPERATOR, "sign_in", asked)
    except Unauthorized as error:
        # a key is a credential that failed; a code counts with links and invites, as a guess
        (visit.credentials.failed if "key" in given else visit.credentials.guessed)(visit.scope)
        raise visit.unauthorized(error.message, sent=True) from None
    if (before := session_secret(visit.sent)) is not None:
        await visit.parts.call(OPERATOR, "sign_out", {"secret": before})
    return str(begun.secret)


async def sign_out(visit: Visit) -> Response:
    """End the session."""
    visit.credentials.require_own_page(visit.method, visit.sent, visit.scheme)
    if (secret := session_secret(visit.sent)) is not None:
        await visit.parts.call(OPERATOR, "sign_out", {"secret": secret})
    visit.keep_session("")
    return Response(status_code=204)


async def session(visit: Visit) -> Response:
    """Return the profile of whoever is signed in."""
    return await _profile(visit, visit.signed_in(), session_secret(visit.sent) or "")


async def _profile(visit: Visit, me: Caller | None, secret: str) -> Response:
    profile = None if me is None else (await visit.parts.call(me, "identity", {})).profile
    visit.keep_session(secret)
    return json_response({"success": True, "profile": profile})
