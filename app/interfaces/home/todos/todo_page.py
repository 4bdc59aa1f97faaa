"""One todo: what it says, changed in one form, and its steps."""

import zlib
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from app.errors import Invalid, Unprocessable
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.rule_words import rule_words
from app.interfaces.home.todos.todo_view import DAY, Todo, day_of, todo_of, view_of
from app.interfaces.home.undo_forms import undo_by
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

LEVELS = (0, 1, 3, 4, 5)
EVERY = ("day", "workday", "week", "two_weeks", "month", "year")
"""What is offered for how often; anything else can be typed."""


class Draft(NamedTuple):
    """The fields of the form, as texts."""

    title: str
    description: str
    day: str
    clock: str
    priority: str
    often: str
    counted: str


class Trouble(NamedTuple):
    """Why something was not saved, in words; `elsewhere` are fields that changed meanwhile, with
    what they hold now.
    """

    message: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()


NO_TROUBLE = Trouble()


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/todos/{id}", show), Route("/todos/{id}", save, methods=["POST"])]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show a todo in the form that changes it."""
    todo = await _todo(visit, person)
    return await _page(person, todo, _draft_of(person, todo))


@for_person
async def save(visit: Visit, person: Person) -> Response:
    """Save what was changed of a todo, and nothing else of it.

    What cannot be saved stays in the form.
    """
    form, todo = await form_of(visit), await _todo(visit, person)
    mine, now = _draft_in(form), _draft_of(person, todo)
    was = value_of(form, "was").split() or _marks(now)
    changed = _differ(_marks(mine), was)
    meanwhile = _differ(_marks(now), was)
    elsewhere = [name for name in changed & meanwhile if getattr(now, name) != getattr(mine, name)]
    # What was not changed here is shown as it is now.
    kept = Draft(*(getattr(mine if name in changed else now, name) for name in Draft._fields))
    if elsewhere:
        told = tuple((name, getattr(now, name)) for name in sorted(elsewhere))
        return await _page(person, todo, kept, Trouble(elsewhere=told), status=409)
    if not changed:
        return see(f"/todos/{todo.id}")
    try:
        fields = await _fields(person, mine, changed)
        await person.call("edit_todo", id=todo.id, **fields)
    except (Invalid, Unprocessable) as error:
        return await _page(person, todo, kept, Trouble(error.message), status=error.status)
    before = undo_by(f"/todos/{todo.id}/set", **_before(todo, fields))
    return see(f"/todos/{todo.id}", did="todo_saved", what=mine.title, undo=before)


async def _todo(visit: Visit, person: Person) -> Todo:
    return todo_of((await person.call("get_todo", id=visit.number_in_path())).todo)


async def _page(
    person: Person, todo: Todo, draft: Draft, trouble: Trouble = NO_TROUBLE, status: int = 200
) -> Response:
    now = _draft_of(person, todo)
    levels = sorted({*LEVELS, as_number(draft.priority) or 0})
    return await person.show(
        "todos/todo",
        place="todos",
        parts=["todos"],
        status=status,
        todo=view_of(person, todo),
        draft=draft,
        was=" ".join(_marks(now)),
        trouble=trouble,
        levels=levels,
        every=EVERY,
    )


def _draft_of(person: Person, todo: Todo) -> Draft:
    due = todo.due_date or ""
    day = day_of(person, due)
    return Draft(
        todo.title,
        todo.description or "",
        day.isoformat() if day else "",
        person.dates.time(due) if len(due) > DAY else "",
        str(todo.priority),
        rule_words(person.words, todo.recurrence.rule) if todo.recurrence else "",
        todo.recurrence.from_ if todo.recurrence else "due",
    )


def _draft_in(form: list[tuple[str, str]]) -> Draft:
    """Return what a form holds; browsers end the lines of a text by two characters."""
    values = {name: value_of(form, name).replace("\r\n", "\n") for name in Draft._fields}
    for name in ("title", "day", "clock", "often"):
        values[name] = values[name].replace("\n", " ").strip()
    return Draft(**values)


def _marks(draft: Draft) -> list[str]:
    """Return a mark of each field, by which the form knows what was in it when it was shown."""
    return [f"{zlib.crc32(value.encode()):x}" for value in draft]


def _differ(one: list[str], other: list[str]) -> set[str]:
    rows = zip(Draft._fields, one, other, strict=False)
    return {name for name, left, right in rows if left != right}


async def _fields(person: Person, mine: Draft, changed: set[str]) -> dict[str, Any]:
    """Return the fields of the operation for what was changed."""
    fields: dict[str, Any] = {}
    if "title" in changed:
        fields["title"] = mine.title
    if "description" in changed:
        fields["description"] = mine.description
    if "priority" in changed:
        fields["priority"] = as_number(mine.priority) or 0
    if changed & {"day", "clock"}:
        day = mine.day or (person.dates.today.isoformat() if mine.clock else "")
        fields["dueDate"] = (f"{day}T{mine.clock}" if mine.clock else day) or None
    if changed & {"often", "counted"}:
        fields |= await _series(person, mine, has_day=bool(mine.day or fields.get("dueDate")))
    return fields


async def _series(person: Person, mine: Draft, *, has_day: bool) -> dict[str, Any]:
    """Return how often it comes again, read from the words; with a first day where it has none."""
    if not mine.often:
        return {"recurrence": None}
    line = f"{mine.title} {mine.often}"[-500:].strip()
    read = (await person.call("quick_add_todo", text=line, dryRun=True)).read
    said = next((one for one in read.recognised if one.kind == "recurrence"), None)
    if said is None or read.recurrence is None:
        raise Invalid(person.words("todos.no_rule", what=mine.often), field="often")
    series = {"rule": read.recurrence.rule, "from": "done" if mine.counted == "done" else "due"}
    return {"recurrence": series} if has_day else {"recurrence": series, "dueDate": read.due_date}


def _before(todo: Todo, fields: dict[str, Any]) -> dict[str, Any]:
    """Return what a todo held of these fields, as the address of an undo takes it."""
    series = todo.recurrence
    held = {
        "title": ("title", todo.title),
        "description": ("description", todo.description or ""),
        "priority": ("priority", todo.priority),
        "dueDate": ("due", todo.due_date or ""),
        "recurrence": ("rule", f"{series.rule} {series.from_}" if series else ""),
    }
    return dict(held[name] for name in fields)
