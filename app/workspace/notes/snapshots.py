"""Snapshots: restorable versions of a note, numbered from 1 and never renumbered."""

import difflib
import sqlite3
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import render_async
from app.core.operation import HOUR, Http, Tool, operation
from app.core.schema import Form, Id, Line, Most, Offset, Record, Text, encode
from app.errors import Invalid, NotFound
from app.workspace.folders import access
from app.workspace.notes import note_rows

BEFORE_EDIT = "auto: before edit"
BEFORE_RESTORE = "auto: before restore"
CURRENT = "current"
PRUNED = 200
Version = Annotated[
    str, Meta(description="a sequence number, or current"), Form("^(current|[1-9][0-9]{0,14})$")
]


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


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot as it was taken elsewhere; `author` is JSON."""

    seq: int
    label: str | None
    title: str
    message: str | None
    author: str
    word_count: int
    automatic: bool
    created_at: str
    content: str


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


class Difference(Record):
    """A unified diff of the Markdown; `added` and `removed` count lines."""

    from_: str = msgspec.field(name="from")
    to: str
    diff: str
    added: int
    removed: int


class Pruned(Record):
    snapshots: int


@operation(
    "GET /os/snapshots/{noteId}",
    category="snapshots",
    scope="os.snapshots:read",
    effect="read",
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
    note = access.note(tx, me, note_id, columns="owner_id, folder_id, snapshot_count")
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM snapshots WHERE note_id = :note "
        "ORDER BY seq DESC LIMIT :limit OFFSET :offset",
        note=note_id,
        limit=limit,
        offset=offset,
    )
    return SnapshotList([_snapshot(row) for row in rows], note["snapshot_count"])


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
    note = access.note(tx, me, note_id, "writer")
    seq = take(tx, me, note, label=label, message=message, automatic=False)
    row = by_seq(tx, note_id, seq)
    return SavedSnapshot(_snapshot(row), Saved(row["id"], note_id, label, row["created_at"]))


@operation(
    "GET /os/snapshots/{noteId}/seq/{seq}",
    category="snapshots",
    scope="os.snapshots:read",
    tool=Tool(risk="R"),
)
async def read_snapshot(app: App, me: Caller, *, note_id: Id, seq: Id) -> SnapshotAnswer:
    """Read one snapshot in full, by its sequence number."""
    return await _full(app, me, note_id, seq=seq)


@operation(
    "GET /os/snapshots/{noteId}/{versionId}", category="snapshots", scope="os.snapshots:read"
)
async def read_version(app: App, me: Caller, *, note_id: Id, version_id: Id) -> SnapshotAnswer:
    """Read one snapshot in full, by its legacy version id."""
    return await _full(app, me, note_id, version_id=version_id)


@operation(
    "POST /os/snapshots/{noteId}/restore",
    category="snapshots",
    scope="os.snapshots:write",
    http=Http(refuses={"seq": "neither or both of it and versionId are given"}),
    tool=Tool(risk="W"),
)
def restore_snapshot(
    tx: Tx, me: Caller, *, note_id: Id, seq: Id | None = None, version_id: Id | None = None
) -> Restored:
    """Give a note the text of a snapshot.

    What it held before is kept as a snapshot first, unless it holds that text already.
    """
    if (seq is None) == (version_id is None):
        raise Invalid("Give either seq or versionId.", field="seq")
    note = access.note(tx, me, note_id, "writer")
    snapshot = _find(tx, note_id, seq=seq, version_id=version_id)
    safety = None
    if snapshot["content"] != note["content"]:
        safety = take(tx, me, note, label=BEFORE_RESTORE, automatic=True)
        note_rows.change(
            tx,
            note,
            title=note["title"],
            tags=note["tags"],
            text=note_rows.measured(snapshot["content"]),
        )
    revision = tx.value("SELECT revision FROM notes WHERE id = :id", id=note_id)
    return Restored(RestoredNote(note_id, note["title"], revision), snapshot["seq"], safety)


@operation(
    "GET /os/snapshots/{noteId}/diff",
    category="snapshots",
    scope="os.snapshots:read",
    since="beyond",
    effect="read",
    tool=Tool(),
)
def diff_snapshots(
    tx: Tx, me: Caller, *, note_id: Id, from_: Version, to: Version = CURRENT
) -> Difference:
    """Compare two versions of a note, line by line."""
    note = access.note(tx, me, note_id)
    old, new = (
        _text_of(tx, note, version, field) for version, field in ((from_, "from"), (to, "to"))
    )
    lines = list(difflib.unified_diff(_lines(old), _lines(new), from_, to, lineterm=""))
    added = sum(line.startswith("+") for line in lines[2:])
    removed = sum(line.startswith("-") for line in lines[2:])
    return Difference(from_=from_, to=to, diff="\n".join(lines), added=added, removed=removed)


@operation("COMMAND", category="workspace", every=HOUR)
async def prune_snapshots(app: App, me: Caller) -> Pruned:
    """Delete the oldest automatic snapshots of notes that have more of them than their owner
    keeps, as after that number was lowered.
    """
    pruned, after = 0, 0
    while rows := await app.read(_with_many, after):
        pruned += await app.write(_prune, [(row["id"], row["keep"]) for row in rows])
        after = rows[-1]["id"]
    return Pruned(pruned)


def take(
    tx: Tx,
    me: Caller,
    note: sqlite3.Row,
    *,
    label: str | None,
    message: str | None = None,
    automatic: bool,
) -> int:
    """Keep the note as it is now and give the snapshot's sequence number.

    Of automatic ones only the newest are kept.
    """
    seq = note_rows.next_snapshot(tx, note["id"])
    tx.run(
        """INSERT INTO snapshots (note_id, seq, label, title, message, author,
          word_count, automatic, created_at, content)
           VALUES (:note, :seq, :label, :title, :message, :author, :words, :automatic, :now,
             :content)""",
        note=note["id"],
        seq=seq,
        label=label,
        title=note["title"],
        message=message,
        author=encode(me.actor).decode(),
        words=note["word_count"],
        automatic=automatic,
        now=tx.now,
        content=note["content"],
    )
    if automatic:
        _drop_oldest(tx, note)
    return seq


def bring(tx: Tx, note_id: int, kept: Sequence[Kept]) -> None:
    """Add snapshots that were taken elsewhere, under their own numbers.

    Of those that are there already nothing changes.
    """
    added = 0
    for one in kept:
        added += tx.run(
            """INSERT INTO snapshots (note_id, seq, label, title, message, author,
          word_count, automatic, created_at, content)
               VALUES (:note, :seq, :label, :title, :message, :author, :word_count, :automatic,
                 :created_at, :content)
               ON CONFLICT (note_id, seq) DO NOTHING""",
            note=note_id,
            **msgspec.structs.asdict(one),
        ).rowcount
    note_rows.count_snapshots(tx, note_id, added, max((one.seq for one in kept), default=0))


def by_seq(tx: Tx, note_id: int, seq: int) -> sqlite3.Row:
    """Give a note's snapshot of that number; raise NotFound."""
    return _find(tx, note_id, seq=seq, version_id=None)


