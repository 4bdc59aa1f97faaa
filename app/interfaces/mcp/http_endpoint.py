"""MCP over HTTP, in the way that is called streamable: one POST for each message.

Nothing is kept between two messages, in the handshake revisions too, so a client outlives a restart
of the server. A call costs 0.4 ms more than the same by `POST /tools`. The SDK's session manager
takes 0.5 ms for itself in its stateless mode, 2.4 where the answer may stream, and would read and
answer requests beside the one way in that all others take.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
import msgspec
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.server.runner import ServerRunner, aclose_shielded
from mcp.shared.dispatcher import CallOptions, as_request_id
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp.shared.jsonrpc_dispatcher import (
    cancelled_request_id_from_params,
    handler_exception_to_error_data,
    progress_token_from_params,
)
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from app.core import random_tokens
from app.core.json_body import decode
from app.errors import Malformed
from app.interfaces.exchange import Exchange
from app.interfaces.guard import Headers
from app.interfaces.mcp.asked import Asked
from app.interfaces.wire.request_bodies import ClientLeft

OLDEST = "2025-03-26"
"""The revision of a client that names none, as the handshake revisions say."""
SESSION = b"mcp-session-id"
LISTEN = "subscriptions/listen"
LONGEST_SESSION = 100
PING_SECONDS = 15.0
PING = b": still at work\r\n\r\n"
Params = Mapping[str, Any] | None


class Call:
    """One request on its way, as the SDK's handlers see it.

    What they tell meanwhile waits in `told` for the answer's stream.
    """

    can_send_request = False

    def __init__(self, id_: types.RequestId, params: Params, who: Asked) -> None:
        self.request_id = id_
        self.transport = TransportContext(kind="streamable-http", can_send_request=False)
        self.message_metadata = ServerMessageMetadata(request_context=who)
        self.cancel_requested = anyio.Event()
        self.told: list[bytes] = []
        self.has_told = asyncio.Event()
        self._token = progress_token_from_params(params)

    async def send_raw_request(
        self, method: str, params: Params, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse: there is no way on which a client could answer."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Params, opts: CallOptions | None = None) -> None:
        """Tell the client something before the answer."""
        said = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.told.append(event(said))
        self.has_told.set()

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell how far the work is, if the client has asked for that."""
        if self._token is not None:
            given = {"progress": progress, "total": total, "message": message}
            said = {name: value for name, value in given.items() if value is not None}
            await self.notify("notifications/progress", {"progressToken": self._token, **said})


