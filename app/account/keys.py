"""API keys: random secrets of which only a hash is kept, with scopes, an expiry and an end."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from app.account import key_rows, users
from app.account.key_rows import Key, NewKey
from app.core.caller import EVERYTHING, SCOPES, Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id, Line, Record, Rule
from app.errors import NotFound

ExpiresIn = Literal["1h", "24h", "7d", "30d", "90d", "1y", "never"]


class KnownScopes(Rule, frozen=True):
    """Scopes that exist, at least one, each once, in the order given; `*` alone means all."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"minItems": 1, "items": {"enum": [*SCOPES, "*"]}}

    def __call__(self, value: list[str]) -> list[str]:
        if not value:
            raise ValueError(
                "must name at least one scope; leave scopes out for a key with all of them"
            )
        if unknown := [scope for scope in value if scope not in SCOPES and scope != "*"]:
            raise ValueError(f"holds an unknown scope: {unknown[0][:80]}")
        return ["*"] if "*" in value else list(dict.fromkeys(value))


KeyName = Annotated[str, Line()]
Scopes = Annotated[list[str], KnownScopes()]


class KeyList(Record):
    keys: list[Key]
    total: int


class Revoked(Record):
    revoked: bool = True


@operation("GET /account/keys", scope="account:manage")
def list_keys(tx: Tx, me: Caller) -> KeyList:
    """List the caller's API keys, newest first, revoked ones included."""
    return _listed(tx, me.user)


@operation("POST /account/keys", scope="account:manage", http=Http(status=201))
def create_key(
    tx: Tx,
    me: Caller,
    *,
    name: KeyName,
    scopes: Scopes | None = None,
    expires_in: ExpiresIn = "never",
) -> NewKey:
    """Create an API key; without scopes it has all, which only a credential with all may give."""
    asked = EVERYTHING if scopes is None else tuple(scopes)
    key_rows.require_all(me, asked)
    made_by = key_rows.credential_key(tx, me)
    return key_rows.issue(tx, me.user, name, asked, expires_in, made_by=made_by)


@operation("POST /account/keys/{id}/rotate", scope="account:manage")
def rotate_key(
    tx: Tx, me: Caller, *, id: Id, grace_seconds: Annotated[int, Meta(ge=0, le=86400)] = 0
) -> NewKey:
    """Give a key a new secret; the old one works for the grace time."""
    return key_rows.rotate(tx, me, id, grace_seconds)


@operation("DELETE /account/keys/{id}", scope="account:manage")
def revoke_key(tx: Tx, me: Caller, *, id: Id) -> Revoked:
    """Revoke a key at once; doing it again changes nothing."""
    key_rows.require_own(tx, me.user, id)
    key_rows.revoke(tx, id)
    return Revoked()


@operation("COMMAND")
def issue_key(
    tx: Tx,
    me: Caller,
    *,
    username: str,
    name: KeyName,
    scopes: Scopes | None = None,
    expires_in: ExpiresIn = "never",
) -> NewKey:
    """Create an API key for a user."""
    asked = EVERYTHING if scopes is None else tuple(scopes)
    return key_rows.issue(tx, users.require_user(tx, username)["id"], name, asked, expires_in)


@operation("COMMAND", effect="read")
def user_keys(tx: Tx, me: Caller, *, username: str) -> KeyList:
    """List a user's API keys, newest first."""
    return _listed(tx, users.require_user(tx, username)["id"])


@operation("COMMAND")
def end_key(tx: Tx, me: Caller, *, id: Id) -> Revoked:
    """Revoke any user's key at once."""
    if tx.one("SELECT 1 FROM keys WHERE id = :id", id=id) is None:
        raise NotFound(f"There is no key {id}.", field="id")
    key_rows.revoke(tx, id)
    return Revoked()


def _listed(tx: Tx, user: int) -> KeyList:
    found = key_rows.list_own(tx, user)
    return KeyList(found, len(found))
