"""Exports todos as JSON, which an import reads back, and as todo.txt and iCalendar."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.portability.content import import_rows
from app.portability.content.address_links import Lookup, to_keys
from app.portability.exports.export_plan import key_prefix, native_key
from app.workspace.todos import todo_steps
from app.workspace.todos.todo_records import TOP_PRIORITY

Put = Callable[[str, Iterable[bytes]], None]
PRIORITIES = {5: "A", 4: "B", 3: "C", 2: "D", 1: "E"}
ICS_PRIORITIES = {0: 0, 1: 9, 2: 7, 3: 5, 4: 3, 5: 1}
LONGEST_LINE = 75
"""Bytes of a line of iCalendar."""
_ESCAPED = re.compile(r"[\\;,]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def write_todos(tx: Tx, me: Caller, put: Put, key: Lookup) -> int:
    """Write the caller's live todos and return their number."""
    keys = _todo_keys(tx, me)
    put("todos.json", _json_parts(tx, me, keys, key))
    put("todo.txt", (_todo_txt(row).encode() for row in _todo_rows(tx, me, keys)))
    put("todos.ics", _calendar_parts(tx, me, keys, key))
    return len(keys)


def _todo_keys(tx: Tx, me: Caller) -> dict[int, str]:
    """Return the keys of all live todos by id, in their order."""
    rows = tx.all(
        f"""SELECT todos.id, i.key FROM todos
          {import_rows.key_join("todo", "todos")} WHERE todos.owner_id = :me
          AND todos.trash_id IS NULL
            ORDER BY ifnull(i.key, :prefix || printf('%010d', todos.id))""",
        me=me.user,
        prefix=key_prefix(me),
    )
    return {row["id"]: row["key"] or native_key(me, row["id"]) for row in rows}


def _todo_rows(tx: Tx, me: Caller, keys: dict[int, str]) -> Iterator[sqlite3.Row]:
    # One by one, three times over: all todos at once may not fit into memory.
    for todo_id in keys:
        yield tx.require_row(
            "SELECT * FROM todos WHERE id = :id AND owner_id = :me", id=todo_id, me=me.user
        )


def _json_parts(tx: Tx, me: Caller, keys: dict[int, str], key: Lookup) -> Iterator[bytes]:
    yield b"["
    for number, row in enumerate(_todo_rows(tx, me, keys)):
        yield (b"\n" if number == 0 else b",\n") + msgspec.json.encode(_todo_record(row, keys, key))
    yield b"\n]\n"


def _todo_record(row: sqlite3.Row, keys: dict[int, str], key: Lookup) -> dict[str, Any]:
    given: dict[str, Any] = {
        "id": keys[row["id"]],
        "title": row["title"],
        "description": to_keys(row["description"] or "", key) or row["description"],
        "completed": row["completed"] == 1,
        "completedAt": row["completed_at"],
        "priority": row["priority"],
        "dueDate": row["due_date"],
        "steps": [
            {"title": step.title, "completed": step.completed}
            for step in todo_steps.decode_steps(row["steps"])
        ]
        or None,
        "recurrence": msgspec.json.decode(row["recurrence"]) if row["recurrence"] else None,
        "wall": row["wall"],
        "next": keys.get(row["next_id"]),
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
    }
    return {name: value for name, value in given.items() if value is not None}


def _todo_txt(row: sqlite3.Row) -> str:
    """Return a todo as a line of todo.txt; its description and steps have no place there."""
    words = ["x", (row["completed_at"] or row["updated_at"])[:10]] if row["completed"] else []
    letter = PRIORITIES.get(min(row["priority"], TOP_PRIORITY))
    if letter and not row["completed"]:
        words.append(f"({letter})")
    words += [row["created_at"][:10], row["title"]]
    if row["due_date"]:
        words.append(f"due:{row['due_date'][:10]}")
    if letter and row["completed"]:
        words.append(f"pri:{letter}")
    return " ".join(words) + "\n"


def _calendar_parts(tx: Tx, me: Caller, keys: dict[int, str], key: Lookup) -> Iterator[bytes]:
    yield b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Hearth//Export//EN\r\n"
    for row in _todo_rows(tx, me, keys):
        yield b"".join(map(_folded, _component(row, keys, key)))
    yield b"END:VCALENDAR\r\n"


def _component(row: sqlite3.Row, keys: dict[int, str], key: Lookup) -> Iterator[str]:
    yield "BEGIN:VTODO"
    yield f"UID:{keys[row['id']]}@hearth"
    yield f"DTSTAMP:{_moment(row['updated_at'])}"
    yield f"CREATED:{_moment(row['created_at'])}"
    yield f"LAST-MODIFIED:{_moment(row['updated_at'])}"
    yield f"SUMMARY:{_text(row['title'])}"
    steps = [
        f"[{'x' if step.completed else ' '}] {step.title}"
        for step in todo_steps.decode_steps(row["steps"])
    ]
    if row["description"] or steps:
        description = to_keys(row["description"] or "", key)
        parts = [description, *steps] if description else steps
        yield f"DESCRIPTION:{_text(chr(10).join(parts))}"
    if row["priority"]:
        yield f"PRIORITY:{ICS_PRIORITIES[min(row['priority'], TOP_PRIORITY)]}"
    if row["due_date"]:
        form = ";VALUE=DATE:" if len(row["due_date"]) == 10 else ":"
        yield f"DUE{form}{_moment(row['due_date'])}"
        if row["recurrence"]:  # a rule counts from DTSTART, whatever DUE says
            yield f"DTSTART{form}{_moment(row['due_date'])}"
    if row["recurrence"]:
        yield f"RRULE:{msgspec.json.decode(row['recurrence'])['rule']}"
    if row["completed"]:
        yield f"COMPLETED:{_moment(row['completed_at'] or row['updated_at'])}"
    yield f"STATUS:{'COMPLETED' if row['completed'] else 'NEEDS-ACTION'}"
    yield "END:VTODO"


def _moment(text: str) -> str:
    """Return a stored date or moment as iCalendar writes it."""
    return text[:19].replace("-", "").replace(":", "") + ("Z" if len(text) > 10 else "")


def _text(text: str) -> str:
    text = _ESCAPED.sub(r"\\\g<0>", _CONTROLS.sub(" ", text))
    return text.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")


def _folded(line: str) -> bytes:
    """Return a line of iCalendar, folded between characters so that none has more than 75 bytes."""
    parts: list[bytes] = []
    part = b""
    for letter in line:  # by characters: a fold within one would make two broken ones
        encoded = letter.encode()
        if len(part) + len(encoded) > LONGEST_LINE - (1 if parts else 0):
            parts.append(part)
            part = b""
        part += encoded
    return b"\r\n ".join([*parts, part]) + b"\r\n"
