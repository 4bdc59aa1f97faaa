"""The door for the command line beside a running server.

The operations that only the owner of the data directory may ask, and those of its users.

The token is made anew at each start and lies in the data directory, readable by its owner alone.
"""

from starlette.responses import Response
from starlette.routing import Route

from app.account import users
from app.core import random_tokens
from app.core.caller import OPERATOR, Caller
from app.core.line_stream import Lines
from app.errors import NotFound
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit


def routes(token: str) -> list[Route]:
    """Return the routes by which the command line asks.

    For itself, and for a user who sits at this machine.
    """

    def demand_token(visit: Visit) -> None:
        sent = visit.headers.get("authorization", "")
        if not random_tokens.equal_secrets(sent, f"Control {token}"):
            # as for any other path, so that a web page cannot tell whether the door is there
            raise NotFound("There is nothing at this path.")

    async def control(visit: Visit) -> Response | Lines:
        demand_token(visit)
        return await _asked(visit, OPERATOR)

    async def as_user(visit: Visit) -> Response | Lines:
        demand_token(visit)
        username = visit.path_params["username"]
        return await _asked(visit, visit.parts.quick(users.local_caller, username))

    return [
        Route("/control/{name}", control, methods=["POST"]),
        Route("/control/as/{username}/{name}", as_user, methods=["POST"]),
    ]


async def _asked(visit: Visit, me: Caller) -> Response | Lines:
    fields = await visit.fields(visit.parts.settings.max_accumulate_body)
    found = await visit.parts.call(me, visit.path_params["name"], fields)
    return found if isinstance(found, Lines) else json_response(found)
