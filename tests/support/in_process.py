"""A client of the server in this process, without what one of a network needs for each request."""

import asyncio
import functools
from json import dumps  # by its own name: tests put another into the module
from typing import Any, NamedTuple

import httpx2 as httpx

SENT_WITH_BODY = {"POST", "PUT", "PATCH"}


class InProcess(httpx.AsyncClient):
    """The client of httpx, whose plain requests go to the application straight away.

    Nothing differs for either side. Two thirds of such a request were spent in httpx, and half the
    time of the tests of the contract.
    """

    def __init__(self, asgi: Any, base: str, headers: dict[str, str]) -> None:
        # a failure of the server is an answer to this one
        transport = httpx.ASGITransport(app=asgi, raise_app_exceptions=False)
        super().__init__(transport=transport, base_url=base, headers=headers)
        self._asgi = asgi

    async def request(  # type: ignore[override]
        self,
        method: str,
        url: Any,
        *,
        content: Any = None,
        json: Any = None,
        params: Any = None,
        headers: Any = None,
        **more: Any,
    ) -> httpx.Response:
        """Send a request as httpx does; one with cookies, forms or streams by httpx itself."""
        special = any(value not in (None, httpx.USE_CLIENT_DEFAULT) for value in more.values())
        if special or self.cookies or type(url) is not str or not isinstance(content, Body):
            return await super().request(
                method, url, content=content, json=json, params=params, headers=headers, **more
            )
        target = _target(str(self.base_url), url)
        if params is not None:
            target = _parts(httpx.URL(target.url, params=params))
        body = b""
        if content is not None:
            body = content.encode() if isinstance(content, str) else content
        elif json is not None:
            body = dumps(json, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        raw = (self.headers if headers is None else _both(self.headers, headers)).raw
        lines = [(name.lower(), value) for name, value in raw]
        names = {name for name, _ in lines}
        if b"host" not in names:
            lines.insert(0, (b"host", target.host))
        if body or method in SENT_WITH_BODY:
            if not names & {b"content-length", b"transfer-encoding"}:
                lines.append((b"content-length", b"%d" % len(body)))
            if content is None and json is not None and b"content-type" not in names:
                lines.append((b"content-type", b"application/json"))
        answer = await _ask(self._asgi, {**target.scope, "method": method, "headers": lines}, body)
        answer.sent = functools.partial(
            httpx.Request, method, target.url, headers=lines, content=body
        )
        if "content-encoding" in answer.headers:
            await answer.aread()
        if "set-cookie" in answer.headers:
            self.cookies.extract_cookies(answer)
        return answer


Body = str | bytes | None


class Target(NamedTuple):
    """Where a request goes."""

    url: httpx.URL
    host: bytes
    scope: dict[str, Any]


class Answer(httpx.Response):
    """An answer whose request is made when somebody looks at it."""

    sent: Any = None

    @property
    def request(self) -> httpx.Request:
        """The request that was answered."""
        if self._request is None:
            self._request = self.sent()
        return self._request


@functools.lru_cache(maxsize=2_000)
def _target(base: str, url: str) -> Target:
    wanted = httpx.URL(url)
    if wanted.is_relative_url:
        below = httpx.URL(base)
        path = below.raw_path.rstrip(b"/") + b"/" + wanted.raw_path.lstrip(b"/")
        wanted = below.copy_with(raw_path=path)
    return _parts(wanted)


def _parts(url: httpx.URL) -> Target:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": url.scheme,
        "path": url.path,
        "raw_path": url.raw_path.split(b"?")[0],
        "query_string": url.query,
        "server": (url.host, url.port),
        "client": ("127.0.0.1", 123),
        "root_path": "",
    }
    return Target(url, url.netloc, scope)


def _both(own: httpx.Headers, more: Any) -> httpx.Headers:
    merged = httpx.Headers(own)
    merged.update(more)
    return merged


async def _ask(asgi: Any, scope: dict[str, Any], body: bytes) -> Answer:
    """Return what the application answers; a failure of it is a 500."""
    waiting = [
        {"type": "http.request", "body": body, "more_body": True},
        {"type": "http.request", "body": b"", "more_body": False},
    ]
    complete = asyncio.Event()
    begun: dict[str, Any] = {}
    parts: list[bytes] = []

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop(0)
        await complete.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert not begun
            begun.update(message)
            return
        assert not complete.is_set()
        if scope["method"] != "HEAD":
            parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            complete.set()

    try:
        await asgi(scope, receive, send)
    except Exception:
        complete.set()
        begun = {"status": 500, **begun}
    assert complete.is_set()
    headers = begun.get("headers", [])
    whole = b"".join(parts)
    answer = Answer(begun["status"], headers=headers, stream=httpx.ByteStream(whole))
    if "content-encoding" not in answer.headers:
        answer._content = whole
        answer.is_closed = answer.is_stream_consumed = True
    return answer
