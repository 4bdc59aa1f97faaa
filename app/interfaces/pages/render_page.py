"""Show a page: a template on the one base, with headers that let in nothing but Hearth's own."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import Response

from app.core.process.lazy_import import lazy_import
from app.errors import AppError

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "same-origin",
}
"""Within this server a form says where it comes from; nobody else hears it."""
NO_HEADERS: Mapping[str, str] = {}
Answer = Callable[..., Awaitable[Response]]


async def page(
    name: str, /, *, status: int = 200, headers: Mapping[str, str] = NO_HEADERS, **values: Any
) -> Response:
    """Return the page that a template makes of the values.

    It is not compressed: pages hold a person's notes beside what an address brings (a search, what
    was done), and the length of both compressed together tells who listens which words occur in
    the notes (BREACH). What could be gained is 25 KB of 30, once a page.
    """
    templating = await lazy_import("app.interfaces.pages.templating")
    return Response(
        templating.render(name, values),
        status,
        {**HEADERS, **headers},
        media_type="text/html; charset=utf-8",
    )


async def notice(title: str, *sentences: str, status: int = 200, home: bool = False) -> Response:
    """Return a page that says one thing; `home` with the way to the first page."""
    return await page("notice", status=status, title=title, sentences=sentences, home=home)


def told_as_page(answer: Answer) -> Answer:
    """Let a handler's failures be told as a page, for those who sit at a browser."""

    @functools.wraps(answer)
    async def told(*seen: Any) -> Response:
        try:
            return await answer(*seen)
        except AppError as error:
            response = await notice("That did not work", error.message, status=error.status)
            response.headers.update(error.headers)
            return response

    return told
