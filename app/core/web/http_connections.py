"""The connections of fetches.

A name is resolved once, all its addresses are checked, and just those are connected to.
"""

import asyncio
import contextlib
import functools
import ipaddress
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import httpcore2
from msgspec import structs

from app.core.web.addresses import (
    MOST_REDIRECTS,
    NOT_PUBLIC,
    Address,
    Answered,
    Fetched,
    FetchFailed,
    FetchPolicy,
    NotAllowed,
    Target,
    follow_redirect,
    is_public,
    unwrap_address,
)

REDIRECTS = frozenset({301, 302, 303, 307, 308})
BACKEND = httpcore2.AnyIOBackend
SHORT_BODY, SHORT_SECONDS = 16 << 10, 1.0
"""Of the answer to what was sent, so much is waited for."""


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to nothing that a reach does not allow, whatever a name resolves to."""

    def __init__(self, reach: FetchPolicy, scheme: str) -> None:
        self._reach = reach
        self._scheme = scheme
        self._inner = BACKEND()
        self.is_public = True

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address of a name that answers, once all of them are known to be
        allowed.
        """
        found = await resolve(host, port)
        if not found or not all(self._reach.allows(one, port) for one in found):
            # one sentence for both, so that nobody finds out which names there are inside
            raise NotAllowed(
                f"The address of {host} is not fetched: it is not known, or {NOT_PUBLIC}."
            )
        leads_outside = [is_public(unwrap_address(address)) for address in found]
        self.is_public = all(leads_outside)
        if self._scheme == "http" and not self._reach.plain and any(leads_outside):
            raise NotAllowed(
                "The address must begin with https://; plain http is for this machine and "
                "private networks only."
            )
        trouble: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in found:
            try:
                return await self._inner.connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                trouble = error
        raise FetchFailed(f"The host {host} cannot be reached.") from trouble

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: nothing is fetched from a socket in the file system."""
        raise NotAllowed("Sockets of this machine cannot be fetched from.")

    async def sleep(self, seconds: float) -> None:
        """Wait between two tries."""
        await asyncio.sleep(seconds)


async def fetch(
    target: Target, reach: FetchPolicy, *, most: int, seconds: float, headers: dict[str, str]
) -> Fetched:
    """Ask for a checked address and what it redirects to; raise FetchFailed."""
    named, only_public = target.host, True
    with _told_failures(lambda: named, seconds):
        async with asyncio.timeout(seconds):
            for _ in range(MOST_REDIRECTS + 1):
                named = target.host
                found = await _request(target, reach, most=most, headers=headers)
                only_public = only_public and found.is_public
                leads_on = found.status in REDIRECTS and "location" in found.headers
                if not leads_on or not reach.follows:
                    return structs.replace(found, is_public=only_public)
                before, target = target, follow_redirect(target, found.headers["location"], reach)
                if (before.host, before.port) != (target.host, target.port):
                    # nobody else sends us to this machine
                    reach = structs.replace(reach, loopback=False)
    raise FetchFailed(f"The host {named} redirects more than {MOST_REDIRECTS} times.")


async def post(
    target: Target, reach: FetchPolicy, *, body: bytes, seconds: float, headers: dict[str, str]
) -> Answered:
    """Send a body to a checked address, and to nothing that it redirects to; raise FetchFailed."""
    with _told_failures(lambda: target.host, seconds):
        async with (
            asyncio.timeout(seconds),
            _pool(target, reach) as (pool, _),
            pool.stream(
                "POST", target.url, headers=_headers(target, headers), content=body
            ) as response,
        ):
            await _pass_over_body(response)
            return Answered(response.status, _given(response))


@contextlib.contextmanager
def _told_failures(named: Callable[[], str], seconds: float) -> Iterator[None]:
    """Raise FetchFailed, which names the host, for what the network fails with."""
    try:
        yield
    except TimeoutError:
        raise FetchFailed(
            f"The host {named()} did not answer within {seconds:g} seconds."
        ) from None
    except (
        httpcore2.NetworkError,
        httpcore2.TimeoutException,
        httpcore2.ProtocolError,
        OSError,
        zlib.error,
    ):
        raise FetchFailed(f"The host {named()} did not answer in a way that can be used.") from None


async def _pass_over_body(response: httpcore2.Response) -> None:
    """Read what a short answer holds, so that its sender sees no broken connection."""
    read = 0
    with contextlib.suppress(TimeoutError, httpcore2.NetworkError, httpcore2.ProtocolError):
        async with asyncio.timeout(SHORT_SECONDS):
            async for chunk in response.aiter_stream():
                read += len(chunk)
                if read > SHORT_BODY:
                    return


async def resolve(host: str, port: int) -> list[Address]:
    """Return every address of a name, as the system knows them."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(
        # a link-local address has its zone behind it, as in fe80::1%eth0
        dict.fromkeys(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found)
    )


async def _request(
    target: Target, reach: FetchPolicy, *, most: int, headers: dict[str, str]
) -> Fetched:
    sent = _headers(target, {"Accept-Encoding": "gzip", **headers})
    async with (
        _pool(target, reach) as (pool, backend),
        pool.stream("GET", target.url, headers=sent) as response,
    ):
        given = _given(response)
        if response.status in REDIRECTS:
            return Fetched(
                target.url, response.status, given, b"", is_cut=False, is_public=backend.is_public
            )
        body, is_cut = await _read_body(response, given.get("content-encoding", "identity"), most)
        return Fetched(target.url, response.status, given, body, is_cut, backend.is_public)


@contextlib.asynccontextmanager
async def _pool(
    target: Target, reach: FetchPolicy
) -> AsyncIterator[tuple[httpcore2.AsyncConnectionPool, CheckedBackend]]:
    """Yield the connection of one request alone: what another may reach can differ."""
    backend = CheckedBackend(reach, target.scheme)
    async with httpcore2.AsyncConnectionPool(
        _tls() if target.scheme == "https" else None, max_connections=1, network_backend=backend
    ) as pool:
        yield pool, backend


@functools.cache
def _tls() -> ssl.SSLContext:
    """Return what all connections check certificates with: reading those of the system takes 20
    ms.
    """
    return httpcore2.default_ssl_context()


def _headers(target: Target, headers: dict[str, str]) -> list[tuple[str, str]]:
    return list({"Host": _authority(target), "User-Agent": "Hearth", **headers}.items())


def _given(response: httpcore2.Response) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
    }


async def _read_body(response: httpcore2.Response, encoding: str, most: int) -> tuple[bytes, bool]:
    """Return at most so many bytes of a body, unpacked, and whether there are more."""
    encoding = encoding.strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
        raise FetchFailed("The answer is compressed in an unknown way.")
    # 47: 32 tells zlib to find out whether it is gzip or deflate, 15 is the largest window
    unpacker = zlib.decompressobj(wbits=47) if encoding not in ("identity", "") else None
    found = bytearray()
    async for chunk in response.aiter_stream():
        found += unpacker.decompress(chunk, most + 1 - len(found)) if unpacker else chunk
        if len(found) > most:
            return bytes(found[:most]), True
    return bytes(found), False


def _authority(target: Target) -> str:
    return target.url.split("/", 3)[2]
