"""The word index of notes (FTS5, external content): every statement that changes it.

A new note is only written down as waiting, in the transaction that stores it; it is indexed together with others, when the writer is idle,
when many wait, or when somebody searches, whichever comes first. So the index is current for every search, and a write does not pay for it:
indexing a note alone costs about three times what it costs among others.
"""

from typing import NamedTuple

from app.core.tx import Tx

BATCH = 256
MOST_WAITING = 4_096
MERGE_PAGES = 100
STEP_BYTES = 2 << 20


class Words(NamedTuple):
    """What of a note is indexed. An entry is taken out with the very texts it was put in with."""

    title: str
    tags: str
    content: str


def add(tx: Tx, note_id: int) -> None:
    """Take note of a new note; when writes never pause, index some of those that wait now and then, so that they are never many thousands."""
    tx.run("INSERT INTO waiting_words (note_id) VALUES (:id)", id=note_id)
    if note_id % BATCH == 0 and tx.value("SELECT min(note_id) FROM waiting_words") < note_id - MOST_WAITING:
        index_waiting(tx)


def change(tx: Tx, note_id: int, *, old: Words, new: Words) -> None:
    """Index a note anew after its texts have changed, unless it waits anyway."""
    if not _waits(tx, note_id):
        _take(tx, note_id, old)
        _put(tx, note_id, new)


def remove(tx: Tx, note_id: int, old: Words) -> None:
    """Take a note out."""
    if tx.run("DELETE FROM waiting_words WHERE note_id = :id", id=note_id).rowcount == 0:
        _take(tx, note_id, old)


def any_waiting(tx: Tx) -> bool:
    """Say whether a note waits to be indexed."""
    return tx.one("SELECT 1 FROM waiting_words LIMIT 1") is not None


def index_waiting(tx: Tx, most: int = 2 * BATCH, most_bytes: int = STEP_BYTES) -> None:
    """Index some of the notes that wait, oldest first: at most so many, and no more once they come to so many bytes."""
    rows = tx.all("SELECT w.note_id, n.size FROM waiting_words w JOIN notes n ON n.id = w.note_id ORDER BY w.note_id LIMIT :most", most=most)
    size = 0
    for note_id, bytes_ in rows:
        _put(tx, note_id, Words(*tx.sure("SELECT title, tags, content FROM notes WHERE id = :id", id=note_id)))
        tx.run("DELETE FROM waiting_words WHERE note_id = :id", id=note_id)
        size += bytes_
        if size >= most_bytes:
            break


def tend(tx: Tx) -> bool:
    """Do a little of what can wait for an idle moment: index new notes, then keep the index in few segments; say whether there is more to do."""
    if any_waiting(tx):
        index_waiting(tx, BATCH // 4, STEP_BYTES // 8)
        return True
    before = tx.connection.total_changes
    tx.run("INSERT INTO note_words (note_words, rank) VALUES ('merge', :pages)", pages=MERGE_PAGES)
    return tx.connection.total_changes - before > 1


def _waits(tx: Tx, note_id: int) -> bool:
    return tx.one("SELECT 1 FROM waiting_words WHERE note_id = :id", id=note_id) is not None


def _put(tx: Tx, note_id: int, words: Words) -> None:
    tx.run("INSERT INTO note_words (rowid, title, tags, content) VALUES (:id, :title, :tags, :content)", id=note_id, **words._asdict())


def _take(tx: Tx, note_id: int, words: Words) -> None:
    tx.run(
        "INSERT INTO note_words (note_words, rowid, title, tags, content) VALUES ('delete', :id, :title, :tags, :content)",
        id=note_id,
        **words._asdict(),
    )
