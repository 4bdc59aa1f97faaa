"""HTTP to servers of others: by checked connections, and never more than a limit at once."""

import ssl
from collections.abc import AsyncIterator

import httpcore2
import httpx2

from app.core.web import addresses
from app.core.web.addresses import FetchFailed, FetchPolicy
from app.core.web.http_connections import CheckedBackend

MOST_BYTES = 4 << 20
"""Of one answer."""
MOST_HEADERS = 200
_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.PoolTimeout, httpx2.PoolTimeout),
    (httpcore2.TimeoutException, httpx2.ReadTimeout),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.NetworkError, httpx2.ReadError),
    (httpcore2.ProtocolError, httpx2.RemoteProtocolError),
    (ssl.SSLError, httpx2.ConnectError),
    (OSError, httpx2.ConnectError),
    (FetchFailed, httpx2.ConnectError),
)
_KINDS = tuple(kind for kind, _ in _ERRORS)


class TooLarge(httpx2.ReadError):
    """An answer is longer than what is read of one."""


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to what a reach allows; `trouble` is the last refusal of an address."""

    def __init__(self, reach: FetchPolicy) -> None:
        self._reach = reach
        self._pools: dict[str, httpcore2.AsyncConnectionPool] = {}
        self.trouble: FetchFailed | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; what is packed is refused, since nobody knows its size."""
        request.headers["accept-encoding"] = "identity"
        try:
            target = addresses.parse_target(str(request.url), self._reach)
            addresses.require_nameable(target, self._reach)
            sent = httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
            found = await self._pool(target.scheme).handle_async_request(sent)
        except _KINDS as error:
            raise self.told(error) from error
        response = httpx2.Response(
            found.status,
            headers=found.headers[:MOST_HEADERS],
            stream=_Limited(found, self),
            extensions=found.extensions,
        )
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await found.aclose()
            raise httpx2.RemoteProtocolError(
                "The answer is compressed although that was not asked for."
            )
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()

    def _pool(self, scheme: str) -> httpcore2.AsyncConnectionPool:
        if scheme not in self._pools:
            self._pools[scheme] = httpcore2.AsyncConnectionPool(
                max_connections=16,
                keepalive_expiry=15.0,
                network_backend=CheckedBackend(self._reach, scheme),
            )
        return self._pools[scheme]

    def told(self, error: Exception) -> Exception:
        """Return a failure in the classes that the library above knows."""
        if isinstance(error, FetchFailed):
            self.trouble = error
        return next((told(str(error)) for kind, told in _ERRORS if isinstance(error, kind)), error)


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, found: httpcore2.Response, transport: CheckedTransport) -> None:
        self._found = found
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._found.aiter_stream():
                size += len(chunk)
                if size > MOST_BYTES:
                    break
                yield chunk
        except _KINDS as error:
            raise self._transport.told(error) from error
        if size > MOST_BYTES:
            raise TooLarge(f"The answer is longer than {MOST_BYTES >> 20} MiB.")

    async def aclose(self) -> None:
        await self._found.aclose()