class Endpoint:
    """Answers what is posted to `/mcp`."""

    def __init__(self, server: Server[Any], options: InitializationOptions) -> None:
        self._server = server
        self._options = options
        self._running: dict[tuple[object, ...], tuple[asyncio.Task[Any], str, Asked]] = {}

    def check(self) -> None:
        """End the work on requests whose credential has ended; a subscription ends by itself."""
        for work, method, who in list(self._running.values()):
            if method != LISTEN and who.still() is None:
                work.cancel()

    async def answer(self, exchange: Exchange, body: bytes, who: Asked) -> None:
        """Answer one message."""
        if trouble := _bad_headers(exchange.headers):
            await _send(exchange, trouble[0], error(None, types.INVALID_REQUEST, trouble[1]))
            return
        try:
            message = decode(body)
        except Malformed as malformed:
            whole = malformed.message == "The request body must be a JSON object."
            code = types.INVALID_REQUEST if whole else types.PARSE_ERROR
            await _send(exchange, 400, error(None, code, _one_message(malformed.message)))
            return
        method, params = message.get("method"), message.get("params")
        id_ = as_request_id(message.get("id"))
        if (
            message.get("jsonrpc") != "2.0"
            or not isinstance(method, str)
            or not (params is None or isinstance(params, dict))
            or (id_ is None and "id" in message)
        ):
            wrong = "The body must be one JSON-RPC 2.0 request or notification."
            await _send(exchange, 400, error(id_, types.INVALID_REQUEST, wrong))
        elif id_ is None:
            await self._take_notice(exchange, method, params, who)
        else:
            await self._answer_request(exchange, id_, method, params, who)

    async def _take_notice(
        self, exchange: Exchange, method: str, params: Params, who: Asked
    ) -> None:
        """Accept a notification; one that cancels a request ends its work."""
        requested = exchange.headers.get(MCP_PROTOCOL_VERSION_HEADER.encode(), b"").decode(
            "latin-1"
        )
        if requested and requested not in HANDSHAKE_PROTOCOL_VERSIONS:
            unsupported = unsupported_protocol_version_rejection(requested)
            if unsupported is not None:
                await _reject(exchange, None, unsupported)
                return
        if method == "notifications/cancelled" and SESSION in exchange.headers:
            ended = cancelled_request_id_from_params(params)
            running = self._running.get((*_whose(exchange, who), ended))
            if running is not None:
                running[0].cancel()
        await exchange.answer(202, b"")

    async def _answer_request(
        self, exchange: Exchange, id_: types.RequestId, method: str, params: Params, who: Asked
    ) -> None:
        route = _route(exchange, method, params)
        if isinstance(route, InboundLadderRejection):
            await _reject(exchange, id_, route)
            return
        connection, session = _connection(route), None
        if method == "initialize" and isinstance(route, str):
            session = random_tokens.new_uuid().encode()
        call = Call(id_, params, who)
        work = asyncio.create_task(self._result(call, connection, method, params))
        key = (*_whose(exchange, who), id_)
        self._running[key] = running = work, method, who
        delivery = _Delivery(exchange, call, work, session, is_modern=not isinstance(route, str))
        try:
            await delivery.run()
        finally:
            work.cancel()
            if self._running.get(key) is running:
                del self._running[key]

    async def _result(
        self, call: Call, connection: Connection, method: str, params: Params
    ) -> dict[str, Any]:
        """Return the answer to a request: its result or its error."""
        runner = ServerRunner(self._server, connection, None, init_options=self._options)
        try:
            result = await runner.on_request(call, method, params)
        except (MCPError, ValidationError) as failure:
            told = handler_exception_to_error_data(failure)
            if told is None:
                raise
            return error(call.request_id, told.code, told.message, told.data)
        finally:
            await aclose_shielded(connection)
        return {"jsonrpc": "2.0", "id": call.request_id, "result": result}


