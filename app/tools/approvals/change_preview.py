"""What a call would change, and the preview of it that a person sees before saying yes.

Both are made by code, never by a model.
"""

import difflib
import zlib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown.shortened import one_line, shortened
from app.core.schema import Record, encode
from app.errors import NotFound
from app.tools.registry.registry import RegisteredTool
from app.workspace.folders import access

LONGEST_PREVIEW = 32_000
LONGEST_SUMMARY = 200
LONGEST_VALUE = 60
MOST_LINES = 2_000
CUT = "\n… the rest is not shown"
INTERNAL = frozenset({"ifRevision", "contentFormat"})
"""Fields that say how a call is made, and nothing to the person who decides about it."""


class Target(Record):
    """The thing that would change, as it was when the call was made.

    A todo's revision is a checksum of what it holds.
    """

    kind: str
    id: int
    base_revision: int


class Preview(Record):
    kind: Literal["diff", "text"]
    text: str


class Seen(msgspec.Struct, frozen=True):
    """What is told to the person who decides."""

    target: Target | None
    preview: Preview | None
    summary: str


def preview_call(tx: Tx, me: Caller, tool: RegisteredTool, arguments: Mapping[str, Any]) -> Seen:
    """Return target, preview and summary of a call.

    Raise NotFound where it names a note or todo that the caller may not read.
    """
    # The revision that is frozen here is compared when the owner says yes: what they were shown
    # must be what is changed.
    kind, number = _named_target(tool, arguments)
    if kind == "note":
        note = access.require_note(tx, me, number)
        target = Target("note", number, note["revision"])
        return Seen(
            target,
            _note_preview(tx, tool, note, arguments),
            _summarise_call(tool, arguments, note["title"]),
        )
    if kind == "todo":
        row = _read_todo(tx, me, number)
        target = Target("todo", number, _checksum(row))
        return Seen(
            target, _text_preview(arguments), _summarise_call(tool, arguments, row["title"])
        )
    return Seen(None, _text_preview(arguments), _summarise_call(tool, arguments, None))


def present_revision(tx: Tx, me: Caller, kind: str, number: int) -> int | None:
    """Return the present revision of a target.

    None where the caller may not read it any more, or of a kind that has none here.
    """
    try:
        if kind == "note":
            return int(
                access.require_note(tx, me, number, columns="owner_id, folder_id, revision")[
                    "revision"
                ]
            )
        return _checksum(_read_todo(tx, me, number)) if kind == "todo" else None
    except NotFound:
        return None


def _named_target(tool: RegisteredTool, arguments: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the kind and id of what a call names, if the tool changes it."""
    if tool.operation.risk_class == "R":
        return None, 0
    for kind, namespace, field in (("note", "notes", "noteId"), ("todo", "todos", "id")):
        number = arguments.get(field)
        # 3.0 is 3, as it is for the call.
        if tool.namespace == namespace and isinstance(number, int | float) and number % 1 == 0:
            return kind, int(number)
    return None, 0


def _read_todo(tx: Tx, me: Caller, number: int) -> Any:
    row = tx.one(
        """SELECT title, description, completed, priority, due_date, steps, recurrence, updated_at
           FROM todos WHERE id = :id AND owner_id = :me AND trash_id IS NULL""",
        id=number,
        me=me.user,
    )
    if row is None:
        raise NotFound("There is no such todo.")
    return row


def _checksum(row: Any) -> int:
    return zlib.crc32(encode(list(row)))


def _note_preview(
    tx: Tx, tool: RegisteredTool, note: Any, arguments: Mapping[str, Any]
) -> Preview | None:
    """Return the change of a note's text line by line, below it the other fields.

    For what leaves the text as it is, the fields.
    """
    new = _new_text(tx, tool, note, arguments)
    # A change of the title or the tags alone has no lines to show.
    if new is None or new == note["content"]:
        return _text_preview(arguments)
    others = {
        name: value
        for name, value in arguments.items()
        if name not in ("content", "noteId", *INTERNAL)
    }
    below = f"\n{_fields_text(others)}" if others else ""
    return Preview("diff", _cut(diff(note["content"], new, note["title"]) + below))


def _new_text(tx: Tx, tool: RegisteredTool, note: Any, arguments: Mapping[str, Any]) -> str | None:
    if tool.name == "edit_note":
        given = arguments.get("content")
        return given if isinstance(given, str) else None
    if tool.name == "restore_snapshot":
        held: str | None = tx.value(
            "SELECT content FROM snapshots WHERE note_id = :note AND (seq = :seq OR id = :version)",
            note=note["id"],
            seq=arguments.get("seq"),
            version=arguments.get("versionId"),
        )
        return held
    return None


def diff(old: str, new: str, title: str) -> str:
    """Return the change from one text to another as a unified diff.

    Long changes in the plainest form, so that it never takes long.
    """
    before, after = old.split("\n"), new.split("\n")
    # difflib is quadratic at worst, so it is given only what differs, with three lines around.
    head = _common_beginning(before, after)
    tail = _common_beginning(before[head:][::-1], after[head:][::-1])
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    name = " ".join(title.split())[:LONGEST_VALUE]
    if max(map(len, middle)) > MOST_LINES:
        lines = [
            f"--- {name}",
            f"+++ {name}",
            f"@@ line {head + 1} @@",
            *(f"-{line}" for line in middle[0]),
            *(f"+{line}" for line in middle[1]),
        ]
        return "\n".join(lines)
    around = slice(max(0, head - 3), head)
    shown = [
        before[around] + middle[0] + before[len(before) - tail :][:3],
        after[around] + middle[1] + after[len(after) - tail :][:3],
    ]
    return "\n".join(difflib.unified_diff(shown[0], shown[1], name, name, lineterm=""))


def _common_beginning(one: list[str], other: list[str]) -> int:
    """Return how many lines two texts begin with alike."""
    number = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        number += 1
    return number


def _text_preview(arguments: Mapping[str, Any]) -> Preview | None:
    shown = {name: value for name, value in arguments.items() if name not in INTERNAL}
    return Preview("text", _cut(_fields_text(shown))) if shown else None


def _fields_text(arguments: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in arguments.items()
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_PREVIEW else text[:LONGEST_PREVIEW] + CUT


def _summarise_call(tool: RegisteredTool, arguments: Mapping[str, Any], title: str | None) -> str:
    """Return one line that names the tool, what it is about and which fields it sets."""
    about = f" “{quotable_line(title)}”" if title is not None else ""
    fields = ", ".join(
        f"{name} “{quotable_line(value)}”" if isinstance(value, str) else name
        for name, value in arguments.items()
        if _is_shown(name)
    )
    text = f"{tool.name}{about}" + (f": {fields}" if fields else "")
    return shortened(text, LONGEST_SUMMARY)


def _is_shown(name: str) -> bool:
    return name not in INTERNAL and not name.endswith("Id")


def quotable_line(text: str, most: int = LONGEST_VALUE) -> str:
    """Return the beginning of anybody's text as one line that cannot pass for more than that."""
    # Cut before the work, since a value may be a whole note. Quotation marks are those of the
    # summary, so a value must not close its own.
    plain = "".join(mark if mark.isprintable() else " " for mark in text[: 4 * most])
    return one_line(plain.replace("“", "'").replace("”", "'"), most)
