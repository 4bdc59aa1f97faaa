"""The line that adds a todo: what it was read as, told while somebody types, and adding it."""

from datetime import date
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.random_tokens import new_uuid
from app.errors import IdempotencyConflict, Invalid
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.todos.rule_words import rule_words
from app.interfaces.home.todos.todo_view import DAY, level_of
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

LONGEST = 2000
ICONS = {
    "date": "today",
    "time": "today",
    "priority": "up",
    "recurrence": "repeat",
    "steps": "todos",
}


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/todos/quick-add", recognise, methods=["POST"]),
        Route("/todos/add", add, methods=["POST"]),
    ]


@for_person
async def recognise(visit: Visit, person: Person) -> Response:
    """Show what a line was read as, each part with a button that lets it stay in the title."""
    form = await form_of(visit)
    if not (value_of(form, "title") or value_of(form, "line")).strip():
        return Response()
    read = await _read(person, form)
    chips = [
        {"kind": one.kind, "text": one.text, "icon": ICONS[one.kind], "told": _told(person, one)}
        for one in read.recognised
    ]
    if (
        read.title
        and not (read.due_date or read.no_such_day)
        and _is_day(due := value_of(form, "due"))
    ):
        chips.append({"kind": "due", "text": "", "icon": "today", "told": _day_told(person, due)})
    return await person.piece("todos/quick_add_chips", read=read, chips=chips, kept=_kept(form))


@for_person
async def add(visit: Visit, person: Person) -> Response:
    """Add what a line was read as; a form that comes twice adds it once."""
    form = await form_of(visit)
    line, back = value_of(form, "title").strip(), back_of(visit, form)
    if not line:
        raise Invalid(person.words("todos.nothing_typed"), field="title")
    read = await _read(person, form)
    fields: dict[str, Any] = {"title": read.title, "priority": read.priority}
    # Where a line names no day, the page that it stands on may.
    due = read.due_date or ("" if read.no_such_day else value_of(form, "due"))
    if due:
        fields["dueDate"] = due
    if read.recurrence and due:
        fields["recurrence"] = {"rule": read.recurrence.rule, "from": "due"}
    if read.steps:
        fields["steps"] = [{"title": step} for step in read.steps]
    todo = await _create(visit, person, fields, value_of(form, "once")[:64] or new_uuid())
    did = "todo_added_without_day" if read.no_such_day else "todo_added"
    return see(
        back, did=did, what=read.no_such_day or todo["title"], undo=f"/todos/{todo['id']}/delete"
    )


async def _read(person: Person, form: list[tuple[str, str]]) -> Any:
    line = value_of(form, "title") or value_of(form, "line")
    fields = {"text": " ".join(line.split())[:LONGEST], "keep": _kept(form), "dryRun": True}
    return (await person.call("quick_add_todo", **fields)).read


async def _create(
    visit: Visit, person: Person, fields: dict[str, Any], once: str
) -> dict[str, Any]:
    try:
        made = await visit.parts.call(person.caller, "create_todo", fields, once=once)
    except IdempotencyConflict:
        # The same form with another line in it: somebody has gone back in their browser.
        made = await person.call("create_todo", **fields)
    return _todo_of(made)


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _kept(form: list[tuple[str, str]]) -> list[str]:
    return [value for name, value in form if name == "keep"][:20]


def _todo_of(made: Any) -> dict[str, Any]:
    """Return the todo of an answer, also where it is the one kept from the first time."""
    if hasattr(made, "todo"):
        return {"id": made.todo.id, "title": made.todo.title}
    found = msgspec.json.decode(made.body)
    return dict((found.get("result") or found)["todo"])


def _told(person: Person, one: Any) -> str:
    """Return what a part was taken for, in words."""
    t = person.words
    match one.kind:
        case "date" if _is_day(str(one.value)[:DAY]):
            return _day_told(person, str(one.value))
        case "priority":
            return t("todos.quick.priority", level=t(f"todos.level.{_level(str(one.value))}"))
        case "recurrence":
            return rule_words(t, str(one.value))
        case "steps":
            return t("todos.steps", n=int(one.value))
        case _:
            return str(one.value or one.text)


def _day_told(person: Person, value: str) -> str:
    day = date.fromisoformat(value[:DAY])
    told = person.dates.day(day)
    if abs((day - person.dates.today).days) > 1:
        told = person.words(
            "todos.quick.day",
            weekday=person.words(f"dates.weekdays.{day.isoweekday()}")[:2],
            day=person.dates.short(day),
        )
    clock = value[DAY + 1 : DAY + 6]
    return f"{told}, {clock}" if clock else told


def _level(value: str) -> str:
    return level_of(as_number(value) or 0)
