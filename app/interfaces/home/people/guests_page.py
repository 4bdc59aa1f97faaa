"""What guests of share links and one's own agent said to each other."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.talks import Line, linked_pieces
from app.interfaces.home.rendered import html_of
from app.interfaces.pages.visit import Visit

GUESTS = "/people/guests"
MOST, SHOWN = 50, 200


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(GUESTS, show), Route(GUESTS + "/{session}", show_one)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the conversations of guests, of one link or of all."""
    token, start = visit.query_params.get("link", ""), visit.number_asked("from")
    found = await person.call(
        "list_guest_conversations",
        limit=MOST,
        offset=start,
        **({"shareToken": token} if token else {}),
    )
    return await show_people(
        person,
        "guests",
        excerpt=excerpt,
        talks=found.conversations,
        token=token,
        until=start + len(found.conversations),
        has_more=len(found.conversations) == MOST,
    )


@for_person
async def show_one(visit: Visit, person: Person) -> Response:
    """Show what a guest asked and was answered."""
    before = visit.number_asked("before")
    found = await person.call(
        "read_guest_conversation",
        sessionId=visit.path_params["session"],
        limit=SHOWN,
        **({"before": before} if before else {}),
    )
    guest = found.visitor.name or person.words("people.some_guest")
    lines, day = [], None
    for each in found.messages:
        by_agent, date = each.role == "assistant", person.dates.local(each.created_at).date()
        lines.append(
            Line(
                each.id,
                by_agent,
                by_agent,
                person.words("people.your_agent") if by_agent else guest,
                html_of(each.content) if by_agent else "",
                [] if by_agent else linked_pieces(each.content),
                person.dates.time(each.created_at),
                "" if date == day else person.dates.day(date),
                begins=True,
                is_new=False,
            )
        )
        day = date
    return await show_people(
        person,
        "guest",
        found=found,
        lines=lines,
        has_more=bool(lines) and len(lines) == SHOWN,
        before=before,
    )
