"""The notes that changed last, each with the beginning of its text."""

import sqlite3
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import html_fragments
from app.core.operation import operation
from app.core.schema import Most, Record
from app.core.text import relative_time, summarise_text
from app.workspace.folders import access

LONGEST_SUMMARY = 280
BEGINNING = 20_000
"""How many characters of a note are looked at."""


class NoteSummary(Record):
    """A note with the beginning of its text as plain text, and how long ago it changed."""

    id: int
    title: str
    summary: str
    updated_at: str
    relative_time: str
    pinned: bool


class NoteSummaries(Record):
    """`notesSummary` lists the titles as HTML."""

    notes: list[NoteSummary]
    notes_summary: str


@operation("GET /notes/summary", scope="os.notes:read")
async def summarize_notes(
    app: App, me: Caller, *, limit: Annotated[int, Meta(ge=1), Most(20)] = 5
) -> NoteSummaries:
    """Read the notes that changed last, newest first, with the beginning of each as plain text."""
    now = app.clock()
    notes = [
        note_summary(row, now)
        for row in await app.read(
            last_changed, app.quick(access.hide_policy_notes, me), limit=limit
        )
    ]
    if not notes:
        return NoteSummaries([], html_fragments.lead_paragraph("There are no notes yet."))
    return NoteSummaries(
        notes,
        html_fragments.html_list(
            "",
            (
                html_fragments.list_entry(note.title, note.relative_time, id=str(note.id))
                for note in notes
            ),
        ),
    )


def last_changed(
    tx: Tx, me: Caller, *, limit: int, since: str = "", pinned: tuple[bool, ...] = (True, False)
) -> list[sqlite3.Row]:
    """Return the beginnings of the caller's notes that changed last, not before `since`.

    Of the pinned, the others, or both.
    """
    rows: list[sqlite3.Row] = []
    # The index goes by pinned first: asked for both at once it would sort all notes.
    for each in pinned:
        rows += tx.all(
            """SELECT id, title, pinned, updated_at, substr(content, 1, :beginning) AS content
               FROM notes WHERE owner_id = :me AND trash_id IS NULL AND pinned = :pinned
                 AND updated_at >= :since
               ORDER BY updated_at DESC, id DESC LIMIT :limit""",
            me=me.owns,
            pinned=each,
            since=since,
            limit=limit + len(me.hidden),
            beginning=BEGINNING,
        )
    rows = [row for row in rows if row["id"] not in me.hidden]
    return sorted(rows, key=lambda row: (row["updated_at"], row["id"]), reverse=True)[:limit]


def note_summary(row: sqlite3.Row, now: datetime) -> NoteSummary:
    """Return a row of `last_changed` as it goes out."""
    ago = relative_time(datetime.fromisoformat(row["updated_at"]), now)
    return NoteSummary(
        row["id"],
        row["title"],
        summarise_text(row["content"], LONGEST_SUMMARY),
        row["updated_at"],
        ago,
        row["pinned"] == 1,
    )
