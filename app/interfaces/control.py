"""The door for the command line beside a running server.

The operations that only the owner of the data directory may ask, and those of its users.

The token is made anew at each start and lies in the data directory, readable by its owner alone.
"""

import functools
from collections.abc import AsyncIterator, Callable

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.account import key_rows, users
from app.core import random_tokens
from app.core.caller import OPERATOR, Caller
from app.core.download import Download
from app.core.line_stream import Lines
from app.core.process.lazy_import import lazy_import
from app.errors import AppError, NotFound
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit


class StandIn(msgspec.Struct, frozen=True):
    """Says that this server runs only as long as no other is there, and how it ends."""

    end: Callable[[], None]


def routes(token: str) -> list[Route]:
    """Return the routes by which the command line asks.

    For itself, and for a user who sits at this machine.
    """

    def demand_token(visit: Visit) -> None:
        sent = visit.headers.get("authorization", "")
        if not random_tokens.equal_secrets(sent, f"Control {token}"):
            # as for any other path, so that a web page cannot tell whether the door is there
            raise NotFound("There is nothing at this path.")

    async def control(visit: Visit) -> Response | Lines | None:
        demand_token(visit)
        return await _asked(visit, OPERATOR)

    async def as_user(visit: Visit) -> Response | Lines | None:
        demand_token(visit)
        username = visit.path_params["username"]
        return await _asked(visit, visit.parts.quick(users.local_caller, username))

    async def step_aside(visit: Visit) -> Response:
        """Leave the data directory to a server that is to stay, if this one only stands in."""
        demand_token(visit)
        stand_ins = [part for part in visit.parts.parts if isinstance(part, StandIn)]
        for stand_in in stand_ins:
            stand_in.end()
        return json_response({"ends": bool(stand_ins)})

    async def mcp(visit: Visit) -> None:
        demand_token(visit)
        await _serve_mcp(visit)

    return [
        Route("/control/step-aside", step_aside, methods=["POST"]),
        Route("/control/mcp/{username}", mcp, methods=["POST"]),
        Route("/control/{name}", control, methods=["POST"]),
        Route("/control/as/{username}/{name}", as_user, methods=["POST"]),
    ]


async def _asked(visit: Visit, me: Caller) -> Response | Lines | None:
    fields = await visit.fields(visit.parts.settings.max_accumulate_body)
    found = await visit.parts.call(me, visit.path_params["name"], fields)
    if isinstance(found, Download):
        await visit.exchange.download(found)
        return None
    return found if isinstance(found, Lines) else json_response(found)


async def _serve_mcp(visit: Visit) -> None:
    """Serve MCP to `hearth mcp`: a request and an answer whose bodies stay open.

    With a key's number in the query it acts with that key's rights.
    """
    find = functools.partial(_mcp_caller, visit)
    find()
    visit.scope["known"] = True
    stream = await lazy_import("app.interfaces.mcp.byte_stream")
    await visit.exchange.open_bytes()
    lines = stream.split(_parts(visit), visit.parts.settings.max_body)
    await stream.serve(
        visit.parts, functools.partial(_or_none, find), lines, visit.exchange.send_part
    )
    await visit.exchange.end()


def _mcp_caller(visit: Visit) -> Caller:
    """Return who asks as of now; raise where the user is gone or the key has ended."""
    me = visit.parts.quick(users.local_caller, visit.path_params["username"])
    key = visit.query_params.get("key")
    if key is None:
        return me
    if not key.isdecimal():
        raise NotFound("There is no such key.")
    return visit.parts.quick(key_rows.caller_of, me, int(key[:15]))


async def _parts(visit: Visit) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await visit.exchange.receive()
        if message["type"] == "http.disconnect":
            return
        yield message.get("body", b"")
        more = message.get("more_body", False)


def _or_none(find: Callable[[], Caller]) -> Caller | None:
    try:
        return find()
    except AppError:
        return None