class _Delivery:
    """The answer to one request on its way out.

    As JSON when it is there before anything was told, else as a stream of events.
    """

    def __init__(
        self,
        exchange: Exchange,
        call: Call,
        work: "asyncio.Task[dict[str, Any]]",
        session: bytes | None,
        *,
        is_modern: bool,
    ) -> None:
        self._exchange = exchange
        self._call = call
        self._work = work
        self._more = [] if session is None else [(SESSION, session)]
        self._is_modern = is_modern
        self._can_stream = _accepts(exchange.headers, b"text/event-stream")

    async def run(self) -> None:
        """Send what is told as it comes, and the answer."""
        leaving = asyncio.create_task(_left(self._exchange))
        try:
            while not self._work.done():
                await self._wait(leaving)
                if leaving.done():
                    await self._is_left()
                elif self._can_stream and not self._work.done():
                    await self._send_told(PING)
            await self._send_answer()
        finally:
            leaving.cancel()

    async def _wait(self, leaving: "asyncio.Task[None]") -> None:
        """Wait until there is something to send, or the client has left."""
        hearing = asyncio.create_task(self._call.has_told.wait())
        waited: set[asyncio.Task[Any]] = {self._work, leaving, hearing}
        try:
            await asyncio.wait(waited, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hearing.cancel()
            self._call.has_told.clear()

    async def _is_left(self) -> None:
        """End the work of a client that has gone.

        In the handshake revisions leaving is no way to cancel.
        """
        if not self._is_modern:
            await asyncio.wait({self._work})
        raise ClientLeft

    async def _send_told(self, otherwise: bytes) -> None:
        if not self._exchange.status:
            await self._exchange.open_events(self._more)
        said = b"".join(self._call.told) or otherwise
        self._call.told.clear()
        await self._exchange.send_part(said)

    async def _send_answer(self) -> None:
        if self._work.cancelled():
            if self._can_stream and not self._exchange.status:
                await self._exchange.open_events(self._more)
            if not self._can_stream:
                said = error(None, types.INVALID_REQUEST, "The request was cancelled.")
                await _send(self._exchange, 200, said)
            else:
                await self._exchange.end()
            return
        answer = self._work.result()
        if self._exchange.status or (self._can_stream and self._call.told):
            await self._send_told(b"")
            await self._exchange.send_part(event(answer))
            await self._exchange.end()
            return
        code = answer["error"]["code"] if "error" in answer else None
        status = ERROR_CODE_HTTP_STATUS.get(code, 200) if self._is_modern and code else 200
        await _send(self._exchange, status, answer, self._more)


def error(id_: types.RequestId | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    """Return a JSON-RPC error."""
    told = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": id_, "error": told}


def event(message: dict[str, Any]) -> bytes:
    """Return a message as an event of a stream."""
    return b"event: message\r\ndata: %s\r\n\r\n" % msgspec.json.encode(message)


def _connection(route: str | InboundModernRoute) -> Connection:
    if isinstance(route, str):
        return Connection.from_envelope(route, None, None)
    return Connection.from_envelope(
        route.protocol_version, route.client_info, route.client_capabilities
    )


def _route(
    exchange: Exchange, method: str, params: Params
) -> str | InboundModernRoute | InboundLadderRejection:
    """Return in which revision a request is: a handshake's name, a later one's route, or why it
    is none.
    """
    named = exchange.headers.get(MCP_PROTOCOL_VERSION_HEADER.encode())
    version = OLDEST if named is None else named.decode("latin-1")
    meta = (params or {}).get("_meta")
    is_enveloped = isinstance(meta, dict) and types.PROTOCOL_VERSION_META_KEY in meta
    if version in HANDSHAKE_PROTOCOL_VERSIONS and not is_enveloped:
        return version
    lines = [
        (name.decode("latin-1"), value.decode("latin-1").strip(" \t"))
        for name, value in exchange.scope["headers"]
    ]
    if (twice := find_duplicated_routing_header(lines)) is not None:
        return InboundLadderRejection(types.HEADER_MISMATCH, f"The header {twice} comes twice.")
    return classify_inbound_request({"method": method, "params": params}, headers=dict(lines))


def _bad_headers(headers: dict[bytes, bytes]) -> tuple[int, str] | None:
    """Return status and sentence for headers that no message may have."""
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        return 415, "Content-Type must be application/json."
    if not _accepts(headers, b"application/json"):
        return 406, "Accept must name application/json and text/event-stream."
    if len(headers.get(SESSION, b"")) > LONGEST_SESSION:
        return 400, f"Mcp-Session-Id must have at most {LONGEST_SESSION} characters."
    return None


def _accepts(headers: dict[bytes, bytes], kind: bytes) -> bool:
    """Return whether the client takes an answer of that kind; who names none takes JSON."""
    accept = headers.get(b"accept", b"application/json").lower()
    group = kind.partition(b"/")[0] + b"/*"
    given = [part.partition(b";")[0].strip() for part in accept.split(b",")]
    return kind in given or group in given or b"*/*" in given


def _one_message(sentence: str) -> str:
    return sentence.replace("a JSON object", "one JSON-RPC message; batches are not taken")


def _whose(exchange: Exchange, who: Asked) -> tuple[object, ...]:
    """Return whose numbers of requests they are: a credential's, in one session of a client."""
    return who.me.kind, who.me.user, who.me.credential, exchange.headers.get(SESSION)


async def _left(exchange: Exchange) -> None:
    while (await exchange.receive())["type"] != "http.disconnect":
        pass


async def _send(
    exchange: Exchange, status: int, message: dict[str, Any], more: Headers | None = None
) -> None:
    await exchange.answer(status, msgspec.json.encode(message), more)


async def _reject(
    exchange: Exchange, id_: types.RequestId | None, why: InboundLadderRejection
) -> None:
    status = ERROR_CODE_HTTP_STATUS.get(why.code, 400)
    await _send(exchange, status, error(id_, why.code, why.message, why.data))
