"""What the server says of itself: how it is found, and that it does as it says."""

import dataclasses
import subprocess
import sys
from typing import Any

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from app.core.caller import SCOPES
from app.settings import Settings
from tests.conftest import BASE, ORIGIN, Client, Served
from tests.support.oauth import OAUTH

pytestmark = pytest.mark.anyio
RFC_8414 = f"{ORIGIN}/.well-known/oauth-authorization-server"
OPENID = f"{ORIGIN}/.well-known/openid-configuration"
RESOURCE = f"{ORIGIN}/.well-known/oauth-protected-resource"


async def told(client: Client, address: str) -> dict[str, Any]:
    response = await client.get(address)
    assert (response.status_code, response.headers["content-type"]) == (
        200,
        "application/json; charset=utf-8",
    )
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.parametrize("address", [RFC_8414, OPENID])
async def test_the_server_describes_itself_as_it_is(stranger: Client, address: str) -> None:
    found = await told(stranger, address)
    expected = {
        "issuer": ORIGIN,
        "authorization_endpoint": f"{OAUTH}/authorize",
        "token_endpoint": f"{OAUTH}/token",
        "userinfo_endpoint": f"{OAUTH}/userinfo",
        "revocation_endpoint": f"{OAUTH}/revoke",
        "registration_endpoint": f"{OAUTH}/register",
        "jwks_uri": f"{OAUTH}/jwks",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": [
            "none",
            "client_secret_basic",
            "client_secret_post",
        ],
        "authorization_response_iss_parameter_supported": True,
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }
    assert {name: found[name] for name in expected} == expected


async def test_rights_that_no_application_gets_are_not_offered(stranger: Client) -> None:
    for address in (RFC_8414, RESOURCE):
        offered = (await told(stranger, address))["scopes_supported"]
        assert set(offered) == set(SCOPES) - {"account:manage"}


async def test_the_description_is_valid_by_rfc_8414(stranger: Client) -> None:
    found = await told(stranger, RFC_8414)
    https = {
        name: value.replace("http://", "https://") if isinstance(value, str) else value
        for name, value in found.items()
    }
    AuthorizationServerMetadata(https).validate()


async def test_every_endpoint_that_is_named_is_there(stranger: Client) -> None:
    found = await told(stranger, RFC_8414)
    for name, address in found.items():
        if name.endswith(("_endpoint", "_uri")):
            statuses = {
                (await stranger.request(method, address)).status_code for method in ("GET", "POST")
            }
            assert 404 not in statuses, name


@pytest.mark.parametrize(
    ("path", "resource"),
    [("", BASE), ("/api/v1", BASE), ("/api/v1/mcp", f"{BASE}/mcp"), ("/mcp", f"{ORIGIN}/mcp")],
)
async def test_the_resource_names_itself_and_who_gives_tokens_for_it(
    stranger: Client, path: str, resource: str
) -> None:
    found = await told(stranger, RESOURCE + path)
    assert (found["resource"], found["authorization_servers"]) == (resource, [ORIGIN])
    assert found["bearer_methods_supported"] == ["header"]


async def test_a_missing_credential_leads_to_the_server_that_gives_one(stranger: Client) -> None:
    challenge = (await stranger.get("/identity")).headers["www-authenticate"]
    resource = await told(stranger, challenge.partition('resource_metadata="')[2].strip('"'))
    server = await told(
        stranger, resource["authorization_servers"][0] + "/.well-known/oauth-authorization-server"
    )
    assert server["issuer"] == resource["authorization_servers"][0]


class TestWithoutRegistration:
    """The setting that switches registration off."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, oauth_registration="off")

    async def test_no_endpoint_for_it_is_named(self, served: Served, stranger: Client) -> None:
        assert "registration_endpoint" not in await told(stranger, RFC_8414)
        refused = await stranger.post(f"{OAUTH}/register", json={})
        assert refused.status_code == 403
        assert refused.json() == {
            "error": "access_denied",
            "error_description": "Client registration is disabled",
        }


async def test_the_public_key_is_public_alone_and_stays(stranger: Client, served: Served) -> None:
    response = await stranger.get(f"{OAUTH}/jwks")
    (key,) = response.json()["keys"]
    assert set(key) == {"kty", "n", "e", "kid", "use", "alg"}
    assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")
    assert response.headers["cache-control"] == "public, max-age=3600"
    assert (await stranger.get(f"{OAUTH}/jwks")).json()["keys"] == [key]
    file = served.parts.store.path.parent / "signing-key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert key["n"] in file.read_text("ascii")


def test_a_start_loads_nothing_of_pages_and_oauth() -> None:
    code = (
        "import sys, app.main; print([name for name in "
        "('jinja2', 'authlib', 'joserfc', 'cryptography') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class TestOrigins:
    """Applications that run in a browser, at an origin of the setting."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return dataclasses.replace(settings, cors_origins=("https://app.example.org",))

    async def test_they_may_ask_what_no_user_sits_at(
        self, served: Served, stranger: Client
    ) -> None:
        theirs = {"Origin": "https://app.example.org"}
        for address in (RFC_8414, RESOURCE, f"{OAUTH}/jwks"):
            found = await stranger.get(address, headers=theirs)
            assert found.headers["access-control-allow-origin"] == "https://app.example.org"
            assert "access-control-allow-credentials" not in found.headers
        for address in (f"{OAUTH}/token", f"{OAUTH}/revoke"):
            asked = await stranger.options(address, headers=theirs)
            assert asked.status_code == 204
            answered = await stranger.post(address, headers=theirs)
            assert answered.headers["access-control-allow-origin"] == "https://app.example.org"
        page = await stranger.get(f"{ORIGIN}/auth/sign-in", headers=theirs)
        assert "access-control-allow-origin" not in page.headers
        other = await stranger.post(f"{OAUTH}/token", headers={"Origin": "https://evil.example"})
        assert other.status_code == 403


async def test_openapi_names_the_same_endpoints_and_scopes(stranger: Client) -> None:
    described = (await stranger.get("/openapi.json")).json()
    told = (await stranger.get(f"{ORIGIN}/.well-known/oauth-authorization-server")).json()
    flow = described["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"]
    assert flow["authorizationUrl"] == told["authorization_endpoint"]
    assert flow["tokenUrl"] == told["token_endpoint"]
    assert list(flow["scopes"]) == told["scopes_supported"]
    assert all(flow["scopes"].values())
