"""Contacts: the people one knows here, and what each may do with the other's agent."""

import sqlite3
from typing import Annotated, Literal

from msgspec import Meta

from app.account import contact_pairs
from app.account.grant_events import Reason
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import LARGEST_ID, Most, Offset, Record, Text
from app.errors import Invalid, NotFound
from app.network.contacts import people
from app.network.grants import grant_rows, permission_object, revocation
from app.network.grants.grant_rows import Grant
from app.network.grants.permission_object import Capabilities, Permissions
from app.tools.approvals.call_origin import Origin
from app.workspace.folders import folder_shares

UserRef = Annotated[str, Meta(min_length=1, max_length=64, description="a userId or a username")]
Revision = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Direction = Literal["mutual", "inbound", "outbound"]


class AgentAccess(Record):
    """Whether the contact may ask one's agent (`granted`), and one may ask theirs (`received`)."""

    granted: bool
    received: bool


class Contact(people.Person):
    """Someone one knows: `inbound` holds a grant of one's own, of an `outbound` one holds a
    grant, `mutual` are friends and grants both ways.
    """

    direction: Direction
    your_permissions_to_them: Capabilities
    their_permissions_to_you: Capabilities
    agent_access: AgentAccess
    connected_at: str


class ContactList(Record):
    contacts: list[Contact]
    total: int


class PermissionsAnswer(Record):
    """What one grants a contact, in full and in summary, and the summary of what they grant.

    Revision 0 means that nothing was ever granted. `fromLink` is the share link that the grant
    follows until the owner sets permissions of their own.
    """

    user_id: str
    username: str
    permissions: Permissions
    your_permissions_to_them: Capabilities
    their_permissions_to_you: Capabilities
    revision: int
    updated_at: str
    from_link: int | None


