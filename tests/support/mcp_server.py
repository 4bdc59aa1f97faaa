"""A real MCP server, written with the official SDK: over HTTP, behind OAuth, or as a program.

`python -m tests.support.mcp_server` is the program.
"""

import asyncio
import contextlib
import os
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp.types import CallToolResult, SamplingMessage, TextContent, ToolAnnotations
from pydantic import AnyHttpUrl, BaseModel
from starlette.responses import JSONResponse, Response

from tests.support.listening import listening as serving

READS = ToolAnnotations(read_only_hint=True)
CLOSED = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class Secret(BaseModel):
    password: str


def build(**more: Any) -> MCPServer[Any]:
    """Give the server with its tools."""
    server: MCPServer[Any] = MCPServer("plain", **more)

    @server.tool(annotations=READS)
    def echo(text: str) -> str:
        """Say a text again."""
        return text

    @server.tool(annotations=CLOSED)
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def write(text: str) -> str:
        """Write a text somewhere."""
        return f"wrote {text}"

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise ToolError("it is \x1b[31mbroken\u202e today")

    @server.tool()
    def environment() -> str:
        """Tell the names of the variables."""
        return " ".join(sorted(os.environ))

    @server.tool()
    def crash() -> str:
        """End the whole server."""
        sys.stderr.write("now it is all over\n")
        sys.stderr.flush()
        os._exit(3)

    @server.tool()
    async def hang() -> str:
        """Never answer."""
        await asyncio.sleep(3_600)
        return "late"

    @server.tool()
    async def slow(steps: int, ctx: Context[Any, Any]) -> str:
        """Take its time, and say how far it is."""
        for step in range(steps):
            await ctx.report_progress(step, steps)
            await asyncio.sleep(0.05)
        return "done"

    @server.tool()
    def huge(size: int) -> str:
        """Give a very long text."""
        return "x" * size

    @server.tool()
    async def sample(ctx: Context[Any, Any]) -> str:
        """Ask the client's model."""
        message = SamplingMessage(role="user", content=TextContent(type="text", text="secrets?"))
        given = await ctx.session.create_message([message], max_tokens=10)
        return str(given)

    @server.tool()
    async def elicit(ctx: Context[Any, Any]) -> str:
        """Ask the person for a password."""
        return str(await ctx.elicit("Your password?", Secret))

    @server.tool()
    def fork() -> int:
        """Start a process that would outlive the server."""
        import subprocess

        return subprocess.Popen(["sleep", "3600"]).pid

    @server.tool()
    def failed() -> CallToolResult:
        """Say that it has failed."""
        return CallToolResult(
            content=[TextContent(type="text", text="no such thing")], is_error=True
        )

    return server


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """An authorization server in memory, which lets everybody in; `asked` is what it was asked."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.asked: list[AuthorizationParams] = []
        self.lives = 3_600

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        client_info.scope = "read write"
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        self.asked.append(params)
        code = secrets.token_urlsafe(24)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=True,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._tokens(str(client.client_id), authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh[refresh_token.token]
        return self._tokens(str(client.client_id), refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.clear()
        self.refresh.clear()

    def _tokens(self, client: str, resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access[access] = AccessToken(
            token=access, client_id=client, scopes=[], resource=resource
        )
        self.refresh[refresh] = RefreshToken(
            token=refresh, client_id=client, scopes=[], resource=resource
        )
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=self.lives, token_type="Bearer"
        )


class Listening:
    """A server that listens at `url`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.server: MCPServer[Any] = build()
        self.provider: Provider | None = None
        self.asked: list[str] = []
        self.wanted = ""
        """The right that a call of a tool needs; `*` stands for a login, whatever its rights."""
        self.gives_in = True
        self.signed_in_at = ""

    def refusal(self, scope: Any) -> Response | None:
        """Give the answer to a call of a tool that lacks the right."""
        headers = dict(scope["headers"])
        if self.signed_in_at and scope["path"].startswith("/.well-known/oauth-protected-resource"):
            told = {"resource": self.url, "authorization_servers": [self.signed_in_at]}
            return JSONResponse(told)
        if not self.wanted or headers.get(b"mcp-method") != b"tools/call":
            return None
        if self.wanted == "*":
            status, error = 401, "invalid_token"
            lacks = b"authorization" not in headers
        else:
            status, error = 403, "insufficient_scope"
            had = self.provider.asked[-1].scopes if self.provider and self.provider.asked else None
            lacks = self.wanted not in (had or []) or not self.gives_in
        scopes = self.wanted.replace("*", "read")
        said = f'Bearer error="{error}", scope="{scopes}"'
        return Response(status_code=status, headers={"WWW-Authenticate": said}) if lacks else None


@contextlib.asynccontextmanager
async def listening(*, oauth: bool = False, **how: Any) -> AsyncIterator[Listening]:
    """Serve over HTTP on this machine, behind OAuth if wanted."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
        made = Listening(port)
        if oauth:
            made.provider = Provider()
            made.server = build(
                auth_server_provider=made.provider,
                auth=AuthSettings(
                    issuer_url=AnyHttpUrl(f"http://127.0.0.1:{port}"),
                    resource_server_url=AnyHttpUrl(made.url),
                    client_registration_options=ClientRegistrationOptions(enabled=True),
                    revocation_options=RevocationOptions(enabled=True),
                    validate_token_resource=True,
                ),
            )
        asgi = made.server.streamable_http_app(**how)

        async def noted(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                made.asked.append(f"{scope['method']} {scope['path']}")
                refusal = made.refusal(scope)
                if refusal is not None:
                    await refusal(scope, receive, send)
                    return
            await asgi(scope, receive, send)

        async with serving(noted, sock=sock, lifespan="auto"):
            yield made


def main() -> None:
    """Serve over standard input and output."""
    build().run("stdio")


if __name__ == "__main__":
    main()