def _drop_oldest(tx: Tx, note: sqlite3.Row) -> None:
    keep = users.settings_of_user(tx, note["owner_id"]).snapshot_keep
    if note["snapshot_count"] + 1 > keep:
        _drop(tx, note["id"], keep)


def _drop(tx: Tx, note_id: int, keep: int) -> int:
    """Delete all automatic snapshots of a note but the newest `keep`; give how many."""
    dropped = tx.run(
        """DELETE FROM snapshots WHERE note_id = :note AND automatic AND seq <= (
               SELECT seq FROM snapshots WHERE note_id = :note AND automatic ORDER BY seq DESC
                 LIMIT 1 OFFSET :keep)""",
        note=note_id,
        keep=keep,
    )
    if dropped.rowcount:
        note_rows.forget_snapshots(tx, note_id, dropped.rowcount)
    return dropped.rowcount


def _with_many(tx: Tx, after: int) -> list[sqlite3.Row]:
    """Give the next notes that have more snapshots than their owner keeps, each with that
    number.
    """
    return tx.all(
        """SELECT n.id, k.keep FROM notes n
           JOIN (SELECT id, ifnull(json_extract(settings, '$.snapshot_keep'), :usual) AS keep
             FROM users) k ON k.id = n.owner_id
           WHERE n.id > :after AND n.snapshot_count > k.keep ORDER BY n.id LIMIT :some""",
        after=after,
        usual=users.AccountSettings("").snapshot_keep,
        some=PRUNED,
    )


def _prune(tx: Tx, some: list[tuple[int, int]]) -> int:
    return sum(_drop(tx, note, keep) for note, keep in some)


async def _full(
    app: App, me: Caller, note_id: int, *, seq: int | None = None, version_id: int | None = None
) -> SnapshotAnswer:
    row = await app.read(_read, me, note_id, seq=seq, version_id=version_id)
    return SnapshotAnswer(
        FullSnapshot(
            *_fields(row), content=await render_async.html(row["content"]), markdown=row["content"]
        )
    )


def _read(
    tx: Tx, me: Caller, note_id: int, *, seq: int | None, version_id: int | None
) -> sqlite3.Row:
    access.note(tx, me, note_id, columns="owner_id, folder_id")
    return _find(tx, note_id, seq=seq, version_id=version_id)


def _find(
    tx: Tx, note_id: int, *, seq: int | None, version_id: int | None, field: str | None = None
) -> sqlite3.Row:
    row = tx.one(
        f"SELECT {_COLUMNS}, content FROM snapshots "
        "WHERE note_id = :note AND "
        f"{'seq = :seq' if seq is not None else 'id = :version'}",
        note=note_id,
        seq=seq,
        version=version_id,
    )
    if row is None:
        raise NotFound(
            "This note has no such snapshot.",
            field=field or ("versionId" if seq is None else "seq"),
        )
    return row


def _text_of(tx: Tx, note: sqlite3.Row, version: str, field: str) -> str:
    if version == CURRENT:
        return str(note["content"])
    if not (version.isascii() and version.isdecimal() and len(version) < 16):
        raise Invalid(f"{field} must be a sequence number or current.", field=field)
    return str(_find(tx, note["id"], seq=int(version), version_id=None, field=field)["content"])


def _lines(text: str) -> list[str]:
    """Give the lines of a text as `diff` has them.

    Ended by LF alone, so that other line ends show as the changes they are.
    """
    return text.removesuffix("\n").split("\n") if text else []


_COLUMNS = "id, seq, label, title, message, author, word_count, created_at"


def _fields(
    row: sqlite3.Row,
) -> tuple[int, int, str | None, str, str | None, msgspec.Raw, int, str]:
    return row[0], row[1], row[2], row[3], row[4], msgspec.Raw(row[5]), row[6], row[7]


def _snapshot(row: sqlite3.Row) -> Snapshot:
    return Snapshot(*_fields(row))
