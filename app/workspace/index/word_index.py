"""The word index of notes (FTS5): every statement that changes it.

Each owner has an index of their own, `note_words_<owner id>`, so that neither results nor scores
nor times of a search depend on what others have. It keeps no text: an entry is taken out by giving
it the very texts it was put in with.

A new note is only written down as waiting, in the transaction that stores it; it is indexed
together with others, when the writer is idle, when many wait, or when somebody searches, whichever
comes first. So the index is current for every search, and a write does not pay for it: indexing a
note alone costs about three times what it costs among others.

After the rules of spelling have changed, all is indexed anew in the background: notes up to
`stale_to` are not in the index yet, newest first.
"""

import itertools
import re
import sqlite3

import msgspec

from app.core.database.tx import Tx
from app.core.markdown import blocks
from app.workspace.index import note_tags
from app.workspace.index.spellings import FORMAT, OPEN_TODO, TOKENIZER, text_for_index

BATCH = 256
MOST_WAITING = 4_096
MERGE_PAGES = 100
STEP_BYTES = 1 << 20
GATHERED_BYTES = 4 << 20
"""How much FTS5 gathers in memory before it writes a segment.

More than a step comes to, so that each makes one, which is twice as fast as four.
"""
WEIGHTS = {"content": 1.0, "title": 3.0, "headings": 2.0, "tags": 3.0}
"""The columns, and what a hit in each counts.

FTS5 writes no column number for the first one, so that the longest being first saves a third.
"""
_COLUMNS = ", ".join(WEIGHTS)
_VALUES = ", ".join(f":{column}" for column in WEIGHTS)
_OPEN_BOX = re.compile(r"(?<![^\s])(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[ \]")


class IndexedText(msgspec.Struct, frozen=True):
    """What of a note is indexed, as the note's row has it."""

    title: str
    tags: str
    content: str


def table_name(owner: int) -> str:
    """Return the name of an owner's index."""
    return f"note_words_{owner:d}"


def add(tx: Tx, note_id: int) -> None:
    """Take note of a new note; when writes never pause, index some of those that wait now and
    then, so that they are never many thousands.
    """
    tx.insert("waiting_words", note_id=note_id)
    if note_id % BATCH == 0:
        oldest = tx.value("SELECT min(note_id) FROM waiting_words")
        if oldest < note_id - MOST_WAITING:
            index_waiting(tx)


def update(tx: Tx, note_id: int, *, owner: int, old: IndexedText, new: IndexedText) -> None:
    """Index a note anew after its texts have changed, unless it waits anyway."""
    if not _is_waiting(tx, note_id):
        _delete(tx, note_id, owner, old)
        _insert(tx, note_id, owner, new)


def change_owner(tx: Tx, note_id: int, words: IndexedText, *, old: int, new: int) -> None:
    """Move the entry of a note that has got another owner."""
    if not _is_waiting(tx, note_id):
        _delete(tx, note_id, old, words)
        _ensure_table(tx, new)
        _insert(tx, note_id, new, words)


def remove(tx: Tx, note_id: int, *, owner: int, old: IndexedText) -> None:
    """Take a note out."""
    waited = tx.run("DELETE FROM waiting_words WHERE note_id = :id", id=note_id).rowcount
    if not waited and not _is_waiting(tx, note_id):
        _delete(tx, note_id, owner, old)


def drop(tx: Tx, owner: int) -> None:
    """Delete an owner's whole index."""
    if tx.run("DELETE FROM word_owners WHERE owner_id = :owner", owner=owner).rowcount:
        tx.run(f"DROP TABLE IF EXISTS {table_name(owner)}")


def any_waiting(tx: Tx) -> bool:
    """Return whether a note waits to be indexed."""
    return bool(
        tx.value(
            "SELECT EXISTS (SELECT 1 FROM waiting_words) OR EXISTS (SELECT 1 "
            "FROM word_index WHERE stale_to > 0)"
        )
    )


def is_stale(tx: Tx) -> bool:
    """Return whether older notes are still to be indexed anew."""
    return bool(tx.value("SELECT stale_to > 0 FROM word_index"))


def is_outdated(tx: Tx) -> bool:
    """Return whether the index was made by other rules of spelling."""
    return bool(tx.value("SELECT format <> :format FROM word_index", format=FORMAT))


def clear(tx: Tx) -> None:
    """Empty the index; the background work fills it again."""
    for row in tx.all("SELECT owner_id FROM word_owners"):
        drop(tx, row["owner_id"])
    tx.run("DELETE FROM waiting_words")
    tx.run(
        "UPDATE word_index SET format = :format, stale_to = (SELECT ifnull(max(id), 0) FROM notes)",
        format=FORMAT,
    )


def index_waiting(tx: Tx, most: int = 2 * BATCH, most_bytes: int = STEP_BYTES) -> None:
    """Index some of the notes that wait, oldest first, or else some stale ones.

    So many at most, and no more once they come to so many bytes.
    """
    waiting = tx.all(
        "SELECT w.note_id, n.size FROM waiting_words w "
        "JOIN notes n ON n.id = w.note_id ORDER BY w.note_id LIMIT :most",
        most=most,
    )
    if waiting:
        some = _first_within(waiting, most_bytes)
        _insert_all(tx, some)
        tx.run("DELETE FROM waiting_words WHERE note_id <= :last", last=some[-1])
        return
    stale = tx.all(
        "SELECT id, size FROM notes WHERE id <= (SELECT stale_to FROM word_index) "
        "ORDER BY id DESC LIMIT :most",
        most=most,
    )
    some = _first_within(stale, most_bytes)
    # Upwards: FTS5 flushes what it has gathered whenever a rowid is below the last one.
    _insert_all(tx, some[::-1])
    tx.run(
        "UPDATE word_index SET stale_to = :before WHERE stale_to > 0",
        before=some[-1] - 1 if some else 0,
    )


