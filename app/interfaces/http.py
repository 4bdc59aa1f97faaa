"""Serve the catalogue over HTTP: one way in, one envelope of success, one shape of refusal.

A pure ASGI callable in front of Starlette: at these rates a router and a response object for
each request would be half the time.
"""

import asyncio
import functools
import itertools
import logging
from collections.abc import Coroutine, Iterable
from typing import Any, cast

import msgspec
from msgspec import Raw
from starlette.routing import Route

from app.core import random_tokens
from app.core.app import App
from app.core.download import Download
from app.core.idempotency import Replay
from app.core.json_body import decode
from app.core.line_stream import EventStream, Lines
from app.core.operation import Operation
from app.core.process.caches import CommitCache
from app.core.process.lazy_import import lazy_import
from app.core.schema import encode, encode_enveloped
from app.core.temp_files import Upload
from app.errors import (
    AppError,
    InsufficientScope,
    Invalid,
    Malformed,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    Unavailable,
)
from app.interfaces.credentials import BASE, MCP, Credentials, spend_rate
from app.interfaces.exchange import NO_CONTENT, Exchange, Scope, Send
from app.interfaces.guard import Headers
from app.interfaces.logs.access_log import AccessLog
from app.interfaces.pages.guest_endpoint import GUESTS
from app.interfaces.pages.render_page import failure, notice
from app.interfaces.pages.visit import Visit
from app.interfaces.routes import PageRoutes, RouteMatch, Routes
from app.interfaces.wire.large_bodies import LargeBodies, may_be_large
from app.interfaces.wire.query_string import parse_query
from app.interfaces.wire.repeated_headers import merge_headers
from app.interfaces.wire.request_bodies import ClientLeft, Receive, body_parts
from app.interfaces.wire.trusted_proxies import Proxies

FOR_APPLICATIONS = ("/api/auth/oauth2/", "/.well-known/")
"""What applications of the origins in the setting ask beside the API."""
MCP_PATHS = (MCP, BASE + MCP)
log = logging.getLogger("hearth")


class Refusal(msgspec.Struct, frozen=True):
    """Bad fields that are told in a successful answer."""

    body: dict[str, Any]


