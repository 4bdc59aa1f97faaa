"""The page of the applications that a user has let in, where each can be disconnected."""

from starlette.responses import Response
from starlette.routing import Route

from app.account.oauth_grants import Grant
from app.core.caller import Caller
from app.errors import Unauthorized
from app.interfaces.languages.words import Words
from app.interfaces.oauth import rights
from app.interfaces.pages import sign_in_page
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.render_page import page, told_as_page
from app.interfaces.pages.visit import Visit

APPS = "/auth/apps"


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(APPS, show), Route(APPS, disconnect, methods=["POST"])]


@told_as_page
async def show(visit: Visit) -> Response:
    """Show what is connected."""
    try:
        return await _shown(visit, visit.signed_in())
    except Unauthorized:
        return await _sign_in(visit)


@told_as_page
async def disconnect(visit: Visit) -> Response:
    """Disconnect the application that the form names, and show what is left."""
    try:
        me = visit.signed_in()
    except Unauthorized:
        return await _sign_in(visit)
    id_ = _number(value_of(await form_of(visit), "id"))
    before = (await visit.parts.call(me, "list_grants", {})).grants
    await visit.parts.call(me, "revoke_grant", {"id": id_})
    ended = next((grant.client_name for grant in before if grant.id == id_), "")
    return await _shown(visit, me, ended=ended)


async def _shown(visit: Visit, me: Caller, *, ended: str = "") -> Response:
    found = (await visit.parts.call(me, "list_grants", {})).grants
    say = await visit.words()
    return await page(
        visit, "apps", username=me.username, ended=ended, apps=[_app(say, each) for each in found]
    )


async def _sign_in(visit: Visit) -> Response:
    say = await visit.words()
    return await sign_in_page.shown(visit, next_=APPS, why=say("consent.apps.why"), status=401)


def _app(say: Words, grant: Grant) -> dict[str, object]:
    used = grant.last_used_at
    return {
        "id": grant.id,
        "name": grant.client_name,
        "about": ", ".join(say(group.title) for group in rights.groups_of(grant.scopes)),
        "since": grant.created_at[:10],
        "used": None if used is None else f"{used[:10]}, {used[11:16]} UTC",
    }


def _number(text: str) -> int | str:
    """Return the number in a field, or the text for the operation to refuse."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else text
