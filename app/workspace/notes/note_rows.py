"""The table of notes: every statement that changes it.

Each keeps the counters and indexes in step.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from app.core.database.tx import Tx
from app.core.text import word_count
from app.errors import PayloadTooLarge, RevisionConflict
from app.workspace.folders import folder_rows, workspace_counters
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import link_rows, name_index, note_tags, trigram_index, word_index

LARGEST_CONTENT = 10 << 20
CHANGED = "note.changed"
"""Published with a note's id when its title, its text or its owner is another, or when it comes,
goes, is trashed or is restored.
"""
MANY_CHANGED = "notes.changed"
"""Published with an owner when many of their notes are trashed or restored at once."""


class ImportedState(msgspec.Struct, frozen=True):
    """What a note brings along that was one before it came here."""

    created_at: str
    updated_at: str
    pinned: bool = False
    version: int = 1


class Text(msgspec.Struct, frozen=True):
    """A note's text, measured before the transaction that stores it."""

    content: str
    size: int
    words: int


def measure_text(content: str, *, field: str = "content") -> Text:
    """Measure a text; raise PayloadTooLarge above 10 MiB of UTF-8."""
    size = len(content) if content.isascii() else len(content.encode())
    if size > LARGEST_CONTENT:
        raise PayloadTooLarge(
            f"{field} is larger than 10 MiB.", field=field, limitBytes=LARGEST_CONTENT
        )
    return Text(content, size, word_count(content))


def require_revision(note: sqlite3.Row, if_revision: int | None) -> None:
    """Raise RevisionConflict when a note is no longer at the revision that is asked for."""
    if if_revision is not None and if_revision != note["revision"]:
        raise RevisionConflict(
            "The note has changed since: ifRevision is not its revision.",
            field="ifRevision",
            revision=note["revision"],
            updatedAt=note["updated_at"],
        )


def insert(
    tx: Tx,
    *,
    owner: int,
    folder_id: int | None,
    title: str,
    text: Text,
    tags: str = "[]",
    past: ImportedState | None = None,
) -> int:
    """Add a note and return its id; `past` for one that was made elsewhere before."""
    past = past or ImportedState(tx.now, tx.now)
    note_id = tx.insert(
        "notes",
        owner_id=owner,
        folder_id=folder_id,
        title=title,
        tags=tags,
        word_count=text.words,
        size=text.size,
        content=text.content,
        **msgspec.structs.asdict(past),
    )
    # The names need no call: the name index follows the highest id by itself.
    word_index.add(tx, note_id)
    trigram_index.note_change(tx, note_id, text.size)
    note_tags.insert(tx, owner, note_id, tags)
    link_rows.add(tx, note_id, owner=owner, text=text.content)
    _add_to_counts(tx, owner, folder_id, 1, text.size)
    tx.emit(CHANGED, id=note_id)
    return note_id


def update(tx: Tx, note: sqlite3.Row, *, title: str, tags: str, text: Text) -> None:
    """Give a note another title, other tags or another text.

    Its revision grows by 1, its version when the text is another.
    """
    tx.run(
        """UPDATE notes SET title = :title, tags = :tags, content = :content,
           size = :size, word_count = :words, revision = revision + 1,
               version = version + :new_version, updated_at = :now WHERE id = :id""",
        title=title,
        tags=tags,
        content=text.content,
        size=text.size,
        words=text.words,
        new_version=int(text.content != note["content"]),
        now=tx.now,
        id=note["id"],
    )
    _reindex(tx, note, title, tags, text)
    name_index.rename(tx, "note", note["id"], owner=note["owner_id"], old=note["title"], new=title)
    if tags != note["tags"]:
        _delete_tags(tx, note)
        _insert_tags(tx, note["owner_id"], note["id"], tags)
    workspace_counters.add(tx, note["owner_id"], size=text.size - note["size"])
    if (title, text.content) != (note["title"], note["content"]):
        tx.emit(CHANGED, id=note["id"])


def replace_addresses(tx: Tx, note: sqlite3.Row, text: Text) -> None:
    """Put the true addresses into a text that was stored before they were known.

    Neither a change of the note nor a new version of it.
    """
    tx.run(
        "UPDATE notes SET content = :content, size = :size, word_count = :words, "
        "revision = revision + 1 WHERE id = :id",
        content=text.content,
        size=text.size,
        words=text.words,
        id=note["id"],
    )
    _reindex(tx, note, note["title"], note["tags"], text)
    workspace_counters.add(tx, note["owner_id"], size=text.size - note["size"])
    tx.emit(CHANGED, id=note["id"])


