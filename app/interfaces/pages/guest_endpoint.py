"""The guests' endpoint: what is behind a share link, and the conversation with its agent."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.core.line_stream import Lines
from app.errors import Invalid, NotFound, Unauthorized
from app.interfaces.credentials import address_of
from app.interfaces.pages.pages import enveloped
from app.interfaces.pages.visit import Visit

GUESTS = "/api/chat/guest-v04"
LARGEST = 64 << 10
LONGEST_NUMBER = 15
ASKED = ("token", "message", "mode", "stream", "sessionKey", "visitorName")


def routes() -> list[Route]:
    """Return the route of both methods."""
    return [Route(GUESTS, answer, methods=["GET", "POST"])]


async def answer(visit: Visit) -> Response | Lines:
    """Answer a guest; a link that does not hold counts against the address that asked for it."""
    guest = visit.visitor()
    try:
        found = await (_ask if visit.method == "POST" else _read)(visit, guest)
    except NotFound:
        visit.guessed()
        raise
    except Unauthorized as error:
        raise visit.unauthorized(error.message) from None
    return found if isinstance(found, Lines) else enveloped(found)


async def _read(visit: Visit, guest: int | None) -> Any:
    asked = dict(visit.query_params)
    fields: dict[str, Any] = {"token": asked.get("token")}
    if _is_set(asked, "meta"):
        return await visit.parts.call(OPERATOR, "look_behind_link", _without_none(fields))
    fields |= {
        "sessionKey": asked.get("sessionKey"),
        "guest": guest,
        "address": address_of(visit.scope),
    }
    if "after" in asked:
        fields["after"] = _number(asked["after"])
    return await visit.parts.call(OPERATOR, "read_guest_messages", _without_none(fields))


async def _ask(visit: Visit, guest: int | None) -> Any:
    sent = await visit.fields(LARGEST)
    seen = {
        "guest": guest,
        "address": address_of(visit.scope),
        "agent": visit.headers.get("user-agent", "")[:500],
    }
    fields = {name: sent[name] for name in ASKED if name in sent}
    return await visit.parts.call(OPERATOR, "ask_as_guest", fields | _without_none(seen))


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _is_set(asked: dict[str, str], name: str) -> bool:
    given = asked.get(name, "false")
    if given not in ("true", "1", "false", "0"):
        raise Invalid(f"{name} must be true or false.", field=name)
    return given in ("true", "1")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise Invalid("after must be the id of a message.", field="after")
    return int(text)
