"""How a bridge speaks to its server: requests, refusals, and waiting until it is there again."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from app.commands.terminal.server_addresses import is_own_machine
from app.commands.terminal.terminal_safe import on_one_line

if TYPE_CHECKING:
    import httpx2 as httpx

SECONDS = 15.0
SILENT_SECONDS = 45.0
"""A stream that brings nothing so long is taken for dead; the server says something every 15 s."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 30.0
LONGEST_LINE = 1 << 20
HTTP_UNAUTHORIZED, HTTP_TOO_MANY, HTTP_FIRST_FAILURE = 401, 429, 500


class NotReached(Exception):
    """The server gave no answer, or none that counts; the same request may be sent again."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class Answered(Exception):
    """The server refused; `code` is its own word for why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class TokenEnded(Answered):
    """The device was removed, or its token replaced by a later pairing."""


class Client:
    """One credential's voice at one server; `transport` stands in for the network in tests."""

    transport: "httpx.AsyncBaseTransport | None" = None

    def __init__(self, server: str, credential: str = "") -> None:
        import httpx2 as httpx

        self.server = server
        self._http = httpx.AsyncClient(
            base_url=f"{server}/api/v1/",
            headers={"Authorization": f"Bearer {credential}"} if credential else {},
            timeout=SECONDS,
            transport=self.transport,
            trust_env=not is_own_machine(server),  # no proxy leads back here
            limits=httpx.Limits(max_connections=20, keepalive_expiry=20),
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def ask(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """Return the JSON that the server answers, None for none; raise NotReached or Answered."""
        import httpx2 as httpx

        sent: dict[str, Any] = {}
        if body is not None:
            try:
                sent["content"] = msgspec.json.encode(body)
            except UnicodeEncodeError:  # a command line may hold any bytes
                raise Answered(400, "invalid_request", "The text is not valid Unicode.") from None
            sent["headers"] = {"Content-Type": "application/json"}
        try:
            answer = await self._http.request(method, path, params=query or None, **sent)
            return self._read(answer)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise NotReached(f"{self.server} cannot be reached ({_why(error)})") from None

    @contextlib.asynccontextmanager
    async def stream(self, path: str, **query: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """Give the events of a stream as they come; raise NotReached or Answered."""
        import httpx2 as httpx

        patience = httpx.Timeout(SECONDS, read=SILENT_SECONDS)
        headers = {"Accept": "text/event-stream"}
        try:
            async with self._http.stream(
                "GET", path, params=query, headers=headers, timeout=patience
            ) as answer:
                if answer.status_code != httpx.codes.OK:
                    await answer.aread()
                    self._read(answer)
                    raise NotReached(f"{self.server} sends no stream of events")
                yield _events(answer.aiter_bytes())
        except (httpx.HTTPError, OSError) as error:
            raise NotReached(f"{self.server} cannot be reached ({_why(error)})") from None

    def _read(self, answer: "httpx.Response") -> Any:
        body = _parse(answer.content)
        if answer.is_success and body is not _NO_JSON:
            return body
        if answer.status_code == HTTP_TOO_MANY or answer.status_code >= HTTP_FIRST_FAILURE:
            wait = answer.headers.get("Retry-After", "")
            seconds = float(wait) if wait.isdecimal() else 0.0
            raise NotReached(f"{self.server} answered {answer.status_code}", seconds)
        if not isinstance(body, dict) or not isinstance(body.get("error"), str):
            raise NotReached(f"{self.server} answered {answer.status_code}, not as Hearth does")
        kind = TokenEnded if answer.status_code == HTTP_UNAUTHORIZED else Answered
        message = on_one_line(body.get("message") or body["error"], 500)
        raise kind(answer.status_code, on_one_line(body["error"], 100), message)


class Patience:
    """Waits between tries, longer each time, and tells once that a server is gone or back."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._gone = False

    async def ask(self, client: Client, method: str, path: str, body: Any = None) -> Any:
        """Ask until the server answers; raise Answered with what it refuses."""
        pauses = Pauses()
        while True:
            try:
                found = await client.ask(method, path, body)
            except NotReached as trouble:
                await self.wait(pauses, trouble)
            else:
                self.reached()
                return found

    async def wait(self, pauses: "Pauses", trouble: NotReached) -> None:
        """Tell of a trouble the first time, and wait before the next try."""
        if not self._gone:
            self._gone = True
            self._tell(f"{trouble}. Trying again until it answers.")
        await asyncio.sleep(max(pauses.next(), trouble.wait))

    def reached(self) -> None:
        """Note that the server has answered."""
        if self._gone:
            self._gone = False
            self._tell("The server answers again.")


class Pauses:
    """Seconds to wait, about twice as long each time, so that many devices do not come at once."""

    def __init__(self) -> None:
        self._longest = FIRST_PAUSE

    def next(self) -> float:
        """Return how long to wait this time."""
        now, self._longest = self._longest, min(self._longest * 2, LONGEST_PAUSE)
        return now * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


class Names:
    """The usernames of people, each asked for once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, str] = {}

    async def __call__(self, principal: str) -> str:
        """Return `@name` of a person, or the id where that cannot be learned now."""
        if principal not in self._known:
            try:
                found = await self._client.ask("GET", "local-agent/resolve-person", q=principal)
                self._known[principal] = f"@{found['handle']}"
            except (Answered, NotReached, KeyError, TypeError):
                return principal or "somebody"
        return self._known[principal]


_NO_JSON = object()


def _parse(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content) if content else None
    except (ValueError, RecursionError):
        return _NO_JSON


def _why(error: Exception) -> str:
    return on_one_line(str(error) or type(error).__name__, 200)


async def _events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Yield the data of each event; raise NotReached for a stream that is none of Hearth's."""
    buffer = b""
    async for chunk in chunks:
        buffer = (buffer + chunk).replace(b"\r\n", b"\n")
        while b"\n\n" in buffer:
            frame, buffer = buffer.split(b"\n\n", 1)
            lines = [one[5:] for one in frame.split(b"\n") if one.startswith(b"data:")]
            if lines and isinstance(event := _parse(b"\n".join(lines)), dict):
                yield event
        if len(buffer) > LONGEST_LINE:
            raise NotReached("The stream of events makes no sense")