def move(tx: Tx, note: sqlite3.Row, *, owner: int, folder_id: int | None) -> None:
    """Move a note; in a folder of another owner it becomes that owner's.

    Its time of change stays.
    """
    tx.run(
        "UPDATE notes SET owner_id = :owner, folder_id = :folder, revision = revision "
        "+ 1 WHERE id = :id",
        owner=owner,
        folder=folder_id,
        id=note["id"],
    )
    # Words, links, names and tags are kept by owner; a move within one leaves them alone.
    if owner != note["owner_id"]:
        tx.emit(CHANGED, id=note["id"])
        word_index.change_owner(
            tx, note["id"], _words_of_note(note), old=note["owner_id"], new=owner
        )
        link_rows.change_owner(tx, note["id"], owner)
        name_index.change_owner(
            tx, "note", note["id"], note["title"], old_owner=note["owner_id"], new_owner=owner
        )
        _delete_tags(tx, note)
        _insert_tags(tx, owner, note["id"], note["tags"])
    _add_to_counts(tx, note["owner_id"], note["folder_id"], -1, -note["size"])
    _add_to_counts(tx, owner, folder_id, 1, note["size"])


def set_pinned(tx: Tx, note: sqlite3.Row, *, pinned: bool) -> None:
    """Pin or unpin a note; its time of change stays."""
    tx.run(
        "UPDATE notes SET pinned = :pinned, revision = revision + 1 WHERE id = :id",
        pinned=pinned,
        id=note["id"],
    )
    workspace_counters.add(tx, note["owner_id"])


def next_snapshot_number(tx: Tx, note_id: int) -> int:
    """Count one more snapshot of a note and return its number, which is never used again."""
    row = tx.require_row(
        "UPDATE notes SET snapshot_seq = snapshot_seq + 1, snapshot_count = "
        "snapshot_count + 1 WHERE id = :id RETURNING snapshot_seq",
        id=note_id,
    )
    return int(row[0])


def count_snapshots(tx: Tx, note_id: int, number: int, last: int) -> None:
    """Count so many more snapshots of a note, the highest of which has the number `last`."""
    tx.run(
        "UPDATE notes SET snapshot_seq = max(snapshot_seq, :last), snapshot_count = "
        "snapshot_count + :number WHERE id = :id",
        last=last,
        number=number,
        id=note_id,
    )


def forget_snapshots(tx: Tx, note_id: int, number: int) -> None:
    """Count fewer snapshots of a note."""
    tx.run(
        "UPDATE notes SET snapshot_count = snapshot_count - :number WHERE id = :id",
        number=number,
        id=note_id,
    )


def recount_snapshots(tx: Tx) -> None:
    """Count anew the snapshots of every note whose counter is wrong."""
    tx.run(
        """UPDATE notes SET snapshot_count = s.number
           FROM (SELECT n.id AS note, count(s.id) AS number FROM notes n LEFT
             JOIN snapshots s ON s.note_id = n.id GROUP BY n.id) s
           WHERE notes.id = s.note AND notes.snapshot_count <> s.number"""
    )
    tx.run(
        """UPDATE notes SET snapshot_seq = s.last
           FROM (SELECT note_id, max(seq) AS last FROM snapshots GROUP BY note_id) s
           WHERE notes.id = s.note_id AND notes.snapshot_seq < s.last"""
    )


def remeasure_all(tx: Tx) -> None:
    """Measure the texts of all notes anew."""
    for note_id, size, number, content in tx.all("SELECT id, size, word_count, content FROM notes"):
        if (size, number) != ((text := measure_text(content)).size, text.words):
            tx.run(
                "UPDATE notes SET size = :size, word_count = :words, revision = revision + 1 "
                "WHERE id = :id",
                size=text.size,
                words=text.words,
                id=note_id,
            )


def trash_one(tx: Tx, note: sqlite3.Row, trash_id: int) -> None:
    """Put one live note into the trash."""
    tx.update("notes", {"id": note["id"]}, trash_id=trash_id)
    _add_to_counts(tx, note["owner_id"], note["folder_id"], -1, -note["size"])
    tx.emit(CHANGED, id=note["id"])


