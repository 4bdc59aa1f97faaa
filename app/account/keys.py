"""API keys: random secrets of which only a hash is kept, with scopes, an expiry and an end."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.account import users
from app.core import random_tokens
from app.core.app import App
from app.core.caller import EVERYTHING, SCOPES, Caller
from app.core.database.store import Store
from app.core.database.tx import Tx, stamp
from app.core.operation import Http, operation
from app.core.schema import Id, Line, Record, Rule
from app.errors import InsufficientScope, NotFound, QuotaExceeded, Unauthorized

MOST_LIVE_KEYS = 100
LIVES: dict[str, timedelta | None] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
    "1y": timedelta(days=365),
    "never": None,
}
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


class Key(Record):
    """An API key without its secret."""

    id: int
    name: str
    prefix: str
    last4: str
    scopes: list[str]
    created_at: str
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None


class KeyList(Record):
    keys: list[Key]
    total: int


class NewKey(Record):
    """A key with its secret, which is shown this once."""

    key: Key
    secret: str


class Revoked(Record):
    revoked: bool = True


@operation("GET /account/keys", scope="account:manage", since="beyond", effect="read")
def list_keys(tx: Tx, me: Caller) -> KeyList:
    """List the caller's API keys, newest first, revoked ones included."""
    rows = tx.all(f"SELECT {COLUMNS} FROM keys WHERE user_id = :me ORDER BY id DESC", me=me.user)
    return KeyList([_key(*row) for row in rows], len(rows))


@operation("POST /account/keys", scope="account:manage", since="beyond", http=Http(status=201))
async def create_key(
    app: App,
    me: Caller,
    *,
    name: KeyName,
    scopes: Scopes | None = None,
    expires_in: ExpiresIn = "never",
) -> NewKey:
    """Create an API key; without scopes it has all, which only a credential with all may give."""
    asked = EVERYTHING if scopes is None else tuple(scopes)
    _require_all(me, asked)
    return await app.write(_issue_for, me, name, asked, expires_in, app.settings.key_prefix)


@operation("POST /account/keys/{id}/rotate", scope="account:manage", since="beyond")
async def rotate_key(
    app: App, me: Caller, *, id: Id, grace_seconds: Annotated[int, Meta(ge=0, le=86400)] = 0
) -> NewKey:
    """Give a key a new secret; the old one works for the grace time."""
    return await app.write(_rotate, me, id, grace_seconds, app.settings.key_prefix)


@operation("DELETE /account/keys/{id}", scope="account:manage", since="beyond")
def revoke_key(tx: Tx, me: Caller, *, id: Id) -> Revoked:
    """Revoke a key at once; doing it again changes nothing."""
    _own(tx, me.user, id)
    return _revoke(tx, id)


@operation("COMMAND")
async def issue_key(
    app: App,
    me: Caller,
    *,
    username: str,
    name: KeyName,
    scopes: Scopes | None = None,
    expires_in: ExpiresIn = "never",
) -> NewKey:
    """Create an API key for a user."""
    user = await app.read(lambda tx: int(users.by_name(tx, username)["id"]))
    asked = EVERYTHING if scopes is None else tuple(scopes)
    return await app.write(issue, user, name, asked, expires_in, app.settings.key_prefix)


@operation("COMMAND", effect="read")
def user_keys(tx: Tx, me: Caller, *, username: str) -> KeyList:
    """List a user's API keys, newest first."""
    rows = tx.all(
        f"SELECT {COLUMNS} FROM keys WHERE user_id = :user ORDER BY id DESC",
        user=users.by_name(tx, username)["id"],
    )
    return KeyList([_key(*row) for row in rows], len(rows))


@operation("COMMAND")
def end_key(tx: Tx, me: Caller, *, id: Id) -> Revoked:
    """Revoke any user's key at once."""
    if tx.one("SELECT 1 FROM keys WHERE id = :id", id=id) is None:
        raise NotFound(f"There is no key {id}.", field="id")
    return _revoke(tx, id)


