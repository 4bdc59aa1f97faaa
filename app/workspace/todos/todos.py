"""Todos: what there is to do, when it is due, and what comes again."""

from typing import Annotated, cast
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account.users import TimeZone
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.process.caches import ByteCache
from app.core.schema import Id, Line, Most, Offset, Record, Text, encode
from app.errors import Invalid
from app.workspace.folders import trash_rows
from app.workspace.todos import (
    complete_todo,
    due,
    recurrence,
    todo_counts,
    todo_records,
    todo_rows,
    todo_search,
    todo_steps,
)
from app.workspace.todos.due import NAMED_DAYS, Day, DueText
from app.workspace.todos.recurrence import Recurrence
from app.workspace.todos.todo_records import HIGHEST_PRIORITY, TOP_PRIORITY, Todo
from app.workspace.todos.todo_rows import Draft
from app.workspace.todos.todo_search import Order, Sort, TodoFilters
from app.workspace.todos.todo_steps import NewSteps, StepEdits

TodoTitle = Annotated[
    str, Meta(description="1 to 500 characters, trimmed, NFC, no control characters"), Line(1, 500)
]
Description = Annotated[str, Meta(description="at most 20000 characters"), Text(20_000)]
Notes = Annotated[str, Meta(description="another name of description"), Text(20_000)]
Priority = Annotated[
    int, Meta(ge=0, le=HIGHEST_PRIORITY, description=f"0 none, {TOP_PRIORITY} and above top")
]
DueDate = Annotated[
    str,
    Meta(description="a date, or a moment; without an offset it is a wall time of the user"),
    DueText(),
]
DayName = Annotated[
    str,
    Meta(description="today, tomorrow, week (today and 6 days on), overdue, or a date"),
    Day(NAMED_DAYS),
]
DayOnly = Annotated[str, Meta(description="a date; the day itself is included"), Day()]
Words = Annotated[
    str, Meta(description="words that must all occur in title, description or steps"), Text(1000)
]
Limit = Annotated[int, Meta(ge=1, description="at most 200"), Most(200)]
NONE_FOUND = {"result": {"todos": [], "total": 0}}


class TodoList(Record):
    todos: list[Todo]
    total: int


class TodoAnswer(Record):
    todo: Todo


class Trashed(Record):
    trashed: bool = True


@operation(
    "GET /os/todos",
    scope="os.todos:read",
    http=Http(wrap="result", refusal=NONE_FOUND, steady=("date",)),
    tool=Tool(risk="R"),
)
async def search_todos(
    app: App,
    me: Caller,
    *,
    q: Words | None = None,
    date: DayName | None = None,
    completed: bool | None = None,
    priority: Priority | None = None,
    priority_min: Priority | None = None,
    due_from: DayOnly | None = None,
    due_to: DayOnly | None = None,
    sort: Sort | None = None,
    order: Order | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
    user_timezone: TimeZone | None = None,
    include_steps: bool = False,
) -> TodoList:
    """List todos by words, day, state or priority, with the number of all that match.

    Without `sort` the open ones come first, then by dueDate, the more important first. Todos
    without a dueDate are last, and a whole day stands where it ends. `order` goes with `sort`;
    left out it is asc for dueDate and title, desc for the others.
    """
    wanted = TodoFilters(
        q,
        date,
        completed,
        priority,
        priority_min,
        due_from,
        due_to,
        sort,
        order,
        limit,
        offset,
        user_timezone,
        include_steps,
    )
    # What clients ask for again and again: by its index, and from memory while nothing changed.
    if wanted.unfiltered:
        return app.quick(_list_first_page, me, wanted, app.memory)
    return TodoList(*await app.read(todo_search.any_page, me, wanted))


@operation("GET /os/todos/{id}", scope="os.todos:read", quick=True, tool=Tool())
def get_todo(tx: Tx, me: Caller, *, id: Id) -> TodoAnswer:
    """Read one todo with its steps."""
    return TodoAnswer(todo_records.read_todo(tx, me, id))


@operation(
    "POST /os/todos",
    scope="os.todos:write",
    http=Http(
        status=201,
        refuses={
            "notes": "description is given with another text",
            "recurrence": "dueDate is not given; its rule names a part twice, has both COUNT and "
            "UNTIL, ends before dueDate or names no date",
        },
        wrap="result",
        invalid_status=422,
        idempotent=300,
    ),
    tool=Tool(risk="W"),
)
def create_todo(
    tx: Tx,
    me: Caller,
    *,
    title: TodoTitle,
    description: Description | None = None,
    notes: Notes | None = None,
    due_date: DueDate | None = None,
    priority: Priority = 0,
    steps: NewSteps | None = None,
    recurrence: Recurrence | None = None,
    user_timezone: TimeZone | None = None,
) -> TodoAnswer:
    """Create a todo, with a due date, steps and a recurrence if given."""
    # A traveller's request is read in its zone; deadlines are stored in the zone of the account.
    home, zone = due.home_and_request_zone(tx, me, user_timezone)
    draft = Draft(
        title=title,
        description=_given_description(description, notes),
        priority=priority,
        due_date=None if due_date is None else due.parse_due(due_date, zone),
        steps=_to_json(todo_steps.new_steps(steps or [])),
        last_step=len(steps or []),
        recurrence=None if recurrence is None else _to_json(recurrence),
    )
    _require_due_date(draft, zone, blame="recurrence")
    _require_not_over(draft, zone)
    return TodoAnswer(
        todo_records.read_todo(tx, me, todo_rows.insert(tx, me.user, draft, zone=home))
    )


