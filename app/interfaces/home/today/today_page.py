"""Today: what is late and due, what waits for a yes, and what there is to know of the day."""

from starlette.responses import Response
from starlette.routing import Route

from app.core.random_tokens import new_uuid
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.today.approvals import approval_view
from app.interfaces.home.today.briefing import newest_briefing
from app.interfaces.home.today.day_sentence import day_sentence
from app.interfaces.home.today.day_strip import day_strip
from app.interfaces.home.today.matrix import matrix_of
from app.interfaces.home.today.meanwhile import meanwhile
from app.interfaces.home.todos.todo_list_page import list_page
from app.interfaces.pages import pages
from app.interfaces.pages.visit import Visit

MOST, MOST_ASKED = 25, 3


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/", show)]


async def show(visit: Visit) -> Response:
    """Show the day of whoever is signed in; a stranger is told what is here."""
    return await (pages.front(visit) if visit.session_caller() is None else _today(visit))


@for_person
async def _today(visit: Visit, person: Person) -> Response:
    late, late_total = await list_page(person, {"date": "overdue"}, MOST)
    day = {"completed": False, "date": person.dates.today.isoformat()}
    due, due_total = await list_page(person, day, MOST)
    asked = await person.call("list_escalations", limit=MOST_ASKED)
    strip = await day_strip(person)
    # What was due earlier today is late, and stands there.
    shown = {todo.id for todo in late}
    due_now = [todo for todo in due if todo.id not in shown]
    return await person.show(
        "today/today",
        place="today",
        parts=["todos", "today"],
        sentence=day_sentence(
            person.words,
            late=late_total,
            due=max(0, due_total - (len(due) - len(due_now))),
            meetings=sum(not piece.is_todo for piece in strip.pieces),
            questions=asked.pending_count,
        ),
        late=late,
        late_total=late_total,
        due=due_now,
        due_total=due_total,
        approvals=[approval_view(person, one) for one in asked.escalations],
        approvals_total=asked.pending_count,
        strip=strip,
        matrix=await matrix_of(person),
        briefing=await newest_briefing(person),
        events=await meanwhile(person),
        once=new_uuid(),
    )
