"""What is done with several todos at once: done, another day or priority, deleted, taken back."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.many import Acts, Group, selected_in, tell
from app.interfaces.home.todos.todo_forms import day_named, due_on
from app.interfaces.home.todos.todo_view import todo_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/many", act, methods=["POST"]), ACTS.undo_route()]


@for_person
async def act(visit: Visit, person: Person) -> Response:
    """Do to the todos selected what the button says."""
    form = await form_of(visit)
    ids = selected_in(form, "todo", person)
    wanted, _, value = value_of(form, "do").partition(":")
    if wanted == "day":
        value = (value_of(form, "date") or "?") if value == "date" else value
        day_named(person, value)
    outcome = await ACTS.do(person, wanted, dict.fromkeys(ids, value))
    told = person.words(f"many.did_{wanted}", n=outcome.done)
    return tell(person, back_of(visit, form), outcome, told)


async def _complete(person: Person, id_: int, _: str) -> list[Group]:
    done = await person.call("complete_todo", id=id_)
    return [("" if done.next is None else str(done.next.id), id_)]


async def _reopen(person: Person, id_: int, after: str) -> list[Group]:
    """Open a todo again; the next one of its series that ticking made goes to the trash."""
    await person.call("edit_todo", id=id_, completed=False)
    if next_one := as_number(after):
        await person.call("delete_todo", id=next_one)
    return [("", id_)]


async def _move(person: Person, id_: int, named: str) -> list[Group]:
    before = todo_of((await person.call("get_todo", id=id_)).todo).due_date
    due = due_on(person, before, day_named(person, named))
    await person.call("edit_todo", id=id_, dueDate=due)
    return [(before or "", id_)]


async def _give_due(person: Person, id_: int, due: str) -> list[Group]:
    await person.call("edit_todo", id=id_, dueDate=due or None)
    return []


async def _weigh(person: Person, id_: int, priority: str) -> list[Group]:
    before = (await person.call("get_todo", id=id_)).todo.priority
    await person.call("edit_todo", id=id_, priority=as_number(priority) or 0)
    return [(str(before), id_)]


async def _title(person: Person, id_: int) -> str:
    return str((await person.call("get_todo", id=id_)).todo.title)


ACTS = Acts(
    "todo",
    _title,
    {
        "done": (_complete, "open"),
        "open": (_reopen, "done"),
        "day": (_move, "due"),
        "due": (_give_due, "due"),
        "priority": (_weigh, "priority"),
    },
)