@operation(
    "PATCH /os/todos/{id}",
    scope="os.todos:write",
    http=Http(
        refuses={
            "notes": "description is given with another text",
            "dueDate": "it is cleared and the todo recurs",
            "recurrence": "the todo has no dueDate; its rule names a part twice, has both COUNT "
            "and UNTIL, ends before dueDate or names no date",
            "steps": "an id names no step of the todo, or comes twice",
        }
    ),
    tool=Tool(risk="W", overwrites=True),
)
def edit_todo(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    title: TodoTitle | None = None,
    description: Description | None = None,
    notes: Notes | None = None,
    due_date: DueDate | UnsetType | None = UNSET,
    priority: Priority | None = None,
    completed: bool | None = None,
    steps: StepEdits | None = None,
    recurrence: Recurrence | UnsetType | None = UNSET,
    user_timezone: TimeZone | None = None,
) -> TodoAnswer:
    """Change fields of a todo; those that are not given stay.

    A null dueDate or recurrence clears it; completed false reopens.

    `steps` replaces the list: a step with the id of one that is there stays that step, one
    without an id is new.
    """
    todo = todo_rows.require_live(tx, me.user, id)
    home, zone = due.home_and_request_zone(tx, me, user_timezone)
    draft = todo_rows.draft_of(todo)
    if title is not None:
        draft = draft._replace(title=title)
    description = _given_description(description, notes)
    if description is not None:
        draft = draft._replace(description=description)
    if priority is not None:
        draft = draft._replace(priority=priority)
    if not isinstance(due_date, UnsetType):
        draft = draft._replace(
            due_date=None if due_date is None else due.parse_due(due_date, zone), wall=None
        )
    if not isinstance(recurrence, UnsetType):
        draft = draft._replace(
            recurrence=None if recurrence is None else _to_json(recurrence), wall=None
        )
    if steps is not None:
        made, last = todo_steps.replace_steps(
            todo_steps.decode_steps(todo["steps"]), steps, last=todo["last_step"]
        )
        draft = draft._replace(steps=_to_json(made), last_step=last)
    if due_date is not UNSET or recurrence is not UNSET:
        _require_due_date(draft, zone, blame="dueDate" if recurrence is UNSET else "recurrence")
        if draft.recurrence != todo["recurrence"]:  # the last of a series may well be put off
            _require_not_over(draft, zone)
    # Completed last, so that the next occurrence is made from the todo as it is now.
    todo_rows.update(tx, todo, draft, zone=home)
    if completed is True:
        complete_todo.complete_one(tx, me, todo_rows.require_live(tx, me.user, id), home, zone)
    elif completed is False and todo["completed"]:
        todo_rows.set_completed(tx, todo, completed=False)
    return TodoAnswer(todo_records.read_todo(tx, me, id))


@operation("DELETE /os/todos/{id}", scope="os.todos:write", tool=Tool(risk="W"))
def delete_todo(tx: Tx, me: Caller, *, id: Id) -> Trashed:
    """Put a todo into the trash."""
    todo = todo_rows.require_live(tx, me.user, id)
    entry = trash_rows.add_entry(
        tx, me, owner=me.user, kind="todo", item_id=id, title=todo["title"], path=""
    )
    todo_rows.set_trash(tx, [id], entry)
    return Trashed()


def _list_first_page(tx: Tx, me: Caller, wanted: TodoFilters, memory: ByteCache) -> TodoList:
    """Return a page near the start of the list.

    From memory, where no todo of the caller has changed since it was put there.
    """
    listed = todo_counts.todo_counts(tx, me.user)
    key = ("todos", me.user, listed.revision, wanted)
    page = memory.get(key)
    if page is None:
        page = encode(todo_search.first_page(tx, me, wanted))
        memory.put(key, page)
    return TodoList(cast(list[Todo], msgspec.Raw(page)), listed.total(completed=wanted.completed))


def _given_description(description: str | None, notes: str | None) -> str | None:
    """Return the description, by whichever of its names it came.

    Raise Invalid for two different texts.
    """
    if description is not None and notes is not None and description != notes:
        raise Invalid(
            "notes is another name of description; give one of them, or the same text in both.",
            field="notes",
        )
    return notes if description is None else description


def _require_due_date(draft: Draft, zone: ZoneInfo, *, blame: str) -> None:
    """Raise Invalid, naming the field `blame`, for a recurrence that has no due date to count
    from or that names no date at all.
    """
    if draft.recurrence is None:
        return
    if draft.due_date is None:
        raise Invalid("recurrence needs a dueDate.", field=blame)
    rule = msgspec.json.decode(draft.recurrence, type=Recurrence).rule
    recurrence.require_dates(rule, due.local_day(draft.due_date, zone))


def _require_not_over(draft: Draft, zone: ZoneInfo) -> None:
    """Raise Invalid for a recurrence that ends before the todo itself is due."""
    if draft.recurrence is None or draft.due_date is None:
        return
    rule = msgspec.json.decode(draft.recurrence, type=Recurrence).rule
    if recurrence.is_over(rule, draft.due_date, zone):
        raise Invalid(
            "recurrence.rule ends (UNTIL) before the dueDate; give a later UNTIL.",
            field="recurrence.rule",
        )


def _to_json(value: object) -> str:
    return msgspec.json.encode(value).decode()
