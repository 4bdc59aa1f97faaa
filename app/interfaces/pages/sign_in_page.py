"""The page at which a person signs in, without a script."""

import re
from urllib.parse import unquote

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, Forbidden, InsufficientScope, RateLimited, Unauthorized
from app.interfaces.languages.said import said
from app.interfaces.pages import sign_in
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import HEADERS, page, told_as_page
from app.interfaces.pages.visit import Visit

SIGN_IN = "/auth/sign-in"
OWN_PAGE = re.compile(r"/(?![/\\])[!-\[\]-~]{0,8000}")
CODE = re.compile(r"[0-9A-Za-z]{4}([- ]?)[0-9A-Za-z]{4}\1[0-9A-Za-z]{4}")
READS_FRAGMENT = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"] + "; script-src 'self'"
}
"""A link may bring a code in its fragment, which only a script can read."""


def routes() -> list[Route]:
    """Give the routes of the form."""
    return [Route(SIGN_IN, show), Route(SIGN_IN, hear, methods=["POST"])]


async def shown(
    visit: Visit, *, next_: str, why: str = "", trouble: str = "", username: str = "", status: int
) -> Response:
    """Show the form; `next_` is the page of this server to go on to."""
    say = await visit.words()
    return await page(
        visit,
        "sign_in",
        status=status,
        headers=READS_FRAGMENT,
        next=next_,
        why=why or say("pages.sign_in.usual"),
        trouble=said(say, trouble),
        username=username,
    )


@told_as_page
async def show(visit: Visit) -> Response:
    """Show the form."""
    me = visit.session_caller()
    return await shown(
        visit,
        next_=own_page(visit.query_params.get("next", "")),
        username="" if me is None else me.username,
        status=200,
    )


@told_as_page
async def hear(visit: Visit) -> Response:
    """Begin a session with what the form holds, and go on to the page that asked for it."""
    form = await form_of(visit)
    if not visit.credentials.guard.is_own_page(visit.sent, visit.scheme):
        raise Forbidden("Sign in at the page of this very server.")
    given = value_of(form, "secret").strip()
    next_ = own_page(value_of(form, "next"))
    field = "code" if CODE.fullmatch(given) else "key"
    asked = {field: given, "timezone": value_of(form, "timezone")}
    try:
        visit.keep_session(await sign_in.begin(visit, asked))
    except (Unauthorized, InsufficientScope, RateLimited) as error:
        return await _refused(visit, next_, error)
    say = await visit.words()
    return await page(
        visit,
        "leaving",
        title=say("pages.signed_in.title"),
        words=say("pages.signed_in.told"),
        address=next_,
        link=say("pages.go_on"),
    )


async def _refused(visit: Visit, next_: str, error: AppError) -> Response:
    response = await shown(visit, next_=next_, trouble=error.message, status=error.status)
    response.headers.update(error.headers)
    return response


def own_page(address: str) -> str:
    """Return a page of this server to go on to: the one that is named, else the first."""
    is_own = OWN_PAGE.fullmatch(address) and "\\" not in unquote(address.partition("?")[0])
    return address if is_own else "/"
