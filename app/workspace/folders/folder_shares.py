"""Folder shares: contacts whom a folder's owner or admin lets in, each with a role."""

import sqlite3

from app.account import contact_pairs, grant_events, users
from app.account.grant_events import Reason
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id, Record
from app.errors import Forbidden, Invalid, NotConnected, NotFound
from app.workspace.folders import access, folders


class Share(Record):
    """One person a folder is shared with."""

    user_id: str
    username: str
    name: str
    role: access.Role
    created_at: str


class ShareList(Record):
    shares: list[Share]


class ShareAnswer(Record):
    share: Share


@operation("GET /os/folders/{id}/share", scope="os.notes:read")
def list_folder_shares(tx: Tx, me: Caller, *, id: Id) -> ShareList:
    """List whom a folder is shared with."""
    access.require_folder(tx, me, id, field="id")
    return ShareList([Share(*row) for row in tx.all(f"{_SELECT} ORDER BY u.username", id=id)])


@operation(
    "POST /os/folders/{id}/share",
    scope="net.contacts:manage",
    http=Http(
        refuses={
            "id": "it is the folder General",
            "username": "it is the caller's own or the owner's",
        }
    ),
)
def share_folder(tx: Tx, me: Caller, *, id: Id, username: str, role: access.Role) -> ShareAnswer:
    """Share a folder and all below it with a contact; doing it again changes the role."""
    found = access.require_folder(tx, me, id, "admin", field="id")
    if folders.is_general(found):
        raise Invalid("The folder General cannot be shared.", field="id")
    # Only contacts: to share with strangers would tell whether a name exists, and let anyone put
    # folders before anyone.
    other = users.require_user(tx, username)
    if other["id"] in (me.user, found["owner_id"]):
        raise Invalid("username must be neither you nor the folder's owner.", field="username")
    if not contact_pairs.are_contacts(tx, me.user, other["id"]):
        raise NotConnected(f"{other['username']} is not one of your contacts.", field="username")
    before = tx.value(
        "SELECT role FROM folder_shares WHERE folder_id = :id AND user_id = :user",
        id=id,
        user=other["id"],
    )
    tx.run(
        """INSERT INTO folder_shares (folder_id, user_id, role, created_at)
           VALUES (:folder, :user, :role, :now)
           ON CONFLICT (folder_id, user_id) DO UPDATE SET role = excluded.role""",
        folder=id,
        user=other["id"],
        role=role,
        now=tx.now,
    )
    if before is not None and access.RANKS[role] < access.RANKS[before]:
        _tell_revoked(tx, me, found, other["id"], "narrowed")
    row = tx.require_row(f"{_SELECT} AND s.user_id = :user", id=id, user=other["id"])
    return ShareAnswer(Share(*row))


@operation("DELETE /os/folders/{id}/share/{username}", scope="net.contacts:manage")
def unshare_folder(tx: Tx, me: Caller, *, id: Id, username: str) -> Record:
    """End someone's share of a folder; people may end their own."""
    found = access.require_folder(tx, me, id, field="id")
    other = users.require_user(tx, username)
    held = access.folder_rank(tx, me, found)
    if other["id"] != me.user and held < access.RANKS["admin"]:
        raise Forbidden(
            "Only the owner or an admin may end another's share.", role=access.ROLES[held - 1]
        )
    ended = tx.run(
        "DELETE FROM folder_shares WHERE folder_id = :id AND user_id = :user",
        id=id,
        user=other["id"],
    )
    if not ended.rowcount:
        raise NotFound(f"The folder is not shared with {other['username']}.", field="username")
    _tell_revoked(tx, me, found, other["id"], "revoked")
    return Record()


def end_shares_between(tx: Tx, one: int, other: int) -> list[int]:
    """End every share between two users of folders that either owns; return the folders."""
    # Owned by either: what both have from a third person is no matter of theirs.
    rows = tx.all(
        """DELETE FROM folder_shares WHERE user_id IN (:one, :other)
               AND EXISTS (SELECT 1 FROM folders WHERE id = folder_id
                 AND owner_id IN (:one, :other) AND owner_id <> user_id) RETURNING folder_id""",
        one=one,
        other=other,
    )
    return [row["folder_id"] for row in rows]


def _tell_revoked(tx: Tx, me: Caller, folder: sqlite3.Row, user: int, reason: Reason) -> None:
    """Tell the folder's owner and who shared in it that this share is gone or narrower."""
    for listener in (folder["owner_id"], user):
        grant_events.emit_revoked(
            tx, listener, "folder", folder["id"], by=me.user_id, reason=reason
        )


_SELECT = """SELECT u.uuid, u.username, u.name, s.role, s.created_at
    FROM folder_shares s JOIN users u ON u.id = s.user_id WHERE s.folder_id = :id"""
