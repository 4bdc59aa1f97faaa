"""What was used last: notes, todos, folders and tags, for a quick open without a query."""

import sqlite3
from collections.abc import Sequence

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.folders import access
from app.workspace.index.name_index import NUMBERS, Kind

MOST_SHARED = 100
Things = list[tuple[Kind, sqlite3.Row]]
_NOTE = "SELECT id, title, folder_id, pinned, updated_at, 0 AS completed FROM notes WHERE"
_OWN: dict[Kind, str] = {
    "folder": """SELECT id, name AS title, parent_id, 0 AS pinned, created_at AS
          updated_at, 0 AS completed FROM folders
        WHERE owner_id = :me AND trash_id IS NULL ORDER BY id DESC LIMIT :most""",
    "todo": """SELECT id, title, 0 AS pinned, updated_at, completed FROM todos
        WHERE owner_id = :me AND trash_id IS NULL ORDER BY updated_at DESC LIMIT :most""",
    "tag": """SELECT id, name AS title, 0 AS pinned, '' AS updated_at, 0 AS completed FROM tag_names
        WHERE owner_id = :me AND EXISTS (SELECT 1 FROM note_tags t CROSS
          JOIN notes n ON n.id = t.note_id
            WHERE t.owner_id = :me AND t.tag_key = tag_names.tag_key AND n.trash_id IS NULL)
              ORDER BY id DESC LIMIT :most""",
}


def recent_things(tx: Tx, me: Caller, kinds: Sequence[Kind], most: int) -> Things:
    """Return what changed last, newest first.

    A folder counts from when it was made, tags come last.
    """
    found: Things = [
        (kind, row)
        for kind in kinds
        if kind != "note"
        for row in tx.all(_OWN[kind], me=me.owns, most=most)
    ]
    if "note" in kinds:
        found += [("note", row) for row in _recent_notes(tx, me, most)]
    return sorted(
        found, key=lambda one: (one[1]["updated_at"], -NUMBERS[one[0]], one[1]["id"]), reverse=True
    )[:most]


def _recent_notes(tx: Tx, me: Caller, most: int) -> list[sqlite3.Row]:
    """Return the notes that changed last, of the caller and in shared folders, each list from its
    index.
    """
    # The index goes by pinned first: each half of it is already in the order wanted.
    rows = []
    for pinned in (0, 1):
        rows += tx.all(
            f"{_NOTE} owner_id = :me AND pinned = :pinned AND trash_id IS NULL "
            "ORDER BY updated_at DESC LIMIT :most",
            me=me.owns,
            pinned=pinned,
            most=most,
        )
        for folder_id in list(access.shared_folders(tx, me))[:MOST_SHARED]:
            rows += tx.all(
                f"""{_NOTE} owner_id = (SELECT owner_id FROM folders
          WHERE id = :folder) AND folder_id = :folder AND pinned = :pinned
                    AND trash_id IS NULL ORDER BY updated_at DESC LIMIT :most""",
                folder=folder_id,
                pinned=pinned,
                most=most,
            )
    return rows
