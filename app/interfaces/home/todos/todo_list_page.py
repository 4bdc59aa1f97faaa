"""The list of todos: what is open, by day, with filters; and what is done."""

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.core.random_tokens import new_uuid
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.todos.todo_filters import FIRST_DAY, chips_of, chosen_in, count
from app.interfaces.home.todos.todo_view import TodoView, day_of, todos_of, view_of
from app.interfaces.pages.visit import Visit

PAGE = 40
WEEK = 7


class Group(NamedTuple):
    """Todos under one heading."""

    name: str
    title: str
    todos: list[TodoView]


class Pages(NamedTuple):
    """Which part of a long list this is, and where the parts before and after it are."""

    first: int
    last: int
    total: int
    before: str
    after: str


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos", show), Route("/todos/done", show_done)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show what is open, under the days it is due."""
    chosen = chosen_in(visit)
    chips = await chips_of(person, chosen)
    # Those without a day stand behind all that have one.
    skipped = (
        await count(person, dueFrom=FIRST_DAY, **_words(chosen.words))
        if (chosen.show == "undated" and not chosen.day)
        else 0
    )
    todos, total = await list_page(person, {**chosen.fields, "offset": chosen.offset + skipped})
    return await person.show(
        "todos/todos",
        place="todos",
        parts=["todos"],
        tab="open",
        chips=chips,
        chosen=chosen,
        groups=list(grouped(person, todos)),
        pages=pages_of(chosen.offset, len(todos), total - skipped, chosen.address),
        late=next((chip.number for chip in chips if chip.name == "late"), 0),
        once=new_uuid(),
    )


@for_person
async def show_done(visit: Visit, person: Person) -> Response:
    """Show what is done, under the days on which it was."""
    chosen = chosen_in(visit)
    fields = {"completed": True, "sort": "updatedAt", **_words(chosen.words)}
    todos, total = await list_page(person, {**fields, "offset": chosen.offset})
    groups = [
        Group(str(day), person.dates.day(day) if day else "", list(each))
        for day, each in groupby(todos, key=lambda todo: day_of(person, todo.completed_at))
    ]

    def address(offset: int) -> str:
        return chosen.address(offset).replace("/todos", "/todos/done", 1)

    return await person.show(
        "todos/todos_done",
        place="todos",
        parts=["todos"],
        tab="done",
        chosen=chosen,
        groups=groups,
        pages=pages_of(chosen.offset, len(todos), total, address),
        once=new_uuid(),
    )


async def list_page(
    person: Person, fields: dict[str, Any], limit: int = PAGE
) -> tuple[list[TodoView], int]:
    """Return a page of todos with their steps, and how many there are in all."""
    found = await person.call("search_todos", includeSteps=True, limit=limit, **fields)
    return [view_of(person, todo) for todo in todos_of(found.todos)], found.total


def grouped(person: Person, todos: Iterable[TodoView]) -> Iterable[Group]:
    """Yield todos under what is said of their days, in the order in which they come."""
    today = person.dates.today
    for name, each in groupby(todos, key=lambda todo: _heading(todo, today)):
        yield Group(name, person.words(f"todos.group.{name}"), list(each))


def pages_of(offset: int, number: int, total: int, address: Any) -> Pages:
    """Return which part of a list this is."""
    before = address(max(0, offset - PAGE)) if offset else ""
    after = address(offset + PAGE) if offset + number < total else ""
    return Pages(offset + 1, offset + number, total, before, after)


def _heading(todo: TodoView, today: date) -> str:
    if todo.day is None:
        return "undated"
    if todo.is_late:
        return "late"
    away = (todo.day - today).days
    if away <= 1:
        return "today" if away <= 0 else "tomorrow"
    return "soon" if todo.day < today + timedelta(WEEK) else "later"


def _words(words: str) -> dict[str, str]:
    return {"q": words} if words else {}