class Api:
    """The ASGI application for every request: of the API, and of the pages beside it."""

    def __init__(
        self, parts: App, *, pages: Iterable[Route], credentials: Credentials, log: AccessLog
    ) -> None:
        self.parts = parts
        self.credentials = credentials
        self.guard = credentials.guard
        self.log = log
        trusted = parts.settings.trusted_proxies
        self.proxies = Proxies(trusted) if trusted else None
        self.routes = Routes(parts.catalog)
        self.pages = PageRoutes(pages)
        self.unchanged = CommitCache()
        self.mcp: Any = None  # made for the first client that speaks MCP
        self.large = LargeBodies(parts.store.path.parent)
        # runs in C, since every request takes one
        self._ids = map(
            b"%s-%x".__mod__,
            zip(itertools.repeat(random_tokens.new_run_name().encode()), itertools.count(1)),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send, next(self._ids))
        path: str = scope["path"]
        try:
            if len(exchange.headers) != len(scope["headers"]):
                exchange.headers = merge_headers(scope["headers"])
            if self.proxies is not None:
                scope["client"] = self.proxies.client(scope.get("client"), exchange.headers)
            is_api = path.startswith(BASE) and (len(path) == len(BASE) or path[len(BASE)] == "/")
            for_all = not is_api and path.removesuffix("/") == GUESTS
            exchange.cors = self.guard.check(
                scope["method"], exchange.headers, scope.get("scheme", "http"), for_all=for_all
            )
            if exchange.cors is not None and scope["method"] == "OPTIONS":
                await exchange.answer(204, b"")
            elif path.removesuffix("/") in MCP_PATHS:
                await self._serve_mcp(exchange)
            elif is_api:
                await self._serve_api(exchange, path[len(BASE) :])
            else:
                # the origins of the setting may use the API, and what applications ask beside it
                if not for_all and not path.startswith(FOR_APPLICATIONS):
                    exchange.cors = None
                await self._serve_page(exchange, path)
        except ClientLeft:
            exchange.status = 499
        except (
            asyncio.CancelledError
        ):  # only an ending server cancels, when it has waited long enough
            await self._refuse(
                exchange,
                Unavailable(
                    "The server is ending and could not finish this request; ask again once it is "
                    "back."
                ),
            )
        except AppError as error:
            await self._refuse(exchange, error)
        except Exception:
            log.exception("request %s failed", exchange.request_id.decode())
            await self._refuse(
                exchange,
                AppError(
                    "Something went wrong inside the server; its log tells more.",
                    requestId=exchange.request_id.decode(),
                ),
            )
        self.log.add(exchange)

    async def _serve_api(self, exchange: Exchange, path: str) -> None:
        found = self.routes.find(exchange.scope["method"], path)
        operation = exchange.operation = found.operation
        if not operation.public:
            self.credentials.admit(exchange)
        elif operation.http.per_address is not None:
            limit = getattr(self.parts.rates, operation.http.per_address)
            spend_rate(limit, exchange.scope, "Too many of these requests; wait a moment.")
        text = exchange.scope["query_string"]
        if (
            operation.http.steady is not None
            and exchange.caller is not None
            and not (text and any(field.encode() + b"=" in text for field in operation.http.steady))
        ):
            commits = self.parts.store.commits
            # by the credential: two of one user may be shown different things
            question = (exchange.caller.kind, exchange.caller.credential, path, text)
            answer = self.unchanged.get(commits, question)
            if answer is None:
                _, answer, _ = self._encode_answer(
                    operation, await self._run_operation(exchange, found)
                )
                self.unchanged.put(commits, question, answer)
            await exchange.answer(operation.http.status, answer)
            return
        result = await self._run_operation(exchange, found)
        if isinstance(result, Lines):
            await exchange.stream(result)
        elif isinstance(result, Download):
            await exchange.download(result)
        elif isinstance(result, EventStream):
            await exchange.tell(result, functools.partial(self._holds, exchange))
        else:
            await exchange.answer(*self._encode_answer(operation, result))

    async def _serve_page(self, exchange: Exchange, path: str) -> None:
        """Answer with a page, or whatever else stands beside the API."""
        route, texts = self.pages.find(exchange.scope["method"], path)
        exchange.route = route.path
        answer = await route.endpoint(Visit(exchange, self.parts, self.credentials, texts))
        if answer is None:  # it has sent what it had to say itself
            return
        if isinstance(answer, Lines):
            await exchange.stream(answer)
        else:
            await exchange.show(answer)

    async def _serve_mcp(self, exchange: Exchange) -> None:
        """Answer one message of MCP; whoever may send it is asked for first."""
        exchange.route = MCP
        method = exchange.scope["method"]
        if method != "POST":
            raise MethodNotAllowed(f"{method} is not known at this path.", allow=["POST"])
        self.credentials.admit(exchange)
        most = self.parts.settings.max_body
        self.parts.store.room.require_for(exchange.require_small(most))
        body = await exchange.read_body(most)
        if self.mcp is None:
            mcp = await lazy_import("app.interfaces.mcp.hearth_endpoint")
            self.mcp = mcp.HearthEndpoint(self.parts, self.credentials)
        await self.mcp.answer(exchange, body)

    async def _run_operation(self, exchange: Exchange, found: RouteMatch) -> Any:
        """Run the operation with what the request holds and give what it gives."""
        operation = found.operation
        if operation.http.takes_file:
            _require_file(exchange)
        if operation.http.spooled:
            return await self._run_with_file(exchange, found)
        if operation.method == "GET":
            return await self._run_with_body(exchange, found, b"")
        most = getattr(self.parts.settings, operation.http.body)
        size = exchange.require_small(most)
        self.parts.store.room.require_for(size)
        if not may_be_large(exchange, size, most):
            return await self._run_with_body(exchange, found, await exchange.read_body(most))
        if exchange.caller is not None:
            # before the body comes, or whoever may not do this could fill the disk
            self.parts.authorize(self.parts.renew_caller(exchange.caller), operation)
        async with self.large.hold(exchange, most) as body:
            return await self._run_with_body(exchange, found, body)

    async def _run_with_body(self, exchange: Exchange, found: RouteMatch, body: bytes) -> Any:
        operation = found.operation

        def params() -> dict[str, Any]:
            text = exchange.scope["query_string"]
            in_text = operation.in_query or operation.http.takes_file
            given = (
                decode(body)
                if not in_text
                else operation.fields.from_text(parse_query(text))
                if text
                else {}
            )
            if operation.in_query and body:  # of a DELETE: fields that were sent so narrow it too
                given = decode(body) | given
            if operation.http.takes_file:
                given |= {
                    "content": body,
                    "contentType": exchange.headers.get(b"content-type", b"").decode("latin-1"),
                }
            if operation.tells_events and (seen := exchange.headers.get(b"last-event-id")):
                # what clients of the standard send of themselves when they connect again
                given = {**given, "cursor": seen.decode("latin-1")}
            return {**given, **found.values()} if found.texts else given

        key = exchange.headers.get(b"idempotency-key") if operation.http.idempotent else None
        try:
            work = self.parts.run(
                exchange.caller,
                operation,
                params,
                once=None if key is None else key.decode("latin-1"),
            )
            return await (
                _while_connected(exchange.receive, work) if operation.http.stoppable else work
            )
        except NotFound:
            if operation.http.guessable:
                self.credentials.guessed(exchange.scope)
            raise
        except Invalid as error:
            if operation.http.refusal is None:
                raise
            return Refusal({**error.body, **operation.http.refusal})

    async def _run_with_file(self, exchange: Exchange, found: RouteMatch) -> Any:
        """Run an operation whose body is a file of any size.

        The file lies in the spool, and stays there only for one that was let through.
        """
        operation = found.operation
        if exchange.caller is not None:
            # before the body comes, or whoever may not do this could fill the disk
            self.parts.authorize(self.parts.renew_caller(exchange.caller), operation)
        most = getattr(self.parts.settings, operation.http.body)
        exchange.require_small(most)
        given = operation.fields.from_text(parse_query(exchange.scope["query_string"]))
        upload = await asyncio.to_thread(Upload, self.parts.store.path.parent)
        try:
            async for part in body_parts(exchange.receive, most):
                await asyncio.to_thread(upload.add, part)
            await asyncio.to_thread(upload.close)
            kind = exchange.headers.get(b"content-type", b"").decode("latin-1")
            params = {
                **given,
                "content": upload.name.encode(),
                "contentType": kind,
                **found.values(),
            }
            return await self.parts.run(exchange.caller, operation, params)
        except BaseException:
            await asyncio.to_thread(upload.remove)
            raise

    def _holds(self, exchange: Exchange) -> bool:
        """Return whether the credential that a request came with still lets it be asked."""
        now, found = self.credentials.found(exchange.headers), exchange.operation
        return now is not None and found is not None and now.may(found.scopes)

    def _encode_answer(
        self, operation: Operation[..., Any], result: Any
    ) -> tuple[int, bytes, Headers | None]:
        """Return status, body and further headers for what an operation gave."""
        if isinstance(result, Refusal):
            return 200, encode(result.body), None
        if isinstance(result, Replay):
            return _replayed_answer(result, operation)
        if operation.http.status == NO_CONTENT:
            return NO_CONTENT, b"", None
        return (
            operation.http.status,
            encode(result)
            if operation.http.bare
            else encode_enveloped(result, operation.http.wrap),
            None,
        )

    async def _refuse(self, exchange: Exchange, error: AppError) -> None:
        if exchange.status:
            return
        headers = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
        if isinstance(error, PayloadTooLarge):
            # the rest of the body is left unread, so no other request can follow it
            headers.append((b"connection", b"close"))
        if isinstance(error, InsufficientScope) and not headers:
            headers += self.credentials.wanting(exchange, error)
        if _reads_pages(exchange):
            visit = Visit(exchange, self.parts, self.credentials, {})
            is_lost = isinstance(error, NotFound)
            await exchange.show(
                await notice(visit, "pages.nowhere", status=error.status, home=True)
                if is_lost
                else await failure(visit, error)
            )
            return
        await exchange.answer(error.status, encode(error.body), headers)


