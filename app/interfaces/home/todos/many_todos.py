"""What is done with several todos at once: done, another day or priority, deleted, taken back."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.many import Group, for_each, groups_in, selected_in, tell, undo_of
from app.interfaces.home.todos.todo_forms import day_named, due_on
from app.interfaces.home.todos.todo_view import todo_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

UNDO = "/todos/many/undo"
Act = Callable[[Person, int, str], Awaitable[list[Group]]]
"""Does something to a todo, with a value, and returns what of before gives it back."""


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/many", act, methods=["POST"]), Route(UNDO, undo, methods=["POST"])]


@for_person
async def act(visit: Visit, person: Person) -> Response:
    """Do to the todos selected what the button says."""
    form = await form_of(visit)
    ids = selected_in(form, "todo", person)
    wanted, _, value = value_of(form, "do").partition(":")
    if wanted not in ACTS:
        raise NotFound(person.words("many.none"))
    if wanted == "day":
        value = (value_of(form, "date") or "?") if value == "date" else value
        day_named(person, value)
    outcome = await for_each(
        person, ids, lambda id_: ACTS[wanted][0](person, id_, value), _title(person)
    )
    told = person.words(f"many.did_{wanted}", n=outcome.done)
    undo_address = undo_of(UNDO, ACTS[wanted][1], outcome.before)
    return tell(person, back_of(visit, form), outcome, told, undo_address)


@for_person
async def undo(visit: Visit, person: Person) -> Response:
    """Give each todo back what it had before."""
    form, wanted = await form_of(visit), visit.query_params.get("do", "")
    values = {id_: value for value, id_ in groups_in(visit)}
    if wanted not in ACTS or not values:
        raise NotFound(person.words("many.none"))
    outcome = await for_each(
        person, values, lambda id_: ACTS[wanted][0](person, id_, values[id_]), _title(person)
    )
    told = person.words("many.undone", n=outcome.done)
    return tell(person, back_of(visit, form), outcome, told)


def _title(person: Person) -> Callable[[int], Awaitable[str]]:
    async def title(id_: int) -> str:
        return str((await person.call("get_todo", id=id_)).todo.title)

    return title


async def _complete(person: Person, id_: int, _: str) -> list[Group]:
    done = await person.call("complete_todo", id=id_)
    return [("" if done.next is None else str(done.next.id), id_)]


async def _reopen(person: Person, id_: int, after: str) -> list[Group]:
    """Open a todo again; the next one of its series that ticking made goes to the trash."""
    await person.call("edit_todo", id=id_, completed=False)
    if after.isdecimal():
        await person.call("delete_todo", id=int(after))
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
    await person.call("edit_todo", id=id_, priority=int(priority[:2] or 0))
    return [(str(before), id_)]


async def _delete(person: Person, id_: int, _: str) -> list[Group]:
    await person.call("delete_todo", id=id_)
    return [("", id_)]


async def _restore(person: Person, id_: int, _: str) -> list[Group]:
    await person.call("restore_from_trash", kind="todo", id=id_)
    return []


ACTS: dict[str, tuple[Act, str]] = {
    "done": (_complete, "open"),
    "open": (_reopen, "done"),
    "day": (_move, "due"),
    "due": (_give_due, "due"),
    "priority": (_weigh, "priority"),
    "delete": (_delete, "restore"),
    "restore": (_restore, "delete"),
}
"""What can be done, each with what takes it back."""