def issue(
    tx: Tx,
    user: int,
    name: str,
    scopes: tuple[str, ...],
    expires_in: str,
    prefix: str,
    *,
    made_by: int | None = None,
) -> NewKey:
    """Make a key for a user; `prefix` is what its secret begins with, `made_by` the key that
    asked for it.
    """
    live = tx.value(
        "SELECT count(*) FROM keys WHERE user_id = :user AND revoked_at IS NULL "
        "AND (expires_at IS NULL OR expires_at > :now)",
        user=user,
        now=tx.now,
    )
    if live >= MOST_LIVE_KEYS:
        raise QuotaExceeded(
            f"A user has at most {MOST_LIVE_KEYS} live keys; revoke one first.",
            limit=MOST_LIVE_KEYS,
        )
    secret = random_tokens.secret(prefix)
    life = LIVES[expires_in]
    id_ = tx.run(
        """INSERT INTO keys (user_id, name, digest, prefix, last4, scopes, created_at, expires_at, made_by)
           VALUES (:user, :name, :digest, :prefix, :last4, :scopes, :now, :expires, :made_by)""",
        user=user,
        name=name,
        digest=digest(secret),
        prefix=prefix,
        last4=secret[-4:],
        scopes=msgspec.json.encode(scopes).decode(),
        now=tx.now,
        expires=None if life is None else stamp(tx.moment + life),
        made_by=made_by,
    ).lastrowid
    return NewKey(_one(tx, id_ or 0), secret)


def live_scopes(tx: Tx, user: int, id_: int) -> tuple[str, ...] | None:
    """Give the scopes of a user's key; None when it is revoked, expired or not theirs."""
    row = tx.one(
        "SELECT scopes FROM keys WHERE id = :id AND user_id = :user "
        "AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)",
        id=id_,
        user=user,
        now=tx.now,
    )
    return None if row is None else tuple(msgspec.json.decode(row[0]))


def lineage(tx: Tx, key: int) -> frozenset[int]:
    """Give a key with the key that made it or saw its present secret, and so on up to one that
    no key made.
    """
    rows = tx.all(
        """WITH RECURSIVE line (id) AS (
               SELECT :key UNION SELECT k.made_by FROM keys k JOIN line ON line.id = k.id
                 WHERE k.made_by IS NOT NULL)
           SELECT id FROM line""",
        key=key,
    )
    return frozenset(row[0] for row in rows)


def secret_since(tx: Tx, key: int) -> str | None:
    """Give when a key got the secret that it has; None when there is no such key."""
    found: str | None = tx.value(
        "SELECT ifnull(secret_at, created_at) FROM keys WHERE id = :key", key=key
    )
    return found


class KeyRing:
    """Who a key belongs to, answered from memory.

    What commits a change of keys or users empties it.

    The times of last use are gathered here and written at most once a minute by `flush`, not in
    a transaction for each request.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, Caller | None] = {}
        self._used: dict[int, str] = {}
        for event in ("keys.changed", "users.changed"):
            store.events.on(event, lambda _: self._known.clear())

    def caller(self, key: str) -> Caller | None:
        """Give the caller whose key this is, or None when it is unknown, expired or revoked."""
        print_ = digest(key)
        found = self._known.get(print_)
        if found is None:
            found = self._store.quick(by_digest, print_)
            if found is None:
                return None
            self._known[print_] = found
        if found.expires_at is not None and found.expires_at <= stamp(self._store.ends()):
            return None
        return found

    def used(self, caller: Caller) -> None:
        """Note that the caller's key was used now."""
        if caller.credential is not None and caller.credential not in self._used:
            self._used[caller.credential] = stamp(self._store.clock())

    async def flush(self) -> None:
        """Write the times of last use that were gathered."""
        if self._used:
            used, self._used = self._used, {}
            await self._store.write(_touch, used)


COLUMNS = "id, name, prefix, last4, scopes, created_at, last_used_at, expires_at, revoked_at"


def digest(key: str) -> bytes:
    """Give the SHA-256 by which a key is kept and looked up; 40 random base62 characters (238 bits)
    need no slow hash.

    The look-up compares digests, so its time tells nothing of the key.
    """
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def by_digest(tx: Tx, print_: bytes) -> Caller | None:
    """Give the caller whose key has this digest, with the moment at which that ends.

    None when it is unknown or revoked.
    """
    row = tx.one(
        """SELECT k.id, k.name, k.prefix, k.scopes, u.id AS user, u.uuid, u.username,
                  CASE WHEN k.digest = :print THEN k.expires_at
                    ELSE min(k.old_expires_at, ifnull(k.expires_at, k.old_expires_at)) END AS
                    expires_at
           FROM keys k JOIN users u ON u.id = k.user_id
             WHERE (k.digest = :print OR k.old_digest = :print) AND k.revoked_at IS NULL""",
        print=print_,
    )
    if row is None:
        return None
    return Caller(
        user=row["user"],
        user_id=row["uuid"],
        username=row["username"],
        kind="key",
        scopes=tuple(msgspec.json.decode(row["scopes"])),
        credential=row["id"],
        name=row["name"],
        prefix=row["prefix"],
        expires_at=row["expires_at"],
    )


