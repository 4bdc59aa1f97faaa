"""OAuth grants: which applications a user has let in."""

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record
from app.errors import NotFound


class Grant(Record):
    """An application that may act for the user."""

    id: int
    client_id: str
    client_name: str
    scopes: list[str]
    created_at: str
    last_used_at: str | None


class GrantList(Record):
    grants: list[Grant]


class GrantRevoked(Record):
    revoked: bool = True


@operation("GET /account/grants", scope="account:manage", since="beyond", effect="read")
def list_grants(tx: Tx, me: Caller) -> GrantList:
    """List the applications that hold a live grant, newest first."""
    rows = tx.all(
        """SELECT id, client_id, client_name, scopes, created_at, last_used_at FROM oauth_grants
           WHERE user_id = :me AND revoked_at IS NULL ORDER BY id DESC""",
        me=me.user,
    )
    return GrantList(
        [Grant(row[0], row[1], row[2], msgspec.json.decode(row[3]), row[4], row[5]) for row in rows]
    )


def live_scopes(tx: Tx, user: int, id_: int) -> tuple[str, ...] | None:
    """Return the scopes of a user's grant; None when it is revoked or not theirs."""
    row = tx.one(
        "SELECT scopes FROM oauth_grants WHERE id = :id AND user_id = :user AND revoked_at IS NULL",
        id=id_,
        user=user,
    )
    return None if row is None else tuple(msgspec.json.decode(row[0]))


def granted_at(tx: Tx, user: int, id_: int) -> str | None:
    """Return when a user let an application in; None when there is no such grant."""
    found: str | None = tx.value(
        "SELECT created_at FROM oauth_grants WHERE id = :id AND user_id = :user", id=id_, user=user
    )
    return found


@operation("DELETE /account/grants/{id}", scope="account:manage", since="beyond")
def revoke_grant(tx: Tx, me: Caller, *, id: Id) -> GrantRevoked:
    """End an application's grant at once; doing it again changes nothing."""
    changed = tx.run(
        "UPDATE oauth_grants SET revoked_at = ifnull(revoked_at, :now) "
        "WHERE id = :id AND user_id = :me",
        now=tx.now,
        id=id,
        me=me.user,
    )
    if changed.rowcount == 0:
        raise NotFound(f"There is no grant {id}.", field="id")
    tx.emit("grants.changed")
    return GrantRevoked()
