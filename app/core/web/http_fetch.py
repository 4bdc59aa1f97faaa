"""Fetch from an address that a user gave, or send to it: the functions that ask for any."""

from app.core.web.addresses import Answered, Fetched, FetchPolicy, parse_target


async def fetch(
    url: str,
    reach: FetchPolicy,
    *,
    most: int,
    seconds: float,
    accept: str = "*/*",
    headers: dict[str, str] | None = None,
) -> Fetched:
    """Ask for an address and give the first `most` bytes that it holds, after at most five
    redirects; raise FetchFailed.
    """
    from app.core.web import (
        http_connections,
    )  # a quarter of a second's import, so only once something is fetched

    return await http_connections.fetch(
        parse_target(url, reach),
        reach,
        most=most,
        seconds=seconds,
        headers={"Accept": accept, **(headers or {})},
    )


async def post(
    url: str, reach: FetchPolicy, *, body: bytes, seconds: float, headers: dict[str, str]
) -> Answered:
    """Send a body to an address and return how it answers, wherever that redirects; raise
    FetchFailed.
    """
    from app.core.web import http_connections  # as above

    return await http_connections.post(
        parse_target(url, reach), reach, body=body, seconds=seconds, headers=headers
    )
