"""Who one is here, how things are kept, and where one is signed in."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.caller import OPERATOR
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.settings.section import SETTINGS, show_section
from app.interfaces.languages.words import languages
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

NUMBERS = ("replanPerDay", "trashDays", "snapshotKeep", "escalationTtlHours")


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(SETTINGS, show),
        Route(SETTINGS + "/save", save, methods=["POST"]),
        Route(SETTINGS + "/sign-out", sign_out, methods=["POST"]),
        Route(SETTINGS + "/sessions/link", link, methods=["POST"]),
        Route(SETTINGS + "/sessions/{id}/end", end, methods=["POST"]),
        Route(SETTINGS + "/sessions/end", end_all, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the account and its sessions."""
    return await _shown(visit, person)


async def _shown(visit: Visit, person: Person, *, link: str = "") -> Response:
    username = person.caller.username
    sessions = await visit.parts.call(OPERATOR, "user_sessions", {"username": username})
    return await show_section(
        person,
        "account",
        settings=(await person.call("read_settings")).settings,
        username=username,
        languages=languages(),
        sessions=sessions.sessions,
        here=person.caller.credential,
        link=link,
    )


@for_person
async def save(visit: Visit, person: Person) -> Response:
    """Keep what the form holds."""
    form = await form_of(visit)
    fields: dict[str, Any] = {
        "name": value_of(form, "name"),
        "agentName": value_of(form, "agentName") or None,
        "email": value_of(form, "email") or None,
        "timezone": value_of(form, "timezone"),
        "locale": value_of(form, "locale"),
        "inboxFrom": value_of(form, "inboxFrom"),
        **{name: number_of(form, name) for name in NUMBERS},
    }
    await person.call("change_settings", **fields)
    return see(SETTINGS, did="saved")


@for_person
async def link(visit: Visit, person: Person) -> Response:
    """Make a link that signs in once, for another browser of the same person."""
    fields = {"username": person.caller.username}
    made = await visit.parts.call(OPERATOR, "make_sign_in_code", fields)
    return await _shown(visit, person, link=f"{visit.origin}/auth/sign-in#code={made.code}")


@for_person
async def end(visit: Visit, person: Person) -> Response:
    """End one session."""
    fields = {"username": person.caller.username, "id": visit.number_in_path()}
    await visit.parts.call(OPERATOR, "end_session", fields)
    return see(SETTINGS, did="session_ended")


@for_person
async def end_all(visit: Visit, person: Person) -> Response:
    """End every session, this one too."""
    await visit.parts.call(OPERATOR, "end_sessions", {"username": person.caller.username})
    visit.keep_session("")
    return see("/auth/sign-in")


@for_person
async def sign_out(visit: Visit, person: Person) -> Response:
    """End this session."""
    fields = {"username": person.caller.username, "id": person.caller.credential}
    await visit.parts.call(OPERATOR, "end_session", fields)
    visit.keep_session("")
    return see("/")
