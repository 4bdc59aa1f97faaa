"""What the server says of itself as a protected resource (RFC 9728).

The page that the answer to a missing credential names.
"""

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import SCOPES
from app.interfaces.credentials import BASE, RESOURCE
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit


async def resource(visit: Visit) -> Response:
    """Return where the API lies; keys alone open it, so no authorization server is named."""
    origin = visit.credentials.guard.origin(visit.sent, visit.scheme)
    return json_response(
        {
            "resource": origin + BASE,
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }
    )


def routes() -> list[Route]:
    """Return the routes of the page."""
    return [Route(path, resource) for path in (RESOURCE, RESOURCE.removesuffix(BASE))]
