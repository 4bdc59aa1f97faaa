"""What the server says of itself as a protected resource (RFC 9728).

The page that the answer to a missing credential names.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import SCOPES
from app.interfaces.credentials import BASE, RESOURCE
from app.interfaces.guard import Guard
from app.interfaces.pages.pages import json_response


def routes(guard: Guard) -> list[Route]:
    """Give the routes of the page.

    No authorization server is named, since keys alone open this one.
    """

    async def resource(request: Request) -> Response:
        origin = guard.origin(dict(request.scope["headers"]), request.scope.get("scheme", "http"))
        return json_response(
            {
                "resource": origin + BASE,
                "scopes_supported": list(SCOPES),
                "bearer_methods_supported": ["header"],
            }
        )

    return [Route(path, resource) for path in (RESOURCE, RESOURCE.removesuffix(BASE))]
