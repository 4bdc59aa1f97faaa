"""The fields of a request for a share link: whether they fit each other, and how long it lives."""

from datetime import timedelta
from typing import Literal

from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import Invalid, NotFound
from app.network.grants import share_rows
from app.network.grants.share_rows import Target
from app.network.grants.share_terms import Terms
from app.workspace.folders import folder_rows

Life = Literal["1h", "24h", "7d", "30d", "90d", "never"]


HOURS: dict[Life, int] = {"1h": 1, "24h": 24, "7d": 7 * 24, "30d": 30 * 24, "90d": 90 * 24}
"""How long a link stays open; what is not here never ends by itself."""


def require_consistent(
    tx: Tx, me: Caller, terms: Terms, note_id: int | None, target: Target
) -> None:
    """Raise Invalid unless the fields fit each other, NotFound unless folders and note are live
    ones of the caller's own.
    """
    scope, folders = terms.scope, terms.folder_ids
    if (scope == "folders") != bool(folders):
        raise Invalid(
            "folderIds must name at least one folder with the scope folders, and is "
            "only allowed there.",
            field="folderIds",
        )
    if (note_id is None and scope == "note_only") or (note_id is not None and scope == "all"):
        raise Invalid(
            "noteId must be given with the scope note_only, may be given with folders, and "
            "is only allowed there.",
            field="noteId",
        )
    if target == "note" and scope != "note_only":
        raise Invalid("target can only be note with the scope note_only.", field="target")
    rows = tx.all(
        f"SELECT id FROM folders WHERE id IN ({folder_rows.IN_LIST}) "
        "AND owner_id = :me AND trash_id IS NULL",
        ids=folder_rows.id_list(folders),
        me=me.user,
    )
    if {row["id"] for row in rows} != set(folders):
        raise NotFound("folderIds: there is no such folder of yours.", field="folderIds")
    live = "SELECT 1 FROM notes WHERE id = :id AND owner_id = :me AND trash_id IS NULL"
    if note_id is not None and tx.one(live, id=note_id, me=me.user) is None:
        raise NotFound("noteId: there is no such note of yours.", field="noteId")
    if (
        note_id is not None
        and scope == "folders"
        and not share_rows.lies_in(tx, me.user, note_id, folders)
    ):
        raise Invalid("noteId must be a note that lies in one of folderIds.", field="noteId")


def expiry_of(tx: Tx, life: Life) -> str | None:
    """Return when a link of that life ends, None when it never does."""
    return stamp(tx.moment + timedelta(hours=HOURS[life])) if life in HOURS else None