def do_idle_work(tx: Tx) -> bool:
    """Do a little of what can wait for an idle moment.

    Index notes, then keep each index in few segments; return whether there is more to do.
    """
    if any_waiting(tx):
        index_waiting(tx, BATCH // 4, STEP_BYTES // 8)
        return True
    # All of them, before any() looks: each owner's index has its turn.
    merged = [_merge(tx, row["owner_id"]) for row in tx.all("SELECT owner_id FROM word_owners")]
    return any(merged)


def count_pages(tx: Tx, owner: int, beginning: str) -> int:
    """Return on how many pages of an owner's index the entries lie that begin so."""
    low = b"0" + beginning.encode()  # how FTS5 writes the entries of its main index
    sql = (
        f"SELECT max(pgno) / 2 - min(pgno) / 2 + 1 FROM {table_name(owner)}_idx "
        "WHERE term >= :low AND term < :high GROUP BY segid"
    )
    return sum(row[0] for row in tx.all(sql, low=low, high=low + b"\xff"))


def fts_columns(words: IndexedText) -> dict[str, str]:
    """Return the texts that FTS5 is given for a note, by column."""
    headings, text = _split_headings(words.content)
    tags = "" if words.tags == note_tags.NONE else text_for_index(words.tags)
    if "[ ]" in words.content and _OPEN_BOX.search(words.content):
        tags = f"{tags} {OPEN_TODO}"
    return {
        "title": text_for_index(words.title),
        "headings": text_for_index(headings),
        "tags": tags,
        "content": text_for_index(text),
    }


def create_statement(name: str) -> str:
    """Return the statement that makes an index."""
    return (
        f"CREATE VIRTUAL TABLE {name} USING fts5 ({_COLUMNS}, content='', tokenize=\"{TOKENIZER}\")"
    )


def _is_waiting(tx: Tx, note_id: int) -> bool:
    """Return whether a note has no entry yet."""
    return bool(
        tx.value(
            "SELECT EXISTS (SELECT 1 FROM waiting_words "
            "WHERE note_id = :id) OR EXISTS (SELECT 1 FROM word_index "
            "WHERE stale_to >= :id)",
            id=note_id,
        )
    )


def _ensure_table(tx: Tx, owner: int) -> None:
    """Make an owner's index if it is missing."""
    made = tx.run(
        "INSERT INTO word_owners (owner_id) VALUES (:owner) ON CONFLICT DO NOTHING", owner=owner
    )
    if not made.rowcount:
        return
    name = table_name(owner)
    tx.run(create_statement(name))
    rank = f"bm25({', '.join(map(str, WEIGHTS.values()))})"
    # Merging is left to idle moments: by itself FTS5 would do it within somebody's write.
    for setting, value in (
        ("automerge", 0),
        ("crisismerge", 64),
        ("hashsize", GATHERED_BYTES),
        ("rank", rank),
    ):
        tx.run(
            f"INSERT INTO {name} ({name}, rank) VALUES (:setting, :value)",
            setting=setting,
            value=value,
        )


def _first_within(notes: list[sqlite3.Row], most_bytes: int) -> list[int]:
    """Return the ids of the first notes up to the one with which they come to so many bytes.

    Each row is an id and a size.
    """
    sizes = itertools.accumulate(size for _, size in notes)
    return [
        note_id
        for (note_id, size), total in zip(notes, sizes, strict=True)
        if total - size < most_bytes
    ]


def _insert_all(tx: Tx, note_ids: list[int]) -> None:
    ready = set()
    for note_id in note_ids:
        owner, *texts = tx.require_row(
            "SELECT owner_id, title, tags, content FROM notes WHERE id = :id", id=note_id
        )
        if owner not in ready:
            _ensure_table(tx, owner)
            ready.add(owner)
        _insert(tx, note_id, owner, IndexedText(*texts))


def _insert(tx: Tx, note_id: int, owner: int, words: IndexedText) -> None:
    tx.run(
        f"INSERT INTO {table_name(owner)} (rowid, {_COLUMNS}) VALUES (:id, {_VALUES})",
        id=note_id,
        **fts_columns(words),
    )


def _delete(tx: Tx, note_id: int, owner: int, words: IndexedText) -> None:
    name = table_name(owner)
    tx.run(
        f"INSERT INTO {name} ({name}, rowid, {_COLUMNS}) VALUES ('delete', :id, {_VALUES})",
        id=note_id,
        **fts_columns(words),
    )


def _merge(tx: Tx, owner: int) -> bool:
    """Merge some pages of an owner's index; return whether there was something to merge."""
    # FTS5 says that there was nothing to merge by changing one row only.
    before, name = tx.connection.total_changes, table_name(owner)
    tx.run(f"INSERT INTO {name} ({name}, rank) VALUES ('merge', :pages)", pages=MERGE_PAGES)
    return tx.connection.total_changes - before > 1


def _split_headings(content: str) -> tuple[str, str]:
    """Return a text's headings, and the rest of it."""
    if "#" not in content:
        return "", content
    headings: list[str] = []
    rest: list[str] = []
    for line in blocks.read_lines(content):
        (headings if line.kind == "heading" else rest).append(content[line.start : line.end])
    return "\n".join(headings), "\n".join(rest)
