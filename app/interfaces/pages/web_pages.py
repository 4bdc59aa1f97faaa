"""The pages for people: behind a share link, of a shared note, of an invite to a team.

And the few files that they are made of.
"""

import functools
import html
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.errors import Invalid, NotFound, Unauthorized
from app.interfaces.pages.visit import Visit

WEB = Path(__file__).parent.parent / "web"
FILES = {
    "pages.css": "text/css",
    "signing_in.js": "text/javascript",
    "guest.js": "text/javascript",
    "again.js": "text/javascript",
    "invite.js": "text/javascript",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors {ancestors}"
)
EMBEDDABLE = {
    "Content-Security-Policy": POLICY.format(ancestors="*"),
    "Cross-Origin-Resource-Policy": "cross-origin",
}
ALONE = {"Content-Security-Policy": POLICY.format(ancestors="'none'")}
SEEN_BY_NO_ROBOT = {"X-Robots-Tag": "noindex, nofollow"}


def routes() -> list[Route]:
    """Return the routes of the pages and their files."""
    return [
        Route("/a/{token}", guest),
        Route("/shared/{token}", shared),
        Route("/team/invites/{token}", invite),
        Route("/web/{name}", file),
    ]


async def guest(visit: Visit) -> Response:
    """Show the page on which guests of a link talk with its agent.

    It holds nothing of the link.
    """
    return await _page(visit, "look_behind_link", lambda _: _file("guest.html"), EMBEDDABLE)


async def shared(visit: Visit) -> Response:
    """Show the note of a link."""
    try:
        reader = visit.visitor()
        more = {} if reader is None else {"guest": reader}
        return await _page(visit, "read_shared_note", _note, EMBEDDABLE, **more)
    except Unauthorized:
        return _shown(_file("sign_in.html"), EMBEDDABLE, status=401)


async def invite(visit: Visit) -> Response:
    """Show the page on which an invite to a team is accepted."""
    return await _page(visit, "look_at_invite", _invite, ALONE)


async def file(visit: Visit) -> Response:
    """Return one of the files that pages are made of."""
    name = visit.path_params["name"]
    if name not in FILES:
        raise NotFound("There is nothing at this path.")
    return Response(
        _file(name),
        media_type=f"{FILES[name]}; charset=utf-8",
        headers={"Cache-Control": "no-cache"},
    )


async def _page(
    visit: Visit, name: str, made: Any, headers: Mapping[str, str], **more: Any
) -> Response:
    """Show what a page makes of the operation's answer.

    Of a link that does not hold, that there is nothing.
    """
    try:
        fields = {"token": visit.path_params["token"], **more}
        found = await visit.parts.call(OPERATOR, name, fields)
    except (NotFound, Invalid):
        visit.guessed_page()
        return _shown(_file("missing.html"), headers, status=404)
    return _shown(made(found), headers)


def _note(found: Any) -> str:
    """Return the page of a note; its content is the sanitised HTML in which every reader gets
    it."""
    return _filled(
        "shared.html",
        content=found.content,
        title=found.title,
        owner=found.owner_name,
        changed=found.updated_at[:10],
    )


def _invite(found: Any) -> str:
    return _filled(
        "invite.html", team=found.team_name, role=found.role, until=found.expires_at[:10]
    )


def _filled(name: str, *, content: str = "", **texts: str) -> str:
    """Return a page with texts in their places, where they stay texts, and with HTML that is
    sanitised already.
    """
    return Template(_file(name)).substitute(
        {key: html.escape(text) for key, text in texts.items()}, content=content
    )


def _shown(page: str, headers: Mapping[str, str], *, status: int = 200) -> Response:
    return Response(
        page, status, {**headers, **SEEN_BY_NO_ROBOT}, media_type="text/html; charset=utf-8"
    )


@functools.cache
def _file(name: str) -> str:
    return (WEB / name).read_text("utf-8")
