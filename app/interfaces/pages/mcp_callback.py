"""Where a browser comes back to from the login of an MCP server, and what Hearth is there."""

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.render_page import notice
from app.interfaces.pages.visit import Visit

CALLBACK = "/api/auth/mcp/callback"
DOCUMENT = "/api/auth/mcp/client.json"
LONGEST = 4_096


def routes() -> list[Route]:
    """Return the routes."""
    return [Route(CALLBACK, callback, methods=["GET"]), Route(DOCUMENT, document, methods=["GET"])]


async def callback(visit: Visit) -> Response:
    """Take the answer to a login; a state that nobody knows counts against its address."""
    given = {
        name: values[0]
        for name in ("state", "code", "iss")
        if len(values := visit.query_params.getlist(name)) == 1 and len(values[0]) <= LONGEST
    }
    me = visit.session_caller()
    found = await visit.parts.call(
        OPERATOR,
        "end_mcp_login",
        {
            "state": given.get("state", ""),
            "code": given.get("code", ""),
            "issuer": given.get("iss"),
            "user": None if me is None else me.user,
        },
    )
    if found.server is None:
        visit.guessed()
        return await notice(visit, "pages.failed", found.error or "", status=400)
    return await notice(visit, "pages.mcp_login", server=found.server)


async def document(visit: Visit) -> Response:
    """Return what this client is, to authorization servers that know it by this address."""
    origin = visit.parts.settings.origin
    return json_response(
        {
            "client_id": origin + DOCUMENT,
            "client_uri": origin,
            "client_name": "Hearth",
            "redirect_uris": [origin + CALLBACK],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
    )
