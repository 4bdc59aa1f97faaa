"""The table of API keys: issuing, rotating and revoking them, and finding a key by its secret."""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec

from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.grant_scope import GrantScope
from app.core.schema import Record
from app.errors import InsufficientScope, NotFound, QuotaExceeded, Unauthorized

MOST_LIVE_KEYS, MOST_AGENT_KEYS = 100, 10
LIVES: dict[str, timedelta | None] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "90d": timedelta(days=90),
    "1y": timedelta(days=365),
    "never": None,
}
COLUMNS = "id, name, prefix, last4, scopes, created_at, last_used_at, expires_at, revoked_at"


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


class NewKey(Record):
    """A key with its secret, which is shown this once."""

    key: Key
    secret: str


def issue(
    tx: Tx,
    user: int,
    name: str,
    scopes: tuple[str, ...],
    expires_in: str,
    *,
    made_by: int | None = None,
    agent: int | None = None,
) -> NewKey:
    """Make a key for a user, or an `agent` of theirs; `made_by` is the key that asked for it."""
    live = tx.value(
        "SELECT count(*) FROM keys WHERE user_id = :user AND agent_id IS :agent "
        "AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)",
        user=user,
        agent=agent,
        now=tx.now,
    )
    whose, most = ("A user", MOST_LIVE_KEYS) if agent is None else ("An agent", MOST_AGENT_KEYS)
    if live >= most:
        raise QuotaExceeded(f"{whose} has at most {most} live keys; revoke one first.", limit=most)
    secret = random_tokens.new_secret(tx.settings.key_prefix)
    life = LIVES[expires_in]
    id_ = tx.insert(
        "keys",
        user_id=user,
        name=name,
        digest=key_digest(secret),
        prefix=tx.settings.key_prefix,
        last4=secret[-4:],
        scopes=msgspec.json.encode(scopes).decode(),
        created_at=tx.now,
        expires_at=None if life is None else stamp(tx.moment + life),
        made_by=made_by,
        agent_id=agent,
    )
    return NewKey(_read_key(tx, id_), secret)


def rotate(tx: Tx, me: Caller, id_: int, grace_seconds: int) -> NewKey:
    """Give a key a new secret; raise NotFound for a key that is revoked."""
    key = require_own(tx, me.user, id_)
    require_all(me, key.scopes)
    if key.revoked_at is not None:
        raise NotFound("This key is revoked.", field="id")
    secret = random_tokens.new_secret(tx.settings.key_prefix)
    # a key that rotates itself keeps its maker in `made_by`: it has shown nobody else its secret
    until = stamp(tx.moment + timedelta(seconds=grace_seconds))
    tx.run(
        """UPDATE keys SET old_digest = CASE WHEN :grace > 0
          THEN digest END, old_expires_at = CASE WHEN :grace > 0 THEN :until END,
                  digest = :digest, prefix = :prefix, last4 = :last4, secret_at = :now,
                  made_by = CASE WHEN :by IS NULL OR :by = id THEN made_by ELSE :by END
                    WHERE id = :id""",
        by=credential_key(tx, me),
        now=tx.now,
        grace=grace_seconds,
        until=until,
        digest=key_digest(secret),
        prefix=tx.settings.key_prefix,
        last4=secret[-4:],
        id=id_,
    )
    tx.emit("keys.changed")
    return NewKey(_read_key(tx, id_), secret)


def revoke(tx: Tx, id_: int) -> None:
    """Revoke a key at once; doing it again changes nothing."""
    tx.run(
        "UPDATE keys SET revoked_at = ifnull(revoked_at, :now), old_digest = NULL WHERE id = :id",
        now=tx.now,
        id=id_,
    )
    tx.emit("keys.changed")


def note_use(tx: Tx, used: Mapping[int, str]) -> None:
    """Write when each key was last used."""
    for id_, moment in used.items():
        tx.run(
            "UPDATE keys SET last_used_at = max(ifnull(last_used_at, ''), :moment) WHERE id = :id",
            moment=moment,
            id=id_,
        )


def revoke_of_agent(tx: Tx, agent: int) -> None:
    """Revoke every key of a managed agent at once."""
    for row in tx.all("SELECT id FROM keys WHERE agent_id = :agent", agent=agent):
        revoke(tx, row["id"])