def _require_all(me: Caller, scopes: Sequence[str]) -> None:
    """Raise InsufficientScope unless the caller holds every one of `scopes`.

    No credential comes by a secret that may do more than itself.
    """
    if "*" in scopes and "*" not in me.scopes:
        raise InsufficientScope(
            "This credential lacks some scopes, so it cannot make or rotate a key with all.",
            scope="*",
        )
    for scope in scopes:
        if scope != "*":
            me.require((scope,))


def _issue_for(
    tx: Tx, me: Caller, name: str, scopes: tuple[str, ...], expires_in: str, prefix: str
) -> NewKey:
    return issue(tx, me.user, name, scopes, expires_in, prefix, made_by=came_by(tx, me))


def came_by(tx: Tx, me: Caller) -> int | None:
    """Give the key by which the caller came, be it by a session that was begun with it.

    None where there is none.
    """
    if me.kind == "key":
        return me.credential
    if me.kind != "session":
        return None
    sql = (
        "SELECT k.id FROM web_sessions s "
        "JOIN keys k ON s.key_digest IN (k.digest, k.old_digest) WHERE s.id = :id"
    )
    found: int | None = tx.value(sql, id=me.credential)
    return found


def _rotate(tx: Tx, me: Caller, id_: int, grace_seconds: int, prefix: str) -> NewKey:
    key = _own(tx, me.user, id_)
    _require_all(me, key.scopes)
    if key.revoked_at is not None:
        raise NotFound("This key is revoked.", field="id")
    secret, until = (
        random_tokens.secret(prefix),
        stamp(tx.moment + timedelta(seconds=grace_seconds)),
    )
    tx.run(
        """UPDATE keys SET old_digest = CASE WHEN :grace > 0
          THEN digest END, old_expires_at = CASE WHEN :grace > 0 THEN :until END,
                  digest = :digest, prefix = :prefix, last4 = :last4, secret_at = :now,
                  made_by = CASE WHEN :by IS NULL OR :by = id THEN made_by ELSE :by END
                    WHERE id = :id""",
        by=came_by(tx, me),
        now=tx.now,
        grace=grace_seconds,
        until=until,
        digest=digest(secret),
        prefix=prefix,
        last4=secret[-4:],
        id=id_,
    )
    tx.emit("keys.changed")
    return NewKey(_one(tx, id_), secret)


def _revoke(tx: Tx, id_: int) -> Revoked:
    tx.run(
        "UPDATE keys SET revoked_at = ifnull(revoked_at, :now), old_digest = NULL WHERE id = :id",
        now=tx.now,
        id=id_,
    )
    tx.emit("keys.changed")
    return Revoked()


def _touch(tx: Tx, used: dict[int, str]) -> None:
    for id_, moment in used.items():
        tx.run(
            "UPDATE keys SET last_used_at = max(ifnull(last_used_at, ''), :moment) WHERE id = :id",
            moment=moment,
            id=id_,
        )


def _own(tx: Tx, user: int, id_: int) -> Key:
    row = tx.one(
        f"SELECT {COLUMNS} FROM keys WHERE id = :id AND user_id = :user", id=id_, user=user
    )
    if row is None:
        raise NotFound(f"There is no key {id_}.", field="id")
    return _key(*row)


def _one(tx: Tx, id_: int) -> Key:
    row = tx.sure(f"SELECT {COLUMNS} FROM keys WHERE id = :id", id=id_)
    return _key(*row)


def _key(
    id_: int,
    name: str,
    prefix: str,
    last4: str,
    scopes: str,
    created_at: str,
    last_used_at: str | None,
    expires_at: str | None,
    revoked_at: str | None,
) -> Key:
    return Key(
        id_,
        name,
        prefix,
        last4,
        msgspec.json.decode(scopes),
        created_at,
        last_used_at,
        expires_at,
        revoked_at,
    )


def caller_of(tx: Tx, me: Caller, id_: int) -> Caller:
    """Give the caller that one of the user's keys makes.

    Raise NotFound, or Unauthorized for a key that has ended.
    """
    _own(tx, me.user, id_)
    found = by_digest(
        tx,
        tx.value(
            "SELECT digest FROM keys WHERE id = :id AND user_id = :user", id=id_, user=me.user
        ),
    )
    if found is None or (found.expires_at is not None and found.expires_at <= tx.now):
        raise Unauthorized(f"Key {id_} is revoked or expired.")
    return found
