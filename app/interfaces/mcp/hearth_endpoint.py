"""`/mcp` of the running server: one server of the SDK for all clients, made for the first."""

import dataclasses
from typing import Any

from mcp.server import Server

from app.core.app import App
from app.core.caller import Caller
from app.interfaces.credentials import Credentials
from app.interfaces.exchange import Exchange
from app.interfaces.mcp.asked import Asked
from app.interfaces.mcp.hearth_server import make_server, options
from app.interfaces.mcp.http_endpoint import Endpoint
from app.interfaces.mcp.watches import Watches


class HearthEndpoint:
    """Answers the messages of every client over HTTP."""

    def __init__(
        self, app: App, credentials: Credentials, server: Server[Any] | None = None
    ) -> None:
        watches = watches_of(app)
        server = server or make_server(watches)
        self._app = app
        self._credentials = credentials
        self._endpoint = Endpoint(server, options(server, tells_changes=False))
        watches.checks.add(self._endpoint.check)

    async def answer(self, exchange: Exchange, body: bytes) -> None:
        """Answer one message of a caller that was let in."""

        def still() -> Caller | None:
            found = self._credentials.found(exchange.headers)
            return None if found is None else as_program(found)

        if exchange.caller is None:
            raise AssertionError("nobody was let in")
        asked = Asked(self._app, as_program(exchange.caller), still)
        await self._endpoint.answer(exchange, body, asked)


def watches_of(app: App) -> Watches:
    """Return what all clients of the running application watch."""
    watches = next((part for part in app.parts if isinstance(part, Watches)), None)
    if watches is None:
        app.parts.append(watches := Watches(app))
    return watches


def as_program(caller: Caller) -> Caller:
    """Return a caller as the program that acts for it."""
    return dataclasses.replace(caller, through="mcp")
