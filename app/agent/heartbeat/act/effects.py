"""What each type of action does, by the operations that everybody uses, and what it changed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from app.agent.heartbeat.act import before_images
from app.agent.heartbeat.records.action_rows import Change
from app.agent.heartbeat.records.proposals import LONGEST_TEXT, ActionType
from app.agent.memory import memory
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import whole
from app.core.operation import Operation
from app.errors import Invalid, NotFound, RevisionConflict
from app.workspace.notes import notes
from app.workspace.todos import due, todo_rows, todos

Payload = Mapping[str, Any]


class Effect(NamedTuple):
    """What an action came to: its target, what it changed, and what is told of it."""

    target: tuple[str, int] | None = None
    changes: Sequence[Change] = ()
    result: Mapping[str, Any] | None = None


def say_to_owner(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Say something to the owner; that it is delivered is the run's business."""
    text = payload.get("text")
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT:
        raise Invalid(f"text must have 1 to {LONGEST_TEXT} characters.", field="text")
    return Effect()


def create_todo(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Create a todo."""
    made = todos.create_todo(tx, me, **_check_arguments(todos.create_todo, payload)).todo
    return _changed(tx, me, "todo", made.id, None)


def update_todo(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Change fields of a todo, or complete it, by which the next of its series may come."""
    arguments = _check_arguments(todos.edit_todo, payload)
    number = arguments["id"]
    before = before_images.take_image(tx, me.user, "todo", number)
    series = _next_of_series(tx, me, number)
    todos.edit_todo(tx, me, **arguments)
    done = _changed(tx, me, "todo", number, before)
    if (made := _next_of_series(tx, me, number)) is not None and made != series:
        changes = (*done.changes, *_changed(tx, me, "todo", made, None).changes)
        return done._replace(changes=changes)
    return done


def reschedule_todo(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Give a todo another due date; a series keeps its time of day.

    With `from` only if that is the one it has.
    """
    number, wanted = whole(payload.get("id")), payload.get("dueDate")
    if number is None or not isinstance(wanted, str):
        raise Invalid("id and dueDate are required.", field="id" if number is None else "dueDate")
    todo = todo_rows.find_live(tx, me.user, number)
    if todo is None:
        raise NotFound("There is no such todo.")
    # Planned by a date that is no longer the todo's.
    if "from" in payload and payload["from"] != todo["due_date"]:
        raise RevisionConflict("The todo has been moved meanwhile.")
    zone = due.request_zone(tx, me)
    before = before_images.take_image(tx, me.user, "todo", number)
    todo_rows.reschedule(tx, me.user, number, due_date=due.parse_due(wanted, zone), zone=zone)
    return _changed(tx, me, "todo", number, before)


def create_note(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Create a note."""
    made = notes.create_note(tx, me, **_check_arguments(notes.create_note, payload)).note
    return _changed(tx, me, "note", made.id, None)


def remember(tx: Tx, me: Caller, payload: Payload) -> Effect:
    """Write a fact into the memory, at most as often as a heartbeat may."""
    arguments = _check_arguments(memory.memory_write, payload)
    # Found beforehand: afterwards nobody could tell a new note from an old one.
    before = memory.note_for_fact(tx, me, arguments["kind"], arguments["username"])
    image = None if before is None else before_images.take_image(tx, me.user, "note", before)
    note = memory.memory_write(tx, me, **arguments).note
    return _changed(tx, me, "note", note.id, image)


EFFECTS: dict[ActionType, Callable[[Tx, Caller, Payload], Effect]] = {
    "message_draft": say_to_owner,
    "reminder": say_to_owner,
    "todo_create": create_todo,
    "todo_update": update_todo,
    "todo_reschedule": reschedule_todo,
    "note_create": create_note,
    "memory_write": remember,
}
"""What a tier itself may let a run do; the other types are only ever asked for."""
TOOLS: dict[ActionType, str] = {
    "note_edit": "edit_note",
    "message_send": "send_message_to_human",
    "todo_create": "create_todo",
    "todo_update": "edit_todo",
    "todo_reschedule": "edit_todo",
    "note_create": "create_note",
    "memory_write": "memory_write",
}
"""The tool that does an action once its owner has said yes."""


def tool_for_action(type_: ActionType, payload: Payload) -> str:
    """Return the tool that does an action once its owner has said yes."""
    return "pin_note" if type_ == "note_edit" and "pinned" in payload else TOOLS[type_]


def _check_arguments(found: Operation[..., Any], payload: Payload) -> dict[str, Any]:
    """Check a payload as the operation's request is checked.

    A name that it does not have is refused.
    """
    known = set(found.fields.wire_names.values())
    if unknown := [name for name in payload if name not in known]:
        raise Invalid(f"{unknown[0]} is not a field of {found.name}.", field=unknown[0])
    return found.fields.check(payload)


def _changed(
    tx: Tx, me: Caller, kind: str, number: int, before: before_images.Image | None
) -> Effect:
    after = before_images.take_image(tx, me.user, kind, number)
    return Effect((kind, number), [Change(kind, number, before, after)], {"id": number})


def _next_of_series(tx: Tx, me: Caller, number: int) -> int | None:
    found: int | None = tx.value(
        "SELECT next_id FROM todos WHERE id = :id AND owner_id = :me", id=number, me=me.user
    )
    return found