@operation("GET /network/contacts", scope="os.network:read", also=("GET /net/contacts",))
def list_contacts(
    tx: Tx,
    me: Caller,
    *,
    q: Annotated[str, Text(200)] = "",
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> ContactList:
    """List the caller's contacts by username; `q` is a part of the username or name."""
    wanted = q.strip().casefold()
    # Filtered here and not by LIKE: SQLite folds the case of ASCII letters only.
    fitting = [
        row
        for row in list_rows(tx, me.user)
        if wanted in row["username"] or wanted in row["name"].casefold()
    ]
    return ContactList(
        [contact_in_list(tx, me.user, row) for row in fitting[offset : offset + limit]],
        len(fitting),
    )


@operation(
    "DELETE /network/contacts/{userId}",
    scope="net.contacts:manage",
    also=("DELETE /net/contacts/{userId}",),
)
def remove_contact(tx: Tx, me: Caller, *, user_id: UserRef) -> Record:
    """End a contact on both sides, with all grants and folder shares between the two."""
    other = require_contact(tx, me, user_id)
    for owner, holder in ((me.user, other["id"]), (other["id"], me.user)):
        held = grant_rows.remove(tx, owner, holder)
        if held.id:
            end_waiting(tx, me, held)
            _tell_revoked(tx, me, held, "revoked")
    for folder in folder_shares.end_shares_between(tx, me.user, other["id"]):
        for listener in (me.user, other["id"]):
            revocation.emit_revoked(tx, me, listener, "folder", folder)
    contact_pairs.disconnect(tx, me.user, other["id"])
    return Record()


@operation(
    "GET /network/contacts/{userId}/permissions",
    scope="os.network:read",
    also=("GET /net/permissions/{userId}",),
)
def read_permissions(tx: Tx, me: Caller, *, user_id: UserRef) -> PermissionsAnswer:
    """Read what a contact may do with the caller's agent, and the caller with theirs."""
    return _permissions_answer(tx, me, require_contact(tx, me, user_id))


@operation(
    "PUT /network/contacts/{userId}/permissions",
    scope="net.contacts:manage",
    also=("PUT /net/permissions/{userId}",),
    http=Http(
        refuses={
            "permissions": "folderIds are none of the caller's folders, or stand beside another "
            "scope than folders"
        }
    ),
)
def change_permissions(
    tx: Tx,
    me: Caller,
    *,
    user_id: UserRef,
    permissions: Permissions,
    if_revision: Revision | None = None,
) -> PermissionsAnswer:
    """Replace the whole of what a contact may do with the caller's agent.

    What is narrower holds from the next call of a tool on.
    """
    other = require_contact(tx, me, user_id)
    wanted = check_permissions(tx, me, permissions)
    before = grant_rows.find_grant(tx, me.user, other["id"])
    after = grant_rows.put(tx, me.user, other["id"], wanted, if_revision=if_revision)
    # A grant by a link to one note counts as narrowed: permissions alone cannot say which note it
    # was.
    if before.note_id is not None or permission_object.is_narrower(wanted, before.permissions):
        lost = before.permissions.agent_access and not wanted.agent_access
        end_waiting(tx, me, after, "the grant was taken back" if lost else "the grant was narrowed")
        _tell_revoked(tx, me, after, "revoked" if lost else "narrowed")
    return _permissions_answer(tx, me, other)


def list_rows(tx: Tx, user: int) -> list[sqlite3.Row]:
    """Return a user's contacts, by username."""
    return tx.all(f"{_SELECT} ORDER BY u.username", me=user)


def require_contact(tx: Tx, me: Caller, user: str) -> sqlite3.Row:
    """Return the caller's contact of that id or name.

    Raise NotFound, the same for a stranger as for nobody.
    """
    wanted = user.strip().lower()
    row = tx.one(
        f"{_SELECT} AND (u.uuid = :wanted OR u.username = :wanted)", me=me.user, wanted=wanted
    )
    if row is None:
        raise NotFound(f"There is no contact called {user[:64]}.", field="userId")
    return row


def contact_record(tx: Tx, user: int, other: int) -> Contact:
    """Return one user's contact, whom they are known to have."""
    return contact_in_list(
        tx, user, tx.require_row(f"{_SELECT} AND c.contact_id = :other", me=user, other=other)
    )


def contact_in_list(tx: Tx, user: int, row: sqlite3.Row) -> Contact:
    """Return a user's contact as lists show it."""
    given = grant_rows.find_grant(tx, user, row["id"])
    held = grant_rows.find_grant(tx, row["id"], user)
    access = AgentAccess(given.permissions.agent_access, held.permissions.agent_access)
    # Friends with nothing granted either way are still mutual: both said yes.
    direction: Direction = "mutual"
    if not row["friend"] and given.is_anything != held.is_anything:
        direction = "inbound" if given.is_anything else "outbound"
    return Contact(
        row["uuid"],
        row["username"],
        row["name"],
        direction,
        given.summary,
        held.summary,
        access,
        row["connected_at"],
    )


def tell_connected(tx: Tx, one: sqlite3.Row, other: sqlite3.Row) -> None:
    """Tell both of two users that they are contacts now."""
    for user, contact in ((one, other), (other, one)):
        tx.emit(
            "contact.connected",
            user=user["id"],
            userId=contact["uuid"],
            username=contact["username"],
        )


def end_waiting(tx: Tx, me: Caller, held: Grant, why: str = "the grant was taken back") -> None:
    """End the calls by a grant that wait for its owner, and forget the approvals given for it."""
    holder = tx.value("SELECT uuid FROM users WHERE id = :id", id=held.holder)
    revocation.end_waiting(
        tx,
        me,
        held.owner,
        kind="peer",
        credential=held.id,
        origin=Origin("rpc", peer=holder),
        why=why,
    )


def link_narrowed(tx: Tx, me: Caller, *, link: int) -> None:
    """Tell those who connected by a link that it opens less now, and their grants with it."""
    for held in grant_rows.grants_of_link(tx, me.user, link):
        _tell_revoked(tx, me, held, "narrowed")


def link_ended(tx: Tx, me: Caller, *, owner: int, link: int, reason: Reason = "revoked") -> None:
    """End what waits by the grants that have ended with a link, and tell both sides."""
    for held in grant_rows.grants_of_link(tx, owner, link):
        end_waiting(tx, me, held)
        _tell_revoked(tx, me, held, reason)


_SELECT = """SELECT u.id, u.uuid, u.username, u.name, c.friend, c.connected_at
          FROM contacts c JOIN users u ON u.id = c.contact_id
    WHERE c.user_id = :me"""


def check_permissions(tx: Tx, me: Caller, permissions: Permissions) -> Permissions:
    """Return the permissions in their one spelling.

    Raise Invalid unless their folders are the caller's own.
    """
    notes = permissions.notes_access
    if notes.folder_ids and notes.scope != "folders":
        raise Invalid(
            "permissions.notesAccess.folderIds is only allowed with the scope folders.",
            field="permissions.notesAccess.folderIds",
        )
    grant_rows.require_own_folders(tx, me.user, permissions)
    return permission_object.normalise_permissions(permissions)


def _permissions_answer(tx: Tx, me: Caller, other: sqlite3.Row) -> PermissionsAnswer:
    given = grant_rows.find_grant(tx, me.user, other["id"])
    held = grant_rows.find_grant(tx, other["id"], me.user)
    return PermissionsAnswer(
        other["uuid"],
        other["username"],
        given.permissions,
        given.summary,
        held.summary,
        given.revision,
        given.updated_at or other["connected_at"],
        given.link,
    )


def _tell_revoked(tx: Tx, me: Caller, held: Grant, reason: Reason) -> None:
    """Tell both sides that a grant is gone or narrower."""
    for listener in (held.owner, held.holder):
        revocation.emit_revoked(tx, me, listener, "contact", held.id, reason)
