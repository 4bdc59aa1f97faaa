"""The table of folders: every statement that changes it."""

import sqlite3
from collections.abc import Sequence

import msgspec

from app.core.database.tx import Tx
from app.core.text import fold_name
from app.workspace.folders import workspace_counters
from app.workspace.index import name_index

GENERAL = "General"
COLUMNS = "id, owner_id, parent_id, name, name_key, icon, note_count, created_at"


def find_live(tx: Tx, folder_id: int) -> sqlite3.Row | None:
    """Return a live folder of anyone; workspace/folders/access.py says who may see it."""
    return tx.one(
        f"SELECT {COLUMNS} FROM folders WHERE id = :id AND trash_id IS NULL", id=folder_id
    )


def require_live(tx: Tx, folder_id: int | None) -> sqlite3.Row:
    """Return a live folder that the caller knows to be there."""
    return tx.require_row(
        f"SELECT {COLUMNS} FROM folders WHERE id = :id AND trash_id IS NULL", id=folder_id
    )


def find_child(tx: Tx, owner: int, parent_id: int | None, name: str) -> sqlite3.Row | None:
    """Return the live folder of that name, compared without case, in a parent or the root."""
    return tx.one(
        f"SELECT {COLUMNS} FROM folders "
        "WHERE owner_id = :owner AND ifnull(parent_id, 0) = :parent "
        "AND name_key = :key AND trash_id IS NULL",
        owner=owner,
        parent=parent_id or 0,
        key=fold_name(name),
    )


def insert(tx: Tx, owner: int, parent_id: int | None, name: str) -> int:
    """Add a folder and return its id; the caller has looked that its name is free."""
    made = tx.insert(
        "folders",
        owner_id=owner,
        parent_id=parent_id,
        name=name,
        name_key=fold_name(name),
        created_at=tx.now,
    )
    workspace_counters.add(tx, owner)
    return made


def ensure(
    tx: Tx, owner: int, parent_id: int | None, names: Sequence[str]
) -> tuple[int | None, list[str]]:
    """Walk down `names`, making what is missing.

    Return the leaf's id and the names that were made.
    """
    made: list[str] = []
    for name in names:
        found = None if made else find_child(tx, owner, parent_id, name)
        if found is None:
            parent_id = insert(tx, owner, parent_id, name)
            made.append(name)
        else:
            parent_id = found["id"]
    return parent_id, made


def ensure_general(tx: Tx, owner: int) -> bool:
    """Make the folder General in the root if it is missing; return whether it was."""
    return bool(ensure(tx, owner, None, [GENERAL])[1])


def update(
    tx: Tx, folder: sqlite3.Row, *, name: str, parent_id: int | None, icon: str | None
) -> None:
    """Store a folder's name, parent and icon."""
    _set_name_and_parent(tx, folder, name, parent_id)
    tx.update("folders", {"id": folder["id"]}, icon=icon)
    workspace_counters.add(tx, folder["owner_id"])


def add_to_note_count(tx: Tx, folder_id: int | None, more: int) -> None:
    """Add to the number of live notes that lie directly in a folder."""
    if folder_id is not None and more:
        tx.run(
            "UPDATE folders SET note_count = note_count + :more WHERE id = :id",
            more=more,
            id=folder_id,
        )


def set_note_count(tx: Tx, folder_id: int, number: int) -> None:
    """Set the number of live notes that lie directly in a folder."""
    tx.update("folders", {"id": folder_id}, note_count=number)


def recount_notes(tx: Tx) -> None:
    """Count anew the live notes of every live folder."""
    tx.run(
        """UPDATE folders SET note_count = (SELECT count(*) FROM notes n
           WHERE n.folder_id = folders.id AND n.trash_id IS NULL)
           WHERE trash_id IS NULL"""
    )


def refold_names(tx: Tx) -> None:
    """Fold the names of all folders anew.

    Where two of one place would be one, the later is numbered.
    """
    # First keys that no name can have, so that no two collide while they are set one by one.
    tx.run("UPDATE folders SET name_key = '/' || id")
    for folder in tx.all(f"SELECT {COLUMNS}, trash_id FROM folders ORDER BY id"):
        name = folder["name"]
        if (
            folder["trash_id"] is None
            and find_child(tx, folder["owner_id"], folder["parent_id"], name) is not None
        ):
            name = f"{name} ({folder['id']})"
        _set_name_and_parent(tx, folder, name, folder["parent_id"])


