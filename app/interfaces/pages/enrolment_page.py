"""The page on which a user lets a device into raw memory, or does not."""

from typing import Any
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.errors import NotFound, QuotaExceeded, RequestExpired, RequestNotPending, Unauthorized
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import notice, page, told_as_page
from app.interfaces.pages.sign_in_page import SIGN_IN
from app.interfaces.pages.visit import Visit

ENROL = "/raw-memory/enrol"
WHY = "A device asks to store encrypted records here. Sign in to see which one."
AGAIN = "Run `hearth vault enrol` on the device again."
COMPARE = "Compare the fingerprint with the one that the device shows, and tick the box."


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
    yes = value_of(form, "decision") == "approve"
    if yes and value_of(form, "same") != "yes":
        return await _shown(visit, id_, trouble=COMPARE)
    try:
        await visit.parts.call(
            me, "decide_enrolment", {"id": id_, "decision": "approve" if yes else "deny"}
        )
    except (NotFound, RequestExpired, RequestNotPending):
        return await _shown(visit, id_)
    except QuotaExceeded as error:
        return await _shown(visit, id_, trouble=error.message)
    if not yes:
        return await notice("Not let in", "The device gets nothing. It will hear that you said no.")
    return await notice(
        "The device is let in",
        "It can store records now, and fetch them, but open none yet. Go back to it: it says what "
        "is still to do.",
    )


async def _shown(visit: Visit, id_: str, *, trouble: str = "") -> Response:
    here = f"{ENROL}?id={quote(id_, safe='')}"
    me = visit.session_caller()
    if me is None:
        return await sign_in_page.shown(next_=here, why=WHY, status=401)
    try:
        found = await visit.parts.call(OPERATOR, "waiting_enrolment", {"id": id_})
    except NotFound:
        visit.guessed_page()
        return await notice("There is no such request", AGAIN, status=404)
    if found.status != "pending":
        return await _ended(found)
    return await page(
        "enrol",
        status=400 if trouble else 200,
        id=id_,
        device=found.name,
        fingerprint=found.fingerprint,
        username=me.username,
        switch=f"{SIGN_IN}?next={quote(here, safe='')}",
        trouble=trouble,
    )


async def _ended(found: Any) -> Response:
    if found.status == "expired":
        return await notice(
            "This request has expired", "You have ten minutes to answer.", AGAIN, status=410
        )
    return await notice(
        "This has been answered already",
        "Each request is answered once. `hearth vault devices` lists the devices that are in.",
        status=409,
    )
