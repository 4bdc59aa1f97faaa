"""What this server says of itself to applications, at the addresses where they look.

As an authorization server (RFC 8414, OpenID Connect), and as a protected resource (RFC 9728),
whose page the answer to a missing credential names.
"""

from starlette.responses import Response
from starlette.routing import Route

from app.account.oauth import clients
from app.account.oauth.policy import GRANTABLE, OAUTH, RESOURCES
from app.interfaces.credentials import BASE, RESOURCE
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit

SERVER = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
OF_RESOURCE = RESOURCE.removesuffix(BASE)
CLAIMS = ("sub", "name", "given_name", "family_name", "email", "preferred_username", "picture")


def routes() -> list[Route]:
    """Give the routes of the documents by which a client finds everything else."""
    return [
        *(Route(path, server) for path in SERVER),
        *(Route(OF_RESOURCE + path, resource) for path in ("", *RESOURCES)),
    ]


async def server(visit: Visit) -> Response:
    """Describe the authorization server."""
    origin = visit.origin
    registers = visit.parts.settings.oauth_registration != "off"
    return json_response(
        {
            "issuer": origin,
            "authorization_endpoint": f"{origin}{OAUTH}/authorize",
            "token_endpoint": f"{origin}{OAUTH}/token",
            "userinfo_endpoint": f"{origin}{OAUTH}/userinfo",
            "revocation_endpoint": f"{origin}{OAUTH}/revoke",
            "client_id_metadata_document_supported": registers,
            **({"registration_endpoint": f"{origin}{OAUTH}/register"} if registers else {}),
            "jwks_uri": f"{origin}{OAUTH}/jwks",
            "scopes_supported": GRANTABLE,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": clients.GRANT_TYPES,
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": clients.METHODS,
            "revocation_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": True,
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "claims_supported": CLAIMS,
            "claims_parameter_supported": False,
            "request_parameter_supported": False,
            "request_uri_parameter_supported": False,
        }
    )


async def resource(visit: Visit) -> Response:
    """Describe the protected resource, by the address for which its page was asked."""
    path = visit.url.path.removeprefix(OF_RESOURCE) or BASE
    return json_response(
        {
            "resource": visit.origin + path,
            "authorization_servers": [visit.origin],
            "scopes_supported": GRANTABLE,
            "bearer_methods_supported": ["header"],
            "resource_name": "Hearth",
        }
    )
