"""Snapshots of a note: listing and reading them, and saving one with a label."""

import sqlite3
from typing import Annotated

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import render_async
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Line, Most, Offset, Record, Text
from app.workspace.folders import access
from app.workspace.notes import snapshot_rows


class Snapshot(Record):
    """A version of a note without its text; `versionId` is its legacy address."""

    version_id: int
    seq: int
    label: str | None
    title: str
    message: str | None
    author: Annotated[msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Actor"})]
    word_count: int
    created_at: str


class FullSnapshot(Snapshot):
    """A version of a note with its text, as HTML and as Markdown."""

    content: str
    markdown: str


class SnapshotList(Record):
    snapshots: list[Snapshot]
    total: int


class Saved(Record):
    """What older clients read of a saved snapshot."""

    version_id: int
    note_id: int
    label: str | None
    created_at: str


class SavedSnapshot(Record):
    snapshot: Snapshot
    result: Saved


class SnapshotAnswer(Record):
    snapshot: FullSnapshot


@operation(
    "GET /os/snapshots/{noteId}",
    category="snapshots",
    scope="os.snapshots:read",
    http=Http(steady=()),
    tool=Tool(),
)
def list_snapshots(
    tx: Tx,
    me: Caller,
    *,
    note_id: Id,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> SnapshotList:
    """List a note's snapshots, newest first, without their text."""
    note = access.require_note(tx, me, note_id, columns="owner_id, folder_id, snapshot_count")
    rows = tx.all(
        f"SELECT {snapshot_rows.COLUMNS} FROM snapshots WHERE note_id = :note "
        "ORDER BY seq DESC LIMIT :limit OFFSET :offset",
        note=note_id,
        limit=limit,
        offset=offset,
    )
    return SnapshotList([_snapshot_record(row) for row in rows], note["snapshot_count"])


@operation(
    "POST /os/snapshots/{noteId}",
    category="snapshots",
    scope="os.snapshots:write",
    tool=Tool(risk="W"),
)
def save_snapshot(
    tx: Tx,
    me: Caller,
    *,
    note_id: Id,
    label: Annotated[str, Line(1, 200)] | None = None,
    message: Annotated[str, Text(500)] | None = None,
) -> SavedSnapshot:
    """Save the note as it is now as a snapshot; the note stays unchanged."""
    note = access.require_note(tx, me, note_id, "writer")
    seq = snapshot_rows.take(tx, me, note, label=label, message=message, automatic=False)
    row = snapshot_rows.require_snapshot(tx, note_id, seq=seq)
    return SavedSnapshot(_snapshot_record(row), Saved(row["id"], note_id, label, row["created_at"]))


@operation(
    "GET /os/snapshots/{noteId}/seq/{seq}",
    category="snapshots",
    scope="os.snapshots:read",
    tool=Tool(risk="R"),
)
async def read_snapshot(app: App, me: Caller, *, note_id: Id, seq: Id) -> SnapshotAnswer:
    """Read one snapshot in full, by its sequence number."""
    return await _snapshot_answer(app, me, note_id, seq=seq)


@operation(
    "GET /os/snapshots/{noteId}/{versionId}", category="snapshots", scope="os.snapshots:read"
)
async def read_version(app: App, me: Caller, *, note_id: Id, version_id: Id) -> SnapshotAnswer:
    """Read one snapshot in full, by its legacy version id."""
    return await _snapshot_answer(app, me, note_id, version_id=version_id)


async def _snapshot_answer(
    app: App, me: Caller, note_id: int, *, seq: int | None = None, version_id: int | None = None
) -> SnapshotAnswer:
    # Rendering Markdown takes long for long texts: outside of the transaction.
    row = await app.read(_snapshot_row, me, note_id, seq=seq, version_id=version_id)
    return SnapshotAnswer(
        FullSnapshot(
            **msgspec.structs.asdict(_snapshot_record(row)),
            content=await render_async.render_html(row["content"]),
            markdown=row["content"],
        )
    )


def _snapshot_row(
    tx: Tx, me: Caller, note_id: int, *, seq: int | None, version_id: int | None
) -> sqlite3.Row:
    access.require_note(tx, me, note_id, columns="owner_id, folder_id")
    return snapshot_rows.require_snapshot(tx, note_id, seq=seq, version_id=version_id)


def _snapshot_record(row: sqlite3.Row) -> Snapshot:
    fields = list(row[:8])
    fields[5] = msgspec.Raw(row[5])  # the author is JSON in its row, and goes out as it is
    return Snapshot(*fields)
