"""Show a page: a template on the one base, with headers that let in nothing but Hearth's own."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import Response

from app.core.process.lazy_import import lazy_import
from app.errors import AppError
from app.interfaces.languages.said import said, said_by
from app.interfaces.pages.visit import Visit

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
    visit: Visit,
    name: str,
    /,
    *,
    status: int = 200,
    headers: Mapping[str, str] = NO_HEADERS,
    **values: Any,
) -> Response:
    """Return the page that a template makes of the values, with the words `t` of its reader.

    It is not compressed: pages hold a person's notes beside what an address brings (a search, what
    was done), and the length of both compressed together tells who listens which words occur in
    the notes (BREACH). What could be gained is 25 KB of 30, once a page.
    """
    templating = await lazy_import("app.interfaces.pages.templating")
    words = await visit.words()
    return Response(
        templating.render(name, {"t": words, "said": said_by(words), **values}),
        status,
        {**HEADERS, **headers},
        media_type="text/html; charset=utf-8",
    )


async def notice(
    visit: Visit, name: str, /, *more: str, status: int = 200, home: bool = False, **values: object
) -> Response:
    """Return a page that says one thing, `title` and `told` of this name among the words, and then
    `more`; `home` with the way to the first page.
    """
    say = await visit.words()
    told = [say(f"{name}.told", **values)] if say.has(f"{name}.told") else []
    return await page(
        visit,
        "notice",
        status=status,
        title=say(f"{name}.title"),
        sentences=[*told, *(said(say, sentence) for sentence in more)],
        home=home,
    )


async def failure(visit: Visit, error: AppError) -> Response:
    """Return the page that tells what was refused."""
    response = await notice(visit, "pages.failed", error.message, status=error.status)
    response.headers.update(error.headers)
    return response


def told_as_page(answer: Answer) -> Answer:
    """Let a handler's failures be told as a page, for those who sit at a browser."""

    @functools.wraps(answer)
    async def told(*seen: Any) -> Response:
        try:
            return await answer(*seen)
        except AppError as error:
            return await failure(seen[-1], error)

    return told
