"""The table of OAuth tokens: access tokens, and refresh tokens of which each is used once."""

from datetime import timedelta

import msgspec

from app.account import key_rows, oauth_grants
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Record

ACCESS_LIFE = timedelta(seconds=900)
REFRESH_LIFE = timedelta(days=30)
ACCESS_PREFIX, REFRESH_PREFIX = "hearth_at_", "hearth_rt_"


class Issued(msgspec.Struct, frozen=True):
    """The secrets of tokens that were just made; no refresh token for a grant without one."""

    access: str
    refresh: str | None


class RefreshToken(msgspec.Struct, frozen=True):
    """A refresh token as it was given, with the answers that Authlib asks it for."""

    digest: bytes
    grant: int
    user: int
    client_id: str
    scopes: tuple[str, ...]
    is_used: bool

    def check_client(self, client: oauth_grants.Named) -> bool:
        return client.client_id == self.client_id

    def get_scope(self) -> str:
        return " ".join(self.scopes)


class Swept(Record):
    tokens: int


def issue(
    tx: Tx, grant: int, scopes: tuple[str, ...], *, refreshing: tuple[str, ...] | None
) -> Issued:
    """Make an access token for `scopes`, and a refresh token for `refreshing` unless that is
    None.
    """
    access = _keep(tx, grant, "access", scopes, ACCESS_LIFE)
    if refreshing is None:
        return Issued(access, None)
    oauth_grants.prolong(tx, grant, stamp(tx.moment + REFRESH_LIFE))
    return Issued(access, _keep(tx, grant, "refresh", refreshing, REFRESH_LIFE))


def find_refresh(tx: Tx, token: str) -> RefreshToken | None:
    """Return a refresh token of a live grant, used or not."""
    row = tx.one(
        """SELECT t.digest, g.id, g.user_id, g.client_id, t.scopes, t.used_at
           FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
           WHERE t.digest = :digest AND t.kind = 'refresh' AND t.expires_at > :now
             AND g.revoked_at IS NULL""",
        digest=key_rows.key_digest(token),
        now=tx.now,
    )
    if row is None:
        return None
    scopes = tuple(msgspec.json.decode(row[4]))
    return RefreshToken(row[0], row[1], row[2], row[3], scopes, row[5] is not None)


def mark_used(tx: Tx, token: RefreshToken) -> None:
    """Note that a refresh token was used: whoever sends it again has stolen it, or was robbed."""
    tx.update("oauth_tokens", {"digest": token.digest}, used_at=tx.now)


def revoke(tx: Tx, token: str) -> None:
    """End an access token, or with a refresh token its whole grant; none that is unknown."""
    row = tx.one(
        "SELECT grant_id, kind FROM oauth_tokens WHERE digest = :digest",
        digest=key_rows.key_digest(token),
    )
    if row is None:
        return
    if row["kind"] == "refresh":
        oauth_grants.end(tx, row["grant_id"])
        return
    tx.run("DELETE FROM oauth_tokens WHERE digest = :digest", digest=key_rows.key_digest(token))
    tx.emit("grants.changed")


def find_caller(tx: Tx, print_: bytes) -> Caller | None:
    """Return the caller whose access token has this digest, with the moment at which it ends."""
    row = tx.one(
        """SELECT t.scopes, t.expires_at, g.id, g.client_name, u.id AS user, u.uuid, u.username
           FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
             JOIN users u ON u.id = g.user_id
           WHERE t.digest = :print AND t.kind = 'access' AND g.revoked_at IS NULL""",
        print=print_,
    )
    if row is None:
        return None
    return Caller(
        user=row["user"],
        user_id=row["uuid"],
        username=row["username"],
        kind="oauth",
        scopes=tuple(msgspec.json.decode(row["scopes"])),
        credential=row["id"],
        name=row["client_name"],
        expires_at=row["expires_at"],
    )


@operation("COMMAND", every=HOUR)
def sweep_tokens(tx: Tx, me: Caller) -> Swept:
    """Delete the OAuth tokens whose time is over."""
    swept = tx.run("DELETE FROM oauth_tokens WHERE expires_at <= :now", now=tx.now).rowcount
    if swept:
        tx.emit("grants.changed")
    return Swept(swept)


def _keep(tx: Tx, grant: int, kind: str, scopes: tuple[str, ...], life: timedelta) -> str:
    secret = random_tokens.new_secret(ACCESS_PREFIX if kind == "access" else REFRESH_PREFIX)
    tx.insert(
        "oauth_tokens",
        digest=key_rows.key_digest(secret),
        grant_id=grant,
        kind=kind,
        scopes=msgspec.json.encode(scopes).decode(),
        expires_at=stamp(tx.moment + life),
    )
    return secret