def list_own(tx: Tx, user: int, agent: int | None = None) -> list[Key]:
    """Return a user's keys, or those of an agent of theirs, newest first."""
    rows = tx.all(
        f"SELECT {COLUMNS} FROM keys WHERE user_id = :user AND agent_id IS :agent ORDER BY id DESC",
        user=user,
        agent=agent,
    )
    return [key_view(row) for row in rows]


def require_own(tx: Tx, user: int, id_: int, agent: int | None = None) -> Key:
    """Return a user's key, or one of an agent of theirs; raise NotFound."""
    row = tx.one(
        f"SELECT {COLUMNS} FROM keys WHERE id = :id AND user_id = :user AND agent_id IS :agent",
        id=id_,
        user=user,
        agent=agent,
    )
    if row is None:
        raise NotFound(f"There is no key {id_}.", field="id")
    return key_view(row)


def live_scopes(tx: Tx, user: int, id_: int) -> tuple[str, ...] | None:
    """Return the scopes of a key of a user or their agent; None when it is revoked, expired or
    not theirs.
    """
    row = tx.one(
        "SELECT scopes FROM keys WHERE id = :id AND user_id = :user "
        "AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)",
        id=id_,
        user=user,
        now=tx.now,
    )
    return None if row is None else tuple(msgspec.json.decode(row[0]))


def lineage(tx: Tx, key: int) -> frozenset[int]:
    """Return a key with the key that made it or saw its present secret, and so on up to one that
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
    """Return when a key got the secret that it has; None when there is no such key."""
    found: str | None = tx.value(
        "SELECT ifnull(secret_at, created_at) FROM keys WHERE id = :key", key=key
    )
    return found


def credential_key(tx: Tx, me: Caller) -> int | None:
    """Return the key by which the caller came, be it by a session that was begun with it.

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


def key_digest(key: str) -> bytes:
    """Return the SHA-256 by which a key, or another secret, is kept and looked up."""
    # 238 random bits need no slow hash; and as digests are compared, the time that a look-up
    # takes tells nothing of the key
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def find_caller(tx: Tx, print_: bytes) -> Caller | None:
    """Return the caller whose key has this digest, with the moment at which that ends.

    None when it is unknown or revoked. One of a managed agent reaches nothing until
    `Hooks.credentials` completes it.
    """
    row = tx.one(
        """SELECT k.id, k.name, k.prefix, k.scopes, k.agent_id, u.id AS user, u.uuid, u.username,
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
        kind="key" if row["agent_id"] is None else "managed_agent",
        scopes=tuple(msgspec.json.decode(row["scopes"])),
        credential=row["id"],
        name=row["name"],
        prefix=row["prefix"],
        expires_at=row["expires_at"],
        reach=None if row["agent_id"] is None else GrantScope(),
    )


def agent_of(tx: Tx, id_: int) -> int | None:
    """Return the managed agent whose key that is; None for a user's own."""
    found: int | None = tx.value("SELECT agent_id FROM keys WHERE id = :id", id=id_)
    return found


def caller_of(tx: Tx, me: Caller, id_: int) -> Caller:
    """Return the caller that one of the user's keys makes.

    Raise NotFound, or Unauthorized for a key that has ended.
    """
    require_own(tx, me.user, id_)
    found = find_caller(
        tx,
        tx.value(
            "SELECT digest FROM keys WHERE id = :id AND user_id = :user", id=id_, user=me.user
        ),
    )
    if found is None or (found.expires_at is not None and found.expires_at <= tx.now):
        raise Unauthorized(f"Key {id_} is revoked or expired.")
    return found


def _read_key(tx: Tx, id_: int) -> Key:
    return key_view(tx.require_row(f"SELECT {COLUMNS} FROM keys WHERE id = :id", id=id_))


def key_view(row: sqlite3.Row) -> Key:
    """Return a row with COLUMNS as the contract shows a key."""
    return Key(**{**dict(row), "scopes": msgspec.json.decode(row["scopes"])})


def require_all(me: Caller, scopes: Sequence[str]) -> None:
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
