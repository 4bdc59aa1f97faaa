"""The door for the command line beside a running server.

The operations that only the owner of the data directory may ask, and those of its users.

The token is made anew at each start and lies in the data directory, readable by its owner alone.
"""

from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from app.account import users
from app.core import random_tokens
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.json_body import decode
from app.core.line_stream import MEDIA_TYPE, Lines
from app.core.schema import encode
from app.errors import NotFound
from app.interfaces.pages.pages import json_response


def routes(parts: App, token: str) -> list[Route]:
    """Give the routes by which the command line asks.

    For itself, and for a user who sits at this machine.
    """

    def demand_token(request: Request) -> None:
        sent = request.headers.get("authorization", "")
        if not random_tokens.same(sent, f"Control {token}"):
            raise NotFound("There is nothing at this path.")

    async def control(request: Request) -> Response:
        demand_token(request)
        return _answer(
            await parts.call(OPERATOR, request.path_params["name"], decode(await request.body()))
        )

    async def as_user(request: Request) -> Response:
        demand_token(request)
        me = parts.quick(users.at_this_machine, request.path_params["username"])
        return _answer(
            await parts.call(me, request.path_params["name"], decode(await request.body()))
        )

    return [
        Route("/control/{name}", control, methods=["POST"]),
        Route("/control/as/{username}/{name}", as_user, methods=["POST"]),
    ]


def _answer(result: Any) -> Response:
    return (
        StreamingResponse(_encoded(result), media_type=MEDIA_TYPE)
        if isinstance(result, Lines)
        else json_response(result)
    )


async def _encoded(lines: Lines) -> AsyncIterator[bytes]:
    async for event in lines.events:
        yield encode(event) + b"\n"
