"""OAuth grants: which applications a user has let in.

Each yes of a user is a grant of its own, with a family of tokens that ends with it.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from app.account import grant_events, users
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Id, Record
from app.errors import NotFound

COLUMNS = "id, client_id, client_name, scopes, created_at, last_used_at"
LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"


class Named(Protocol):
    """An application, as far as its grants are concerned."""

    @property
    def client_id(self) -> str:
        """What it is known by."""

    @property
    def name(self) -> str:
        """What it is called."""


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


@operation("GET /account/grants", scope="account:manage")
def list_grants(tx: Tx, me: Caller) -> GrantList:
    """List the applications that hold a live grant, newest first."""
    return _of_user(tx, me.user)


@operation("DELETE /account/grants/{id}", scope="account:manage")
def revoke_grant(tx: Tx, me: Caller, *, id: Id) -> GrantRevoked:
    """End an application's grant at once; doing it again changes nothing."""
    own = tx.one("SELECT 1 FROM oauth_grants WHERE id = :id AND user_id = :me", id=id, me=me.user)
    if own is None:
        raise NotFound(f"There is no grant {id}.", field="id")
    end(tx, id, by=me.user_id)
    return GrantRevoked()


@operation("COMMAND", effect="read")
def user_grants(tx: Tx, me: Caller, *, username: str) -> GrantList:
    """List the applications that a user has let in, newest first."""
    return _of_user(tx, users.require_user(tx, username)["id"])


@operation("COMMAND")
def end_grant(tx: Tx, me: Caller, *, id: Id) -> Grant:
    """End any user's grant at once, and say which it was."""
    row = tx.one(f"SELECT {COLUMNS} FROM oauth_grants WHERE id = :id", id=id)
    if row is None:
        raise NotFound(f"There is no connected application {id}.", field="id")
    end(tx, id)
    return _as_grant(*row)


def begin(
    tx: Tx, user: int, client: Named, scopes: tuple[str, ...], *, code: bytes, ends_at: str
) -> int:
    """Let an application in with a code, until its first access token ends, and return the
    grant's id.

    The application knows its user by the same name each time, and no other one does.
    """
    subject = tx.value(
        "SELECT subject FROM oauth_grants WHERE user_id = :user AND client_id = :client "
        "AND subject IS NOT NULL LIMIT 1",
        user=user,
        client=client.client_id,
    )
    return tx.insert(
        "oauth_grants",
        user_id=user,
        client_id=client.client_id,
        client_name=client.name,
        scopes=msgspec.json.encode(scopes).decode(),
        created_at=tx.now,
        expires_at=ends_at,
        subject=subject or random_tokens.new_uuid(),
        code_digest=code,
    )


def prolong(tx: Tx, id_: int, ends_at: str) -> None:
    """Let a grant last until a later moment."""
    tx.update("oauth_grants", {"id": id_}, expires_at=ends_at)


def end(tx: Tx, id_: int, *, by: str | None = None) -> None:
    """End a grant, and with it every token of its family; doing it again changes nothing.

    `by` is the userId of who ends it, None for the application itself and the server.
    """
    user = tx.value(
        "UPDATE oauth_grants SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL "
        "RETURNING user_id",
        now=tx.now,
        id=id_,
    )
    if user is not None:
        grant_events.emit_revoked(tx, user, "oauth", id_, by=by)
    tx.emit("grants.changed")


def begun_with(tx: Tx, code: bytes) -> int | None:
    """Return the grant that a code was exchanged for."""
    found: int | None = tx.value("SELECT id FROM oauth_grants WHERE code_digest = :code", code=code)
    return found


def subject_of(tx: Tx, id_: int) -> str:
    """Return the name by which an application knows its user."""
    return str(tx.value("SELECT subject FROM oauth_grants WHERE id = :id", id=id_))


def live_scopes(tx: Tx, user: int, id_: int) -> tuple[str, ...] | None:
    """Return the scopes of a user's grant; None when it has ended or is not theirs."""
    row = tx.one(
        f"SELECT scopes FROM oauth_grants WHERE id = :id AND user_id = :user AND {LIVE}",
        id=id_,
        user=user,
        now=tx.now,
    )
    return None if row is None else tuple(msgspec.json.decode(row[0]))


def granted_at(tx: Tx, user: int, id_: int) -> str | None:
    """Return when a user let an application in; None when there is no such grant."""
    found: str | None = tx.value(
        "SELECT created_at FROM oauth_grants WHERE id = :id AND user_id = :user", id=id_, user=user
    )
    return found


def note_use(tx: Tx, used: Mapping[int, str]) -> None:
    """Write when the tokens of each grant were last used."""
    for id_, moment in used.items():
        tx.run(
            "UPDATE oauth_grants SET last_used_at = max(ifnull(last_used_at, ''), :moment) "
            "WHERE id = :id",
            moment=moment,
            id=id_,
        )


def _of_user(tx: Tx, user: int) -> GrantList:
    rows = tx.all(
        f"SELECT {COLUMNS} FROM oauth_grants WHERE user_id = :user AND {LIVE} ORDER BY id DESC",
        user=user,
        now=tx.now,
    )
    return GrantList([_as_grant(*row) for row in rows])


def _as_grant(
    id_: int,
    client_id: str,
    client_name: str,
    scopes: str,
    created_at: str,
    last_used_at: str | None,
) -> Grant:
    return Grant(id_, client_id, client_name, msgspec.json.decode(scopes), created_at, last_used_at)
