"""The page on which a user lets a device into raw memory, or does not."""

from typing import Any
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.errors import NotFound, QuotaExceeded, RequestExpired, RequestNotPending, Unauthorized
from app.interfaces.languages.said import said
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import notice, page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import Visit

ENROL = "/raw-memory/enrol"


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(ENROL, ask), Route(ENROL, hear, methods=["POST"])]


@told_as_page
async def ask(visit: Visit) -> Response:
    """Show which device asks; first the page to sign in, where nobody has."""
    return await _shown(visit, visit.query_params.get("id", ""))


@told_as_page
async def hear(visit: Visit) -> Response:
    """Take the answer that the form of the page holds."""
    form = await form_of(visit)
    id_ = value_of(form, "id")
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await _shown(visit, id_)
    say = await visit.words()
    yes = value_of(form, "decision") == "approve"
    if yes and value_of(form, "same") != "yes":
        return await _shown(visit, id_, trouble=say("pages.enrol.compare"))
    try:
        await visit.parts.call(
            me, "decide_enrolment", {"id": id_, "decision": "approve" if yes else "deny"}
        )
    except (NotFound, RequestExpired, RequestNotPending):
        return await _shown(visit, id_)
    except QuotaExceeded as error:
        return await _shown(visit, id_, trouble=said(say, error.message))
    if not yes:
        return await notice(visit, "pages.enrol.denied")
    return await notice(visit, "pages.enrol.let_in")


async def _shown(visit: Visit, id_: str, *, trouble: str = "") -> Response:
    here = f"{ENROL}?id={quote(id_, safe='')}"
    me = visit.session_caller()
    say = await visit.words()
    if me is None:
        why = say("pages.enrol.why")
        return await sign_in_page.shown(visit, next_=here, why=why, status=401)
    try:
        found = await visit.parts.call(OPERATOR, "waiting_enrolment", {"id": id_})
    except NotFound:
        visit.guessed_page()
        return await notice(visit, "pages.enrol.unknown", status=404)
    if found.status != "pending":
        return await _ended(visit, found)
    return await page(
        visit,
        "enrol",
        status=400 if trouble else 200,
        id=id_,
        device=found.name,
        fingerprint=found.fingerprint,
        username=me.username,
        switch=f"{SIGN_IN}?next={quote(here, safe='')}",
        trouble=trouble,
    )


async def _ended(visit: Visit, found: Any) -> Response:
    if found.status == "expired":
        again = (await visit.words())("pages.enrol.unknown.told")
        return await notice(visit, "pages.enrol.expired", again, status=410)
    return await notice(visit, "pages.enrol.answered", status=409)