def break_cycles(tx: Tx) -> None:
    """Put one folder of each circle into the root, numbered so that its name is free there.

    No operation makes a circle; a damaged or edited file may hold one.
    """
    while circle := folders_in_cycles(tx):
        folder = tx.require_row(
            "SELECT id, owner_id, name FROM folders WHERE id = :id", id=circle[0]
        )
        _set_name_and_parent(tx, folder, f"{folder['name']} ({folder['id']})", None)


def folders_in_cycles(tx: Tx) -> list[int]:
    """Return the folders that lie, over others or not, in themselves."""
    rows = tx.all(
        """WITH RECURSIVE up (id, above) AS (SELECT id, parent_id FROM folders
           WHERE parent_id IS NOT NULL UNION
               SELECT up.id, f.parent_id FROM up JOIN folders f ON f.id = up.above
                 WHERE f.parent_id IS NOT NULL)
           SELECT id FROM up WHERE above = id ORDER BY id"""
    )
    return [row[0] for row in rows]


def subtree_ids(tx: Tx, folder_id: int) -> list[int]:
    """Return the ids of a live folder and all live folders below it."""
    rows = tx.all(
        """WITH RECURSIVE down (id) AS (SELECT :id UNION ALL
               SELECT f.id FROM folders f JOIN down d ON f.parent_id = d.id
                 WHERE f.trash_id IS NULL)
           SELECT id FROM down""",
        id=folder_id,
    )
    return [row["id"] for row in rows]


def ancestors(tx: Tx, folder_id: int | None) -> list[sqlite3.Row]:
    """Return a folder and those above it, the root's child first, as (id, parent_id, name)."""
    return tx.all(
        """WITH RECURSIVE up (id, parent_id, name, height) AS (
               SELECT id, parent_id, name, 0 FROM folders WHERE id = :id UNION ALL
               SELECT f.id, f.parent_id, f.name, up.height + 1 FROM folders f
                 JOIN up ON f.id = up.parent_id)
           SELECT id, parent_id, name FROM up ORDER BY height DESC""",
        id=folder_id,
    )


def folder_path(tx: Tx, folder_id: int | None) -> str:
    """Return a folder's full path without a leading slash; the root's is empty."""
    return "/".join(row["name"] for row in ancestors(tx, folder_id))


def set_trash(tx: Tx, folder_ids: Sequence[int], trash_id: int | None) -> None:
    """Put folders into the trash under one entry, or take them out."""
    tx.run(
        f"UPDATE folders SET trash_id = :trash WHERE id IN ({IN_LIST})",
        trash=trash_id,
        ids=id_list(folder_ids),
    )


def restore(tx: Tx, trash_id: int, folder_id: int, *, parent_id: int | None, name: str) -> None:
    """Take out of the trash all folders of one entry.

    The one it is about gets its place and name.
    """
    before = tx.require_row("SELECT id, owner_id, name FROM folders WHERE id = :id", id=folder_id)
    # Before it is live again: among live folders a name is unique in its place.
    _set_name_and_parent(tx, before, name, parent_id)
    tx.update("folders", {"trash_id": trash_id}, trash_id=None)


def purge(tx: Tx, folder_ids: Sequence[int]) -> int:
    """Delete folders for good and return their number; what else lay in them moves to the root."""
    listed = id_list(folder_ids)
    _forget_names(tx, f"id IN ({IN_LIST})", ids=listed)
    tx.run(f"UPDATE folders SET parent_id = NULL WHERE parent_id IN ({IN_LIST})", ids=listed)
    return tx.run(f"DELETE FROM folders WHERE id IN ({IN_LIST})", ids=listed).rowcount


def purge_owner(tx: Tx, owner: int) -> None:
    """Delete every folder of a user."""
    _forget_names(tx, "owner_id = :owner", owner=owner)
    tx.run("DELETE FROM folders WHERE owner_id = :owner", owner=owner)


def _set_name_and_parent(tx: Tx, folder: sqlite3.Row, name: str, parent_id: int | None) -> None:
    """Store a folder's name and parent, and let it be found by that name."""
    tx.update(
        "folders", {"id": folder["id"]}, name=name, name_key=fold_name(name), parent_id=parent_id
    )
    name_index.rename(
        tx, "folder", folder["id"], owner=folder["owner_id"], old=folder["name"], new=name
    )


def _forget_names(tx: Tx, which: str, **params: object) -> None:
    for row in tx.all(f"SELECT id, owner_id, name FROM folders WHERE {which}", **params):
        name_index.remove(tx, "folder", row["id"], owner=row["owner_id"], name=row["name"])


IN_LIST = "SELECT value FROM json_each(:ids)"


def id_list(ids: Sequence[int]) -> str:
    """Return ids as the parameter that `IN_LIST` reads: one statement for any number of them."""
    return msgspec.json.encode(ids).decode()
