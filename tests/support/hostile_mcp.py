"""A server that answers as a test says, also in ways in which no good server does."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.listening import listening

Answer = Callable[[Any], Any]
TOOL = {"name": "do", "description": "Do it.", "inputSchema": {"type": "object"}}


class Hostile:
    """What it answers by method, what it serves at other paths, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.origin = f"http://127.0.0.1:{port}"
        self.url = f"{self.origin}/mcp"
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.pages: dict[str, Response] = {}
        self.open_to_all: set[str] = set()
        self.status: Response | None = None
        """What every message is answered with instead."""
        self.answers: dict[str, Answer] = {
            "initialize": lambda params: {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            },
            "tools/list": lambda params: {"tools": [TOOL]},
            "tools/call": lambda params: {"content": [{"type": "text", "text": "done"}]},
        }

    def speaks_without_handshake(self) -> None:
        """Speak the revision in which each request stands for itself."""
        fresh = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        listed = self.answers["tools/list"]
        self.answers["tools/list"] = lambda params: fresh | listed(params)
        self.answers["server/discover"] = lambda params: (
            fresh
            | {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"},
            }
        )

    async def message(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        body = await request.body()
        given = json.loads(body) if body else {}
        self.asked.append(str(given.get("method", request.method)))
        if self.status is not None and given.get("method") not in self.open_to_all:
            return self.status
        if request.method != "POST":
            return Response(status_code=405)
        if "id" not in given:
            return Response(status_code=202)
        answer = self.answers.get(given["method"])
        if answer is None:
            error = {"code": -32601, "message": "Method not found"}
            return JSONResponse({"jsonrpc": "2.0", "id": given["id"], "error": error})
        result = answer(given.get("params"))
        if asyncio.iscoroutine(result):
            result = await result
        if isinstance(result, Response):
            return result
        return JSONResponse({"jsonrpc": "2.0", "id": given["id"], "result": result})

    async def page(self, request: Request) -> Response:
        self.asked.append(f"{request.method} {request.url.path}")
        return self.pages.get(request.url.path, Response(status_code=404))

    def wants_login(self, **metadata: Any) -> None:
        """Want a login, with this metadata of the authorization server."""
        resource = f"{self.origin}/.well-known/oauth-protected-resource"
        self.status = Response(
            status_code=401, headers={"WWW-Authenticate": f'Bearer resource_metadata="{resource}"'}
        )
        issuer = metadata.pop("server", self.origin)
        self.pages["/.well-known/oauth-protected-resource"] = JSONResponse(
            {"resource": metadata.pop("resource", self.url), "authorization_servers": [issuer]}
        )
        self.pages["/.well-known/oauth-authorization-server"] = JSONResponse(
            {
                "issuer": self.origin,
                "authorization_endpoint": f"{self.origin}/authorize",
                "token_endpoint": f"{self.origin}/token",
                "registration_endpoint": f"{self.origin}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                **metadata,
            }
        )
        self.pages["/register"] = JSONResponse(
            {
                "client_id": "one",
                "redirect_uris": ["http://127.0.0.1:8765/api/auth/mcp/callback"],
                "token_endpoint_auth_method": "none",
            },
            201,
        )


def endless(chunk: bytes, media_type: str = "application/json", *, pause: float = 0) -> Response:
    """Give an answer that never ends."""

    async def chunks() -> AsyncIterator[bytes]:
        while True:
            yield chunk
            await asyncio.sleep(pause)

    return StreamingResponse(chunks(), media_type=media_type)


@contextlib.asynccontextmanager
async def hostile() -> AsyncIterator[Hostile]:
    """Serve a server that answers as the test says."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        made = Hostile(sock.getsockname()[1])
        methods = ["GET", "POST", "DELETE"]
        routes = [
            Route("/mcp", made.message, methods=methods),
            Route("/{path:path}", made.page, methods=methods),
        ]
        async with listening(Starlette(routes=routes), sock=sock):
            yield made
