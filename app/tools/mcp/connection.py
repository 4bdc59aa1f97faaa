"""One open connection to a server, by the official client; see `connections` for who keeps them.

A task of its own opens and closes it, as the client must be left where it was entered.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import httpx2
from mcp import types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, REQUEST_TIMEOUT
from pydantic import TypeAdapter, ValidationError

from app.core.process.progress import Tell, listener
from app.core.web.addresses import FetchFailed, FetchPolicy
from app.tools.mcp import challenge, stdio_process
from app.tools.mcp.challenge import Challenge
from app.tools.mcp.checked_transport import CheckedTransport, TooLarge
from app.tools.mcp.config import McpConfig
from app.tools.mcp.definitions import clean_line
from app.tools.mcp.failures import McpFailed, NeedsLogin
from app.tools.mcp.token_auth import TokenAuth

OPEN_SECONDS = 30.0
LIST_SECONDS = 30.0
CALL_SECONDS = 120.0
IDLE_SECONDS = 300.0
LONGEST_SAID = 200
MOST_ROUNDS = 10
"""So often a server may ask to be called again with what it has kept of a call."""
MOST_PAGES = 50
MOST_LISTED = 5_000
INFO = types.Implementation(name="hearth", title="Hearth", version="1")
ASKS = (
    "The server asks for an answer of a model or a person in the middle of its work, which is "
    "not given to servers."
)
_RESULTS: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
logging.getLogger("mcp.client").setLevel(logging.CRITICAL)  # it logs what servers say, unmarked
logging.getLogger("client").setLevel(logging.CRITICAL)


class Connection:
    """A connection to a server; `generation` is that of the configuration it was opened with."""

    def __init__(
        self,
        generation: int,
        url: str,
        config: McpConfig,
        reach: FetchPolicy,
        auth: TokenAuth | None,
        on_changed: Callable[[], None],
    ) -> None:
        self.generation = generation
        self._url = url
        self._config = config
        self._reach = reach
        self._auth = auth
        self._on_changed = on_changed
        self._client: Client | None = None
        self._program: stdio_process.Program | None = None
        self._transport: CheckedTransport | None = None
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._used_at = 0.0
        self._running = 0
        self._challenge: Challenge | None = None
        self._end: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        lives = self._program is None or self._program.is_running
        return self._client is not None and self._end is None and lives and not self._is_left

    @property
    def _is_left(self) -> bool:
        return self._leave.is_set() or self._task is None or self._task.done()

    async def open(self) -> None:
        """Connect; raise McpFailed."""
        self._task = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.shield(self._ready)
        except TimeoutError:
            await self.close()
            raise McpFailed(f"The server did not answer within {OPEN_SECONDS:g} seconds.") from None
        except asyncio.CancelledError:
            await self.close()
            raise
        except Exception as error:
            await self.close()
            raise self._told(error) from error

    async def close(self) -> None:
        """Leave the server; never raises."""
        self._leave.set()
        if self._task is not None:
            with contextlib.suppress(TimeoutError, asyncio.CancelledError, Exception):
                async with asyncio.timeout(2 * stdio_process.GRACE_SECONDS + 1):
                    await asyncio.shield(self._task)
            if not self._task.done():
                self._task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await self._task
        if self._ready.done() and not self._ready.cancelled():
            self._ready.exception()  # whoever waited has gone

    async def tools(self) -> list[Mapping[str, Any]]:
        """Return what the server offers, page by page; raise McpFailed."""
        found: list[Mapping[str, Any]] = []
        cursor: str | None = None
        async with self._used(LIST_SECONDS) as client:
            for _ in range(MOST_PAGES):
                page = await client.session.list_tools(
                    params=types.PaginatedRequestParams(cursor=cursor)
                )
                found += [
                    tool.model_dump(by_alias=True, mode="json", exclude_none=True)
                    for tool in page.tools[: MOST_LISTED - len(found)]
                ]
                cursor = page.next_cursor
                if cursor is None or len(found) >= MOST_LISTED:
                    return found
        raise McpFailed(f"The list of tools does not end after {MOST_PAGES} pages.")

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a tool as the server gave it; raise McpFailed.

        Whoever wants to know how far the work is hears what the server says of that.
        """
        tell = listener()
        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        async with self._used(CALL_SECONDS) as client:
            for _ in range(MOST_ROUNDS):
                # without the check by the server's own schema, whose patterns may never end
                result = await client.session.send_request(
                    types.CallToolRequest(params=params),
                    _RESULTS,
                    progress_callback=None if tell is None else _cleaned(tell),
                )
                if not isinstance(result, types.InputRequiredResult):
                    return result.model_dump(by_alias=True, mode="json", exclude_none=True)
                if result.input_requests:
                    raise McpFailed(ASKS)
                params = params.model_copy(update={"request_state": result.request_state})
        raise McpFailed(f"The server asked {MOST_ROUNDS} times to be called again.")

    @contextlib.asynccontextmanager
    async def _used(self, seconds: float) -> AsyncIterator[Client]:
        """Give the client for one use, and tell what goes wrong as McpFailed."""
        if self._client is None or not self.is_open:
            raise McpFailed("The server has ended.")
        self._running += 1
        try:
            async with asyncio.timeout(seconds):
                yield self._client
        except TimeoutError:
            raise McpFailed(f"The server did not answer within {seconds:g} seconds.") from None
        except McpFailed:
            raise
        except Exception as error:
            if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
                self._leave.set()
                await asyncio.wait([self._task] if self._task else [], timeout=1.0)
            raise self._told(error) from error
        finally:
            self._running -= 1
            self._used_at = asyncio.get_running_loop().time()

    async def _live(self) -> None:
        try:
            async with self._client_of() as client:
                self._client = client
                self._used_at = asyncio.get_running_loop().time()
                self._ready.set_result(None)
                while not await self._is_to_leave():
                    pass
        except asyncio.CancelledError as error:
            self._end = error
            raise
        except Exception as error:
            self._end = error
        finally:
            self._client = None
            if not self._ready.done():
                self._ready.set_exception(self._end or ConnectionError())

    async def _is_to_leave(self) -> bool:
        """Wait a while, and say whether to leave: asked for, ended or not used any more."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0 if self._program else 15.0):
                await self._leave.wait()
                return True
        idle = asyncio.get_running_loop().time() - self._used_at > IDLE_SECONDS
        ended = self._program is not None and not self._program.is_running
        return ended or (idle and not self._running)

    @contextlib.asynccontextmanager
    async def _client_of(self) -> AsyncIterator[Client]:
        async with contextlib.AsyncExitStack() as stack:
            if self._config.command is not None:
                self._program = await stdio_process.start(self._config)
                streams: Any = stdio_process.streams(self._program)
            else:
                self._transport = CheckedTransport(self._reach)
                http = httpx2.AsyncClient(
                    transport=self._transport,
                    headers={**self._config.headers, "User-Agent": "Hearth"},
                    auth=self._auth,
                    timeout=httpx2.Timeout(OPEN_SECONDS, read=CALL_SECONDS),
                    event_hooks={"response": [self._look]},
                    trust_env=False,
                )
                await stack.enter_async_context(http)
                streams = streamable_http_client(self._url, http_client=http)
            client = await stack.enter_async_context(
                Client(
                    streams,
                    client_info=INFO,
                    message_handler=self._hear,
                    read_timeout_seconds=CALL_SECONDS,
                    cache=None,
                )
            )
            if self._program is not None and not self._program.is_running:
                raise ConnectionError  # its end has cancelled the greeting, and been swallowed
            yield client

    async def _look(self, response: httpx2.Response) -> None:
        wanted = challenge.read(response.status_code, response.headers.get("www-authenticate", ""))
        if wanted is not None:
            self._challenge = wanted
        elif response.is_success and self._challenge is not None and not self._challenge.steps_up:
            self._challenge = None  # a new token has been accepted

    async def _hear(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._on_changed()

    def _told(self, error: BaseException) -> McpFailed:
        """Return a failure as a sentence; what the server says is cut and harmless."""
        causes = [*_causes(error), *_causes(self._end)]
        for kind in (NeedsLogin, McpFailed, TooLarge, FetchFailed):
            if found := next((one for one in causes if isinstance(one, kind)), None):
                return found if isinstance(found, McpFailed) else McpFailed(str(found))
        wanted, self._challenge = self._challenge, None
        if wanted is not None:
            return NeedsLogin(_wants(wanted), wanted)
        if self._transport is not None and self._transport.trouble is not None:
            return McpFailed(str(self._transport.trouble))
        if self._program is not None and self._program.trouble:
            return McpFailed(self._program.trouble)
        if self._program is not None and not self._program.is_running:
            said = self._program.said
            return McpFailed(f"The program has ended{f'; it said: {said}' if said else ''}.")
        if any(isinstance(one, httpx2.TransportError | OSError) for one in causes):
            return McpFailed("The server cannot be reached, or breaks off.")
        if any(isinstance(one, ValidationError) for one in causes):
            return McpFailed("The server answers in a way that is not of the protocol.")
        if isinstance(error, MCPError):
            if error.code == PARSE_ERROR:
                return McpFailed("The server answers in a way that is not of the protocol.")
            if error.code == REQUEST_TIMEOUT:
                return McpFailed("The server did not answer in time.")
            return McpFailed(f"The server refuses: {clean_line(error.message, 300)}")
        return McpFailed("The server cannot be used: it does not keep to the protocol.")


def _cleaned(tell: Tell) -> ProgressFnT:
    """Return a listener that hears a server's words harmless and short."""

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        if math.isfinite(progress) and (total is None or math.isfinite(total)):
            await tell(
                progress, total, None if message is None else clean_line(message, LONGEST_SAID)
            )

    return hear


def _wants(wanted: Challenge) -> str:
    if not wanted.steps_up:
        return "The server wants a login, or does not accept the one it was sent."
    named = f": {challenge.in_words(wanted.scopes)}" if wanted.scopes else ""
    return f"The server wants more rights than its login gave{named}. Authorize it again."


def _causes(error: BaseException | None) -> list[BaseException]:
    """Return an error, those of a group, and what they come from."""
    if error is None:
        return []
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    if error.__cause__ is not None:
        inner.append(error.__cause__)
    return [error, *(found for one in inner for found in _causes(one))]
