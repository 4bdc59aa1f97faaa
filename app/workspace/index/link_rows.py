"""The table of links: what the texts of notes lead to, each target once for each note.

Every statement that changes it.
"""

from app.core.database.tx import Tx
from app.workspace.index import link_text
from app.workspace.index.link_text import Target

STEP = 64
STEP_BYTES = 1 << 20


def update(tx: Tx, note_id: int, *, owner: int, old: str, new: str) -> None:
    """Keep what a text leads to, after it has changed.

    An edit that leaves the links alone writes nothing.
    """
    if not (link_text.may_hold_links(old) or link_text.may_hold_links(new)):
        return
    before, after = link_text.link_targets(old), link_text.link_targets(new)
    for target in before - after:
        tx.run(
            "DELETE FROM note_links WHERE note_id = :note AND kind = :kind "
            "AND target = :name AND path = :path",
            note=note_id,
            **target._asdict(),
        )
    _insert(tx, owner, note_id, after - before)


def add(tx: Tx, note_id: int, *, owner: int, text: str) -> None:
    """Keep what the text of a new note leads to."""
    if link_text.may_hold_links(text):
        _insert(tx, owner, note_id, link_text.link_targets(text))


def change_owner(tx: Tx, note_id: int, owner: int) -> None:
    """Let the links of a note belong to another owner."""
    tx.update("note_links", {"note_id": note_id}, owner_id=owner)


def remove(tx: Tx, note_id: int) -> None:
    """Take out the links of a note that is about to be deleted for good."""
    tx.run("DELETE FROM note_links WHERE note_id = :note", note=note_id)


def rebuild(tx: Tx) -> None:
    """Forget all links; those of all notes are read again behind the writes."""
    tx.run("DELETE FROM note_links")
    tx.run("DELETE FROM unread_links")
    tx.run(
        "INSERT INTO unread_links (id, read, last) SELECT 1, 0, max(id) "
        "FROM notes HAVING max(id) IS NOT NULL"
    )


def any_unread(tx: Tx) -> bool:
    """Return whether the links of notes older than this table are still to be read."""
    return tx.one("SELECT 1 FROM unread_links") is not None


def read_some(tx: Tx) -> None:
    """Read the links of some of those notes."""
    state = tx.one("SELECT read, last FROM unread_links")
    if state is None:
        return
    rows = tx.all(
        "SELECT id, owner_id, size FROM notes WHERE id > :read AND id <= :last "
        "ORDER BY id LIMIT :some",
        read=state[0],
        last=state[1],
        some=STEP,
    )
    # The texts one by one, so that a batch of long ones ends early instead of filling memory.
    size, at = 0, state[1]
    for note_id, owner, bytes_ in rows:
        text = tx.value("SELECT content FROM notes WHERE id = :id", id=note_id)
        if link_text.may_hold_links(text):
            _insert(tx, owner, note_id, link_text.link_targets(text))
        size, at = size + bytes_, note_id
        if size >= STEP_BYTES:
            break
    if rows and at < state[1]:
        tx.run("UPDATE unread_links SET read = :at", at=at)
    else:
        tx.run("DELETE FROM unread_links")


def do_idle_work(tx: Tx) -> bool:
    """Do a little of what can wait for an idle moment; return whether there is more to do."""
    read_some(tx)
    return any_unread(tx)


def _insert(tx: Tx, owner: int, note_id: int, targets: set[Target]) -> None:
    for target in targets:
        tx.run(
            """INSERT INTO note_links (note_id, kind, target, path, owner_id)
               VALUES (:note, :kind, :name, :path, :owner)
               ON CONFLICT DO NOTHING""",
            note=note_id,
            owner=owner,
            **target._asdict(),
        )
