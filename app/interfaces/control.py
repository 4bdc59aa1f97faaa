"""The door for the command line beside a running server: the operations that only the owner of the data directory may ask.

The token is made anew at each start and lies in the data directory, readable by its owner alone.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core import tokens
from app.core.app import App
from app.core.caller import OPERATOR
from app.core.shapes import decode
from app.errors import NotFound
from app.interfaces.pages import json_response


def routes(parts: App, token: str) -> list[Route]:
    """Give the one route by which the command line asks."""

    async def control(request: Request) -> Response:
        sent = request.headers.get("authorization", "")
        if not tokens.same(sent, f"Control {token}"):
            raise NotFound("There is nothing at this path.")
        result = await parts.call(OPERATOR, request.path_params["name"], decode(await request.body()))
        return json_response(result)

    return [Route("/control/{name}", control, methods=["POST"])]