def _reads_pages(exchange: Exchange) -> bool:
    """Return whether a person at a browser waits for the answer, beside the API."""
    path = exchange.scope["path"]
    return not path.startswith((BASE, *FOR_APPLICATIONS)) and b"text/html" in exchange.headers.get(
        b"accept", b""
    )


def _replayed_answer(replay: Replay, operation: Operation[..., Any]) -> tuple[int, bytes, Headers]:
    """Return status, body and headers of an answer that was given before."""
    body = (
        replay.body
        if replay.status >= 400
        else encode_enveloped(Raw(replay.body), operation.http.wrap)
    )
    return replay.status, body, [(b"idempotency-replayed", b"true")]


async def _while_connected(receive: Receive, work: Coroutine[Any, Any, Any]) -> Any:
    """Return what the work gives; cancel it and raise ClientLeft when the client hangs up before.

    Who listens for that begins only once the work waits for something: most is done before.
    """
    asker, left = cast("asyncio.Task[Any]", asyncio.current_task()), False
    listener: asyncio.Task[None] | None = None

    async def listen() -> None:
        nonlocal left
        while (await receive())["type"] != "http.disconnect":
            pass
        left = True
        asker.cancel()

    def begin() -> None:
        nonlocal listener
        listener = asyncio.create_task(listen())

    beginning = asyncio.get_running_loop().call_soon(begin)
    try:
        return await work
    except asyncio.CancelledError:
        if not left:
            raise
        raise ClientLeft from None
    finally:
        beginning.cancel()
        if listener is not None:
            listener.cancel()
        if left:
            # the cancellation was our own and has become ClientLeft
            asker.uncancel()


def _require_file(exchange: Exchange) -> None:
    """Raise Malformed for a form: what would be kept is its envelope, not the file in it."""
    if exchange.headers.get(b"content-type", b"").lower().startswith(b"multipart/"):
        raise Malformed(
            "The body must be the bytes of the file, not a form. With curl: "
            "curl --data-binary @FILE -H 'Content-Type: TYPE' -H 'Authorization: Bearer "
            f"KEY' '…{exchange.scope['path']}?name=FILE'.",
            field="Content-Type",
        )
