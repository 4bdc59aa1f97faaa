"""The trigram index of notes' texts (FTS5, contentless), which says where a grep need not look.

Every statement that changes it.

A change of a note is only written down as waiting, with the text by which it is indexed; the
index follows when the writer is idle. Whoever asks the index adds the notes that wait, so what
it answers is never old. Long texts wait for good: reading them is quick, and indexing one would
hold up the writer for seconds. Without the index (a setting) all notes wait.
"""

from app.core.database.tx import Tx

LARGEST = 1 << 17
STEP_BYTES = 1 << 15
STEP_NOTES = 64
MERGE_PAGES = 64
PROBES, PROBED = 5, 200
DUE = "(large = 0 OR indexed IS NOT NULL)"


def note_change(tx: Tx, note_id: int, size: int, *, indexed: str | None = None) -> None:
    """Take note of a new text of a note.

    `indexed` is the text before, by which the note is in the index unless it waits.
    """
    # One that waits already keeps the text by which the index still holds it.
    tx.run(
        """INSERT INTO waiting_grams (note_id, large, indexed) VALUES (:id, :large, :indexed)
           ON CONFLICT (note_id) DO UPDATE SET large = excluded.large""",
        id=note_id,
        large=size > LARGEST,
        indexed=indexed,
    )


def remove(tx: Tx, note_id: int, indexed: str) -> None:
    """Take note that a note is gone, whose last text is `indexed`."""
    # One that was never indexed only stops waiting; the entry of another is deleted later.
    unindexed = tx.run(
        "DELETE FROM waiting_grams WHERE note_id = :id AND indexed IS NULL", id=note_id
    )
    if not unindexed.rowcount:
        note_change(tx, note_id, 0, indexed=indexed)


def find_candidates(tx: Tx, match: str, *, after: int, most: int) -> list[int]:
    """Return the next ids of notes, of anyone, that a query of the index finds or that wait for
    it.
    """
    rows = tx.all(
        """SELECT id FROM (SELECT rowid AS id FROM note_grams
           WHERE note_grams MATCH :match AND rowid > :after ORDER BY rowid LIMIT :most)
           UNION SELECT id FROM (SELECT note_id AS id FROM waiting_grams WHERE note_id > :after
             ORDER BY note_id LIMIT :most)
           ORDER BY id LIMIT :most""",
        match=match,
        after=after,
        most=most,
    )
    return [row[0] for row in rows]


def do_idle_work(tx: Tx) -> bool:
    """Do a little of what can wait for an idle moment.

    Index some notes that wait and keep the index in few segments; return whether there is more.
    """
    rows = tx.all(
        f"""SELECT w.note_id, w.indexed IS NOT NULL AS old, w.large, n.size
            FROM waiting_grams w LEFT JOIN notes n ON n.id = w.note_id
            WHERE {DUE} ORDER BY w.note_id LIMIT :most""",
        most=STEP_NOTES,
    )
    size = 0
    for note_id, old, large, bytes_ in rows:
        if old:
            _delete(tx, note_id)
        if not large:
            _insert(tx, note_id)
        size += bytes_ or 0
        if size >= STEP_BYTES:
            break
    return _merge(tx) or bool(rows)


def clear_some(tx: Tx) -> bool:
    """Take all notes out of the index, since it is not wanted; they wait until it is.

    Return False as idle work does: there is no more to do.
    """
    if tx.one("SELECT 1 FROM notes LIMIT 1") and tx.one("SELECT 1 FROM note_grams_idx LIMIT 1"):
        rebuild(tx)
    return False


def rebuild(tx: Tx) -> None:
    """Empty the index and let all notes wait for it again; for a damaged one."""
    tx.run("INSERT INTO note_grams (note_grams) VALUES ('delete-all')")
    tx.run("DELETE FROM waiting_grams")
    tx.run(
        "INSERT INTO waiting_grams (note_id, large) SELECT id, size > :largest FROM notes",
        largest=LARGEST,
    )


def find_unindexed(tx: Tx, step: int = 1) -> list[int]:
    """Return the ids of those notes, of each `step`th, that do not wait and that the index does
    not find by their own text. Reads only.
    """
    rows = tx.run(
        "SELECT id, content FROM notes "
        "WHERE id % :step = 0 AND id NOT IN (SELECT note_id FROM waiting_grams) "
        "ORDER BY id",
        step=step,
    )
    # Shared probes: what notes one gram finds is asked once and answers for all that hold it.
    found: dict[str, set[int]] = {}
    return [
        row["id"]
        for row in rows
        if any(
            row["id"] not in _notes_with_gram(tx, found, gram)
            for gram in _choose_probes(found, row["content"])
        )
    ]


def count_due(tx: Tx, owner: int | None) -> int:
    """Count the notes of an owner, or of all, that wait to be indexed."""
    sql = f"""SELECT count(*) FROM waiting_grams w CROSS JOIN notes n ON n.id = w.note_id
              WHERE (:owner IS NULL OR n.owner_id = :owner) AND {DUE}"""
    return int(tx.value(sql, owner=owner))


def _choose_probes(found: dict[str, set[int]], content: str) -> list[str]:
    """Choose some grams of a text, those first whose notes are known.

    Asking for all grams of each note takes a minute at 20,000 notes.
    """
    grams = list(dict.fromkeys(content[at : at + 3] for at in range(min(len(content), PROBED) - 2)))
    return sorted(grams, key=lambda gram: gram not in found)[:PROBES]


def _notes_with_gram(tx: Tx, found: dict[str, set[int]], gram: str) -> set[int]:
    """Return the notes that the index finds by a gram, asked once."""
    if gram not in found:
        query = '"' + gram.replace('"', '""') + '"'
        found[gram] = {
            row[0]
            for row in tx.run(
                "SELECT rowid FROM note_grams WHERE note_grams MATCH :query", query=query
            )
        }
    return found[gram]


def _delete(tx: Tx, note_id: int) -> None:
    tx.run(
        """INSERT INTO note_grams (note_grams, rowid, content)
           SELECT 'delete', note_id, indexed FROM waiting_grams WHERE note_id = :id""",
        id=note_id,
    )
    tx.update("waiting_grams", {"note_id": note_id}, indexed=None)


def _insert(tx: Tx, note_id: int) -> None:
    tx.run(
        "INSERT INTO note_grams (rowid, content) SELECT id, content FROM notes WHERE id = :id",
        id=note_id,
    )
    tx.run("DELETE FROM waiting_grams WHERE note_id = :id", id=note_id)


def _merge(tx: Tx) -> bool:
    # FTS5 says that there was nothing to merge by changing one row only.
    before = tx.connection.total_changes
    tx.run("INSERT INTO note_grams (note_grams, rank) VALUES ('merge', :pages)", pages=MERGE_PAGES)
    return tx.connection.total_changes - before > 1
