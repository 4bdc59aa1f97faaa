"""Comparing two versions of a note, line by line."""

import difflib
import sqlite3
from typing import Annotated

import msgspec
from msgspec import Meta

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Tool, operation
from app.core.schema import DocumentedPattern, Id, Record
from app.errors import Invalid
from app.workspace.folders import access
from app.workspace.notes import snapshot_rows

CURRENT = "current"
Version = Annotated[
    str,
    Meta(description="a sequence number, or current"),
    DocumentedPattern("^(current|[1-9][0-9]{0,14})$"),
]


class Difference(Record):
    """A unified diff of the Markdown; `added` and `removed` count lines."""

    from_: str = msgspec.field(name="from")
    to: str
    diff: str
    added: int
    removed: int


@operation(
    "GET /os/snapshots/{noteId}/diff", category="snapshots", scope="os.snapshots:read", tool=Tool()
)
def diff_snapshots(
    tx: Tx, me: Caller, *, note_id: Id, from_: Version, to: Version = CURRENT
) -> Difference:
    """Compare two versions of a note, line by line."""
    note = access.require_note(tx, me, note_id)
    old, new = (
        _version_text(tx, note, version, field) for version, field in ((from_, "from"), (to, "to"))
    )
    lines = list(difflib.unified_diff(_diff_lines(old), _diff_lines(new), from_, to, lineterm=""))
    # The first two lines name the versions.
    added = sum(line.startswith("+") for line in lines[2:])
    removed = sum(line.startswith("-") for line in lines[2:])
    return Difference(from_=from_, to=to, diff="\n".join(lines), added=added, removed=removed)


def _version_text(tx: Tx, note: sqlite3.Row, version: str, field: str) -> str:
    if version == CURRENT:
        return str(note["content"])
    if not (version.isascii() and version.isdecimal() and len(version) < 16):
        raise Invalid(f"{field} must be a sequence number or current.", field=field)
    found = snapshot_rows.require_snapshot(tx, note["id"], seq=int(version), field=field)
    return str(found["content"])


def _diff_lines(text: str) -> list[str]:
    """Return the lines of a text as `diff` has them.

    Ended by LF alone, so that other line ends show as the changes they are.
    """
    return text.removesuffix("\n").split("\n") if text else []
