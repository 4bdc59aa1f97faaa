"""The table of grants between users, and the caller that another's agent is by one."""

import functools
import sqlite3
from typing import NamedTuple

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.schema import encode
from app.errors import Invalid, RevisionConflict
from app.network.grants import permission_object, share_rows
from app.network.grants.permission_object import Permissions
from app.workspace.folders import folder_rows


class Grant(NamedTuple):
    """What an owner grants a holder; revision 0 means that nothing was ever granted.

    `note_id` narrows a grant by a link to that one note.
    """

    id: int
    owner: int
    holder: int
    permissions: Permissions
    note_id: int | None
    revision: int
    expires_at: str | None
    updated_at: str | None
    link: int | None = None
    """The share link that it follows; without one it stands alone."""

    @property
    def is_anything(self) -> bool:
        """Whether it grants anything at all."""
        return self.note_id is not None or self.permissions != permission_object.NOTHING

    @property
    def summary(self) -> permission_object.Capabilities:
        """The summary of it that lists show."""
        return permission_object.summary_of(self.permissions, note_id=self.note_id)


def find_grant(tx: Tx, owner: int, holder: int) -> Grant:
    """Return what an owner grants a holder now: nothing if nothing was granted or it expired."""
    row = tx.one(
        "SELECT * FROM contact_grants WHERE owner_id = :owner AND holder_id = :holder",
        owner=owner,
        holder=holder,
    )
    if row is None:
        return Grant(0, owner, holder, permission_object.NOTHING, None, 0, None, None)
    return _current_grant(tx, _grant_of_row(row))


def grants_of_link(tx: Tx, owner: int, link: int) -> list[Grant]:
    """Return the grants that follow a link."""
    rows = tx.all(
        "SELECT * FROM contact_grants WHERE link_id = :link AND owner_id = :owner ORDER BY id",
        link=link,
        owner=owner,
    )
    return [_current_grant(tx, _grant_of_row(row)) for row in rows]


def _current_grant(tx: Tx, held: Grant) -> Grant:
    """Return a grant as it is now: by its link if it has one, empty if it has expired."""
    # The permissions stored with a link's grant are what it was made with; the link itself decides.
    if held.link is not None and (link := share_rows.open_link_as_grant(tx, held.link)) is not None:
        permissions = msgspec.structs.replace(link.permissions, agent_access=True)
        return held._replace(
            permissions=permissions, note_id=link.note_id, expires_at=link.expires_at
        )
    if held.link is not None or _is_over(tx, held):
        return held._replace(permissions=permission_object.NOTHING, note_id=None)
    return held


def put(
    tx: Tx,
    owner: int,
    holder: int,
    permissions: Permissions,
    *,
    note_id: int | None = None,
    expires_at: str | None = None,
    if_revision: int | None = None,
    link: int | None = None,
) -> Grant:
    """Replace whatever was granted; raise RevisionConflict if that is not at `if_revision`."""
    before = find_grant(tx, owner, holder)
    if if_revision is not None and if_revision != before.revision:
        raise RevisionConflict(
            "The permissions have changed since: ifRevision is not their revision.",
            field="ifRevision",
            revision=before.revision,
        )
    tx.run(
        """INSERT INTO contact_grants (owner_id, holder_id, permissions,
          note_id, expires_at, created_at, updated_at, link_id)
           VALUES (:owner, :holder, :permissions, :note, :expires, :now, :now, :link)
           ON CONFLICT (owner_id, holder_id) DO UPDATE
             SET permissions = excluded.permissions, note_id = excluded.note_id,
               expires_at = excluded.expires_at, updated_at = excluded.updated_at, link_id =
                 excluded.link_id, revision = revision + 1""",
        owner=owner,
        holder=holder,
        permissions=encode(permission_object.normalise_permissions(permissions)).decode(),
        note=note_id,
        expires=expires_at,
        now=tx.now,
        link=link,
    )
    return find_grant(tx, owner, holder)


def remove(tx: Tx, owner: int, holder: int) -> Grant:
    """Delete what an owner grants a holder and return what it was."""
    before = find_grant(tx, owner, holder)
    tx.run(
        "DELETE FROM contact_grants WHERE owner_id = :owner AND holder_id = :holder",
        owner=owner,
        holder=holder,
    )
    return before


def peer_caller(tx: Tx, owner: int, holder: int) -> Caller | None:
    """Return the caller as which the holder's messages are answered by the owner's agent.

    None without agent access.
    """
    held = find_grant(tx, owner, holder)
    people = {
        row["id"]: row
        for row in tx.all(
            "SELECT id, uuid, username FROM users WHERE id IN (:owner, :holder)",
            owner=owner,
            holder=holder,
        )
    }
    # fewer than two: the account of one of them is deleted
    if not held.permissions.agent_access or owner == holder or len(people) < 2:
        return None
    return permission_object.caller_for(
        tx,
        people[owner],
        held.permissions,
        kind="peer",
        name=people[holder]["username"],
        credential=held.id,
        note_id=held.note_id,
        # A long turn asks again before each call of a tool, so a revoked grant stops it half-way.
        renew=functools.partial(peer_caller, owner=owner, holder=holder),
    )


def caller_behind(tx: Tx, escalation: sqlite3.Row) -> Caller | None:
    """Return the peer that asked for what an escalation holds, as its grant is now.

    None when that is gone.
    """
    row = tx.one(
        "SELECT holder_id FROM contact_grants WHERE id = :id AND owner_id = :me",
        id=escalation["credential"],
        me=escalation["user_id"],
    )
    return None if row is None else peer_caller(tx, escalation["user_id"], row["holder_id"])


def require_own_folders(tx: Tx, owner: int, permissions: Permissions) -> None:
    """Raise Invalid unless every folder that the permissions name is a live one of the owner's."""
    wanted = set(permissions.notes_access.folder_ids)
    rows = tx.all(
        f"SELECT id FROM folders WHERE id IN ({folder_rows.IN_LIST}) "
        "AND owner_id = :owner AND trash_id IS NULL",
        ids=folder_rows.id_list(sorted(wanted)),
        owner=owner,
    )
    if missing := sorted(wanted - {row["id"] for row in rows}):
        raise Invalid(
            f"permissions.notesAccess.folderIds: {missing[0]} is none of your folders.",
            field="permissions.notesAccess.folderIds",
        )


def _is_over(tx: Tx, held: Grant) -> bool:
    return held.expires_at is not None and held.expires_at <= tx.now


def _grant_of_row(row: sqlite3.Row) -> Grant:
    permissions = msgspec.json.decode(row["permissions"], type=Permissions)
    return copy_fields(
        Grant,
        row,
        owner=row["owner_id"],
        holder=row["holder_id"],
        permissions=permissions,
        link=row["link_id"],
    )
