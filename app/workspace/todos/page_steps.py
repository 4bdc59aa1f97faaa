"""What the pages of the home do with one step of a todo.

Each reads and writes the list in one transaction: two that come at once both hold.
"""

import sqlite3
from collections.abc import Callable

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record, Title
from app.errors import Conflict, NotFound
from app.workspace.todos import due, todo_rows, todo_steps
from app.workspace.todos.todo_steps import MOST, Step


class StepChanged(Record):
    """The step that was meant, as it is or last was, and all steps as they were before."""

    step: Step
    before: list[Step]


@operation("PAGE", scope="os.todos:write")
def add_step(tx: Tx, me: Caller, *, id: Id, title: Title) -> StepChanged:
    """Add a step at the end; raise Conflict where the todo has as many as it may."""
    todo = todo_rows.require_live(tx, me.user, id)
    before = todo_steps.decode_steps(todo["steps"])
    if len(before) >= MOST:
        raise Conflict(f"A todo has at most {MOST} steps; remove one first.")
    step = Step(todo["last_step"] + 1, title, completed=False)
    _store(tx, me, todo, [*before, step])
    return StepChanged(step, before)


@operation("PAGE", scope="os.todos:write")
def edit_step(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    step: Id,
    title: Title | None = None,
    completed: bool | None = None,
) -> StepChanged:
    """Name a step, tick it or open it again; what is not given stays."""

    def edited(steps: list[Step], at: int) -> list[Step]:
        old = steps[at]
        new = Step(
            old.id,
            old.title if title is None else title,
            completed=old.completed if completed is None else completed,
        )
        return [*steps[:at], new, *steps[at + 1 :]]

    return _change(tx, me, id, step, edited)


@operation("PAGE", scope="os.todos:write")
def move_step(
    tx: Tx, me: Caller, *, id: Id, step: Id, by: int = 0, to: int | None = None
) -> StepChanged:
    """Move a step by some places, or to one that is counted from 0; never past an end."""

    def moved(steps: list[Step], at: int) -> list[Step]:
        rest = [*steps[:at], *steps[at + 1 :]]
        rest.insert(max(0, at + by if to is None else to), steps[at])
        return rest

    return _change(tx, me, id, step, moved)


@operation("PAGE", scope="os.todos:write")
def remove_step(tx: Tx, me: Caller, *, id: Id, step: Id) -> StepChanged:
    """Take a step away."""
    return _change(tx, me, id, step, lambda steps, at: [*steps[:at], *steps[at + 1 :]])


def _change(
    tx: Tx, me: Caller, id: int, step: int, changed: Callable[[list[Step], int], list[Step]]
) -> StepChanged:
    """Store what `changed` makes of the steps and the place of the one that is meant.

    Raise NotFound for one that is gone.
    """
    todo = todo_rows.require_live(tx, me.user, id)
    before = todo_steps.decode_steps(todo["steps"])
    place = next((at for at, one in enumerate(before) if one.id == step), None)
    if place is None:
        raise NotFound("There is no such step.", field="step")
    after = changed(before, place)
    _store(tx, me, todo, after)
    return StepChanged(next((one for one in after if one.id == step), before[place]), before)


def _store(tx: Tx, me: Caller, todo: sqlite3.Row, steps: list[Step]) -> None:
    draft = todo_rows.draft_of(todo)._replace(
        steps=msgspec.json.encode(steps).decode(),
        last_step=max([todo["last_step"], *(one.id for one in steps)]),
    )
    todo_rows.update(tx, todo, draft, zone=due.request_zone(tx, me))
