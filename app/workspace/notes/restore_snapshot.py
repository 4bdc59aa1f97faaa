"""Restoring a snapshot: the note gets its text back."""

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Record
from app.errors import Invalid
from app.workspace.folders import access
from app.workspace.notes import note_rows, snapshot_rows


class RestoredNote(Record):
    id: int
    title: str
    revision: int


class Restored(Record):
    """`safetySeq` is the snapshot of the note as it was before.

    Null where that was no other text.
    """

    note: RestoredNote
    restored_seq: int
    safety_seq: int | None


@operation(
    "POST /os/snapshots/{noteId}/restore",
    category="snapshots",
    scope="os.snapshots:write",
    http=Http(refuses={"seq": "neither or both of it and versionId are given"}),
    tool=Tool(risk="W", overwrites=True),
)
def restore_snapshot(
    tx: Tx, me: Caller, *, note_id: Id, seq: Id | None = None, version_id: Id | None = None
) -> Restored:
    """Give a note the text of a snapshot.

    What it held before is kept as a snapshot first, unless it holds that text already.
    """
    if (seq is None) == (version_id is None):
        raise Invalid("Give either seq or versionId.", field="seq")
    note = access.require_note(tx, me, note_id, "writer")
    snapshot = snapshot_rows.require_snapshot(tx, note_id, seq=seq, version_id=version_id)
    safety = None
    if snapshot["content"] != note["content"]:
        safety = snapshot_rows.take(
            tx, me, note, label=snapshot_rows.BEFORE_RESTORE, automatic=True
        )
        note_rows.update(
            tx,
            note,
            title=note["title"],
            tags=note["tags"],
            text=note_rows.measure_text(snapshot["content"]),
        )
    revision = tx.value("SELECT revision FROM notes WHERE id = :id", id=note_id)
    return Restored(RestoredNote(note_id, note["title"], revision), snapshot["seq"], safety)