def trash_in(tx: Tx, owner: int, folder_ids: Sequence[int], trash_id: int) -> int:
    """Put every live note of the owner's folders into the trash under one entry.

    Return their number.
    """
    listed = id_list(folder_ids)
    # One event and one count for all: a folder may hold many thousands.
    row = tx.require_row(
        "SELECT count(*), ifnull(sum(size), 0) FROM notes "
        f"WHERE owner_id = :owner AND folder_id IN ({IN_LIST}) AND trash_id IS NULL",
        owner=owner,
        ids=listed,
    )
    tx.run(
        "UPDATE notes SET trash_id = :trash "
        f"WHERE owner_id = :owner AND folder_id IN ({IN_LIST}) AND trash_id IS NULL",
        trash=trash_id,
        owner=owner,
        ids=listed,
    )
    workspace_counters.add(tx, owner, notes=-row[0], size=-row[1])
    tx.emit(MANY_CHANGED, owner=owner)
    for folder_id in folder_ids:
        folder_rows.set_note_count(tx, folder_id, 0)
    return int(row[0])


def restore_one(tx: Tx, note: sqlite3.Row, folder_id: int | None) -> None:
    """Take one note out of the trash, into a folder or the root."""
    tx.run(
        "UPDATE notes SET trash_id = NULL, folder_id = :folder, revision = revision + "
        "(folder_id IS NOT :folder) WHERE id = :id",
        folder=folder_id,
        id=note["id"],
    )
    _add_to_counts(tx, note["owner_id"], folder_id, 1, note["size"])
    tx.emit(CHANGED, id=note["id"])


def restore_all(tx: Tx, owner: int, trash_id: int) -> None:
    """Take all notes of one entry out of the trash, each into the folder it lay in."""
    rows = tx.all(
        "SELECT folder_id, count(*) AS number, sum(size) AS size FROM notes "
        "WHERE trash_id = :trash GROUP BY folder_id",
        trash=trash_id,
    )
    tx.update("notes", {"trash_id": trash_id}, trash_id=None)
    workspace_counters.add(tx, owner)
    tx.emit(MANY_CHANGED, owner=owner)
    for row in rows:
        _add_to_counts(tx, owner, row["folder_id"], row["number"], row["size"])


def forget_folders(tx: Tx, folder_ids: Sequence[int]) -> None:
    """Let trashed notes forget folders that are about to be deleted for good."""
    tx.run(
        "UPDATE notes SET folder_id = NULL, revision = revision + 1 "
        f"WHERE trash_id IS NOT NULL AND folder_id IN ({IN_LIST})",
        ids=id_list(folder_ids),
    )


def purge(tx: Tx, note_ids: Sequence[int]) -> int:
    """Delete notes for good, live or trashed, with their snapshots; return their number."""
    for note_id in note_ids:
        # The contentless indexes are told the very text they hold, so it is read before it goes.
        note = tx.one("SELECT * FROM notes WHERE id = :id", id=note_id)
        if note is None:
            continue
        word_index.remove(tx, note_id, owner=note["owner_id"], old=_words_of_note(note))
        link_rows.remove(tx, note_id)
        name_index.remove(tx, "note", note_id, owner=note["owner_id"], name=note["title"])
        trigram_index.remove(tx, note_id, note["content"])
        _delete_tags(tx, note)
        tx.run("DELETE FROM notes WHERE id = :id", id=note_id)
        if note["trash_id"] is None:
            _add_to_counts(tx, note["owner_id"], note["folder_id"], -1, -note["size"])
        tx.emit(CHANGED, id=note_id)
    return len(note_ids)


def _reindex(tx: Tx, note: sqlite3.Row, title: str, tags: str, text: Text) -> None:
    word_index.update(
        tx,
        note["id"],
        owner=note["owner_id"],
        old=_words_of_note(note),
        new=word_index.IndexedText(title, tags, text.content),
    )
    if text.content != note["content"]:
        trigram_index.note_change(tx, note["id"], text.size, indexed=note["content"])
        link_rows.update(
            tx, note["id"], owner=note["owner_id"], old=note["content"], new=text.content
        )


def _delete_tags(tx: Tx, note: sqlite3.Row) -> None:
    note_tags.delete(tx, note["owner_id"], note["id"], note["tags"])
    name_index.drop_tags(tx, note["owner_id"], note["tags"])


def _insert_tags(tx: Tx, owner: int, note_id: int, tags: str) -> None:
    note_tags.insert(tx, owner, note_id, tags)
    name_index.add_tags(tx, owner, tags)


def _words_of_note(note: sqlite3.Row) -> word_index.IndexedText:
    return word_index.IndexedText(note["title"], note["tags"], note["content"])


def _add_to_counts(tx: Tx, owner: int, folder_id: int | None, notes: int, size: int) -> None:
    workspace_counters.add(
        tx, owner, notes=notes, root_notes=notes if folder_id is None else 0, size=size
    )
    folder_rows.add_to_note_count(tx, folder_id, notes)
