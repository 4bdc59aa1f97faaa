"""The pages behind links: talking as a guest, a shared note, an invite to a team."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.core.markdown import front_matter
from app.core.text import fold_name
from app.errors import Invalid, NotFound, Unauthorized
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.render_page import page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import FRAMES, Visit
from app.interfaces.reading.headings import fragment_of, last_heading
from app.interfaces.reading.leads import Leads, Named
from app.interfaces.reading.reading import read

INVITE = "/team/invites/{token}"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action {forms}; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors {ancestors}"
)
EMBEDDABLE = {
    "Content-Security-Policy": POLICY.format(forms="'none'", ancestors="*"),
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
}
ALONE = {"Content-Security-Policy": POLICY.format(forms="'self'", ancestors="'none'")}


def routes() -> list[Route]:
    """Return the routes of the pages."""
    return [
        Route("/a/{token}", guest),
        Route("/shared/{token}", shared),
        Route("/shared/{token}/pictures/{id}", picture),
        Route(INVITE, invite),
        Route(INVITE, join, methods=["POST"]),
    ]


async def guest(visit: Visit) -> Response:
    """Show the page on which guests of a link talk with its agent.

    It holds nothing of the link.
    """
    found = await _behind_link(visit, "look_behind_link")
    return await (_missing(visit) if found is None else _embeddable(visit, "guest"))


async def shared(visit: Visit) -> Response:
    """Show the note of a link."""
    try:
        found = await _behind_link(visit, "read_shared_note", _guest(visit))
    except Unauthorized:
        framed = visit.sent.get(b"sec-fetch-dest", b"") in FRAMES
        return await _embeddable(
            visit,
            "sign_in_first",
            status=401,
            sign_in=_sign_in(visit),
            target="_blank" if framed else "_top",
        )
    return await (_missing(visit) if found is None else _note(visit, found))


async def picture(visit: Visit) -> Response | None:
    """Give a picture of the note of a link."""
    fields = {"id": visit.number_in_path(), **_guest(visit)}
    found = await _behind_link(visit, "download_shared_picture", fields)
    if found is None:
        raise NotFound("There is nothing at this path.")
    await visit.exchange.download(found)
    return None  # it is sent


@told_as_page
async def invite(visit: Visit) -> Response:
    """Show the page on which an invite to a team is accepted."""
    me = visit.session_caller()
    found = await _behind_link(visit, "look_at_invite")
    if found is None:
        return await page(visit, "missing", status=404, headers=ALONE)
    return await page(
        visit,
        "invite",
        headers=ALONE,
        team=found.team_name,
        role=found.role,
        until=found.expires_at[:10],
        username="" if me is None else me.username,
        sign_in=_sign_in(visit),
        address=visit.url.path,
    )


@told_as_page
async def join(visit: Visit) -> Response:
    """Join the team of an invite, and say so."""
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await sign_in_page.shown(visit, next_=visit.url.path, status=401)
    try:
        fields = {"token": visit.path_params["token"]}
        joined = await visit.parts.call(me, "accept_invite", fields)
    except NotFound:
        visit.guessed_page()
        return await page(visit, "missing", status=404, headers=ALONE)
    return await page(visit, "joined", headers=ALONE, team=joined.team.name, role=joined.role)


async def _behind_link(visit: Visit, name: str, more: Mapping[str, Any] | None = None) -> Any:
    """Return the operation's answer for the link in the address; None for one that does not
    hold, which counts as a guess.
    """
    try:
        fields = {"token": visit.path_params["token"], **(more or {})}
        return await visit.parts.call(OPERATOR, name, fields)
    except (NotFound, Invalid):
        visit.guessed_page()
        return None


def _guest(visit: Visit) -> dict[str, int]:
    """Return who is signed in, as the field of an operation."""
    reader = visit.visitor()
    return {} if reader is None else {"guest": reader}


class _GuestLeads(Leads):
    """What a guest can follow: headings of the note, and its pictures."""

    def __init__(self, found: Any, place: str) -> None:
        self._title = fold_name(found.title)
        self._pictures = frozenset(found.pictures)
        self._place = place

    def file(self, number: int) -> str:
        """Return the address of a picture of the note."""
        return f"{self._place}/pictures/{number}" if number in self._pictures else ""

    def named(self, target: str) -> Named:
        """Return the heading that a link to the note itself leads to."""
        named = super().named(target)
        name = target[: len(target) - len(named.heading)].rstrip("# ")
        own = fold_name(name) == self._title
        return named._replace(address=fragment_of(last_heading(named.heading)) if own else "")


async def _note(visit: Visit, found: Any) -> Response:
    """Show a note as its owner reads it, but for what its links lead to."""
    text = found.markdown[front_matter.body_start(found.markdown) :]
    leads = _GuestLeads(found, visit.url.path)
    return await _embeddable(
        visit,
        "shared",
        reading=await read(text, leads, title=found.title),
        title=found.title,
        owner=found.owner_name,
        changed=found.updated_at[:10],
    )


async def _missing(visit: Visit) -> Response:
    return await _embeddable(visit, "missing", status=404)


async def _embeddable(visit: Visit, name: str, /, *, status: int = 200, **values: Any) -> Response:
    """Show a page that those of other sites may hold in a frame."""
    response = await page(visit, name, status=status, headers=EMBEDDABLE, **values)
    del response.headers["X-Frame-Options"]
    return response


def _sign_in(visit: Visit) -> str:
    return f"{SIGN_IN}?next={quote(visit.url.path, safe='')}"
