"""The word index of notes (FTS5, external content): every statement that changes it.

The index holds what the note's row holds, so an entry is taken out with the very texts it was put in with.
"""

from app.core.tx import Tx

MERGE_PAGES = 100


def put(tx: Tx, note_id: int, *, title: str, tags: str, content: str) -> None:
    """Index a note."""
    tx.run(
        "INSERT INTO note_words (rowid, title, tags, content) VALUES (:id, :title, :tags, :content)",
        id=note_id,
        title=title,
        tags=tags,
        content=content,
    )


def take(tx: Tx, note_id: int, *, title: str, tags: str, content: str) -> None:
    """Take a note out, by the texts it was put in with."""
    tx.run(
        "INSERT INTO note_words (note_words, rowid, title, tags, content) VALUES ('delete', :id, :title, :tags, :content)",
        id=note_id, title=title, tags=tags, content=content,
    )  # fmt: skip


def merge(tx: Tx) -> bool:
    """Do a little of what keeps the index in few segments; say whether there is more to do. Writes only add segments, so that they stay quick."""
    before = tx.connection.total_changes
    tx.run("INSERT INTO note_words (note_words, rank) VALUES ('merge', :pages)", pages=MERGE_PAGES)
    return tx.connection.total_changes - before > 1
