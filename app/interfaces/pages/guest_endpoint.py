"""The guests' endpoint: what is behind a share link, and the conversation with its agent."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from app.core.app import App
from app.core.caller import OPERATOR
from app.core.json_body import decode
from app.core.line_stream import MEDIA_TYPE, Lines
from app.core.schema import encode, encode_enveloped
from app.errors import Invalid, NotFound, Unauthorized
from app.interfaces.credentials import address_of
from app.interfaces.pages.visitors import Visitors
from app.interfaces.wire.request_bodies import read_body

GUESTS = "/api/chat/guest-v04"
LARGEST = 64 << 10
LONGEST_NUMBER = 15
ASKED = ("token", "message", "mode", "stream", "sessionKey", "visitorName")


class GuestDoor:
    """The two methods of the endpoint."""

    def __init__(self, parts: App, visitors: Visitors) -> None:
        self.parts = parts
        self.visitors = visitors

    def routes(self) -> list[Route]:
        """Give the routes."""
        return [
            Route(path, self.answer, methods=["GET", "POST"]) for path in (GUESTS, GUESTS + "/")
        ]

    async def answer(self, request: Request) -> Response:
        """Answer a guest; a link that does not hold counts against the address that asked for
        it.
        """
        guest = self.visitors.user(request.scope)
        try:
            return await (
                self._post(request, guest)
                if request.method == "POST"
                else self._get(request, guest)
            )
        except NotFound:
            self.visitors.guessed(request.scope)
            raise
        except Unauthorized as error:
            raise self.visitors.challenged(request.scope, error.message, sent=False) from None

    async def _get(self, request: Request, guest: int | None) -> Response:
        asked = dict(request.query_params)
        fields: dict[str, Any] = {"token": asked.get("token")}
        if _flag(asked, "meta"):
            return _told(await self.parts.call(OPERATOR, "look_behind_link", _there(fields)))
        fields |= {
            "sessionKey": asked.get("sessionKey"),
            "guest": guest,
            "address": _address(request),
        }
        if "after" in asked:
            fields["after"] = _number(asked["after"])
        return _told(await self.parts.call(OPERATOR, "read_guest_messages", _there(fields)))

    async def _post(self, request: Request, guest: int | None) -> Response:
        sent = decode(await read_body(request.receive, LARGEST))
        seen = {
            "guest": guest,
            "address": _address(request),
            "agent": request.headers.get("user-agent", "")[:500],
        }
        fields = {name: sent[name] for name in ASKED if name in sent}
        answer = await self.parts.call(OPERATOR, "ask_as_guest", fields | _there(seen))
        if isinstance(answer, Lines):
            return StreamingResponse(
                _encoded(answer), media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"}
            )
        return _told(answer)


def _there(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _told(answer: Any) -> Response:
    return Response(encode_enveloped(answer, None), media_type="application/json; charset=utf-8")


def _flag(asked: dict[str, str], name: str) -> bool:
    given = asked.get(name, "false")
    if given not in ("true", "1", "false", "0"):
        raise Invalid(f"{name} must be true or false.", field=name)
    return given in ("true", "1")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise Invalid("after must be the id of a message.", field="after")
    return int(text)


def _address(request: Request) -> str:
    return address_of(request.scope)


async def _encoded(lines: Lines) -> AsyncIterator[bytes]:
    async for event in lines.events:
        yield encode(event) + b"\n"
