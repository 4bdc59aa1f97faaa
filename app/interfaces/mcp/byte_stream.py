"""MCP over a pair of byte streams, one message a line: what `hearth mcp` passes on.

Here a connection stays open, so the handshake revisions can subscribe too.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import msgspec
from mcp.server.context import CallNext, HandlerResult
from mcp.server.runner import serve_dual_era_loop
from mcp.server.session import ServerSession
from mcp.shared._context_streams import create_context_streams
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.subscriptions import event_to_notification
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from app.core.app import App
from app.core.caller import Caller
from app.errors import AppError
from app.interfaces.mcp.asked import Asked, Context, asked, is_modern, refusal
from app.interfaces.mcp.hearth_endpoint import as_program, watches_of
from app.interfaces.mcp.hearth_server import make_server, options
from app.interfaces.mcp.watches import Watch, Watches

LISTS = ("tools/list", "resources/list")
NO_MESSAGE = "Each line must be one JSON-RPC 2.0 message."
Send = Callable[[bytes], Awaitable[None]]


class Subscriptions:
    """What one client of the handshake revisions has subscribed to."""

    def __init__(self, watches: Watches) -> None:
        self._watches = watches
        self._stack = contextlib.AsyncExitStack()
        self._watch: Watch | None = None
        self._telling: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def watch_lists(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Watch what a client lists, which is told of changes without asking for that."""
        if not is_modern(ctx) and ctx.method in LISTS:
            with contextlib.suppress(MCPError):  # too many watch: it is answered nevertheless
                watch = await self._watching(ctx)
                await watch.follow(
                    list_=ctx.method == "resources/list", tools=ctx.method == "tools/list"
                )
        return await call_next(ctx)

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Watch one resource more."""
        watch = await self._watching(ctx)
        try:
            await watch.add(str(params.uri))
        except AppError as error:
            raise refusal(ctx, error, uri=str(params.uri)) from None
        return types.EmptyResult()

    async def _watching(self, ctx: Context) -> Watch:
        async with self._lock:
            if self._watch is None:
                watch = self._watches.watch(asked(ctx), list_=False, tools=False)
                self._watch = await self._stack.enter_async_context(watch)
                self._telling = asyncio.create_task(_tell(self._watch, ctx.session))
        return self._watch

    async def unsubscribe(
        self, _: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Watch a resource no more."""
        if self._watch is not None:
            self._watch.drop(str(params.uri))
        return types.EmptyResult()

    async def close(self) -> None:
        """Watch nothing any more."""
        if self._telling is not None:
            self._telling.cancel()
        await self._stack.aclose()


async def serve(
    app: App, find: Callable[[], Caller | None], lines: AsyncIterator[bytes], send: Send
) -> None:
    """Serve one client until its lines end, the credential that `find` finds, or the server."""
    watches = watches_of(app)
    subscriptions = Subscriptions(watches)
    server: Any = make_server(
        watches, subscribe=subscriptions.subscribe, unsubscribe=subscriptions.unsubscribe
    )
    server.middleware.append(subscriptions.watch_lists)
    heard, hearing = create_context_streams[SessionMessage | Exception](0)
    saying, said = create_context_streams[SessionMessage](0)

    def still() -> Caller | None:
        found = find()
        return None if found is None else as_program(found)

    async def hear() -> None:
        async with heard:
            async for line in lines:
                me = still()
                if me is None:
                    return
                message = _message(line)
                if message is None:
                    await send(_no_message())
                    continue
                about = ServerMessageMetadata(request_context=Asked(app, me, still))
                await heard.send(SessionMessage(message, metadata=about))

    async def say() -> None:
        async with said:
            async for message in said:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await send(text.encode() + b"\n")

    group = anyio.create_task_group()
    close = group.cancel_scope.cancel

    def check() -> None:
        if find() is None:
            close()

    watches.closing.add(close)
    watches.checks.add(check)
    try:
        async with group:
            group.start_soon(hear)
            group.start_soon(say)
            await serve_dual_era_loop(
                server,
                hearing,
                saying,
                lifespan_state=None,
                init_options=options(server, tells_changes=True),
            )
    finally:
        watches.closing.discard(close)
        watches.checks.discard(check)
        await subscriptions.close()


async def split(parts: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Yield the lines of a stream; end it where one is longer than it may be."""
    waiting = bytearray()
    async for part in parts:
        waiting += part
        *whole, rest = bytes(waiting).split(b"\n")
        waiting = bytearray(rest)
        for line in whole:
            if line.strip():
                yield line
        if len(waiting) > most:
            return


def _message(line: bytes) -> types.JSONRPCMessage | None:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValidationError, ValueError, RecursionError):
        return None


def _no_message() -> bytes:
    told = {"code": types.INVALID_REQUEST, "message": NO_MESSAGE}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": told}) + b"\n"


async def _tell(watch: Watch, session: ServerSession) -> None:
    async for event in watch.news():
        await session.send_notification(event_to_notification(event, {}))
