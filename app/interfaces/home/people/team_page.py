"""The team: its members and their roles, and invites, whose links are shown once."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people.people_page import show_people
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

TEAM = "/people/team"


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(TEAM, show),
        Route(TEAM, invite, methods=["POST"]),
        Route(TEAM + "/revoke", revoke, methods=["POST"]),
        Route(TEAM + "/role", give_role, methods=["POST"]),
        Route(TEAM + "/remove", remove, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the team."""
    return await _shown(person)


async def _shown(
    person: Person, *, made: Any = None, email: str = "", refused: AppError | None = None
) -> Response:
    return await show_people(
        person,
        "team",
        found=await person.call("read_team"),
        me=person.caller.username,
        made=made,
        email=email,
        refused=refused,
    )


@for_person
async def invite(visit: Visit, person: Person) -> Response:
    """Make an invite, and show its link this once: it is kept nowhere."""
    form = await form_of(visit)
    email, role = value_of(form, "email").strip(), value_of(form, "role") or "member"
    try:
        made = await person.call("invite_to_team", role=role, **({"email": email} if email else {}))
    except AppError as error:
        return await _shown(person, email=email, refused=error)
    return await _shown(person, made=made)


@for_person
async def revoke(visit: Visit, person: Person) -> Response:
    """Take an invite back."""
    form = await form_of(visit)
    await person.call("revoke_invite", id=number_of(form, "id"))
    return see(TEAM, did="invite_revoked")


@for_person
async def give_role(visit: Visit, person: Person) -> Response:
    """Give a member another role."""
    form = await form_of(visit)
    username, role = value_of(form, "username"), value_of(form, "role")
    changed = await person.call("change_member", username=username, role=role)
    return see(TEAM, did=f"now_{changed.member.role}", what=changed.member.name)


@for_person
async def remove(visit: Visit, person: Person) -> Response:
    """Take a member out of the team, or leave it."""
    form = await form_of(visit)
    username = value_of(form, "username")
    await person.call("remove_member", username=username)
    did = "team_left" if username == person.caller.username else "member_removed"
    return see(TEAM, did=did, what=value_of(form, "name"))
