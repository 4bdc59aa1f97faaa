"""Web sessions: who sits at a page of this server.

They begin with a key or a single-use code and live as long as they are used.
"""

import dataclasses
import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from app.account import key_rows, users
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.process.gathered import Gathered
from app.core.schema import Record
from app.errors import InsufficientScope, Invalid, Unauthorized

LIFE = timedelta(days=30)
RENEWAL = timedelta(hours=1)
CODE_LIFE = timedelta(minutes=10)
MOST_SESSIONS = 100
LONGEST_SECRET = 255
REFUSED = "This key or code is unknown, used up, expired or revoked."


class SignInCode(Record):
    """A code with which its user may sign in once."""

    code: str
    expires_at: str


class SignedIn(Record):
    """The secret of a session that has begun."""

    secret: str


class Ended(Record):
    sessions: int


@operation("COMMAND")
def make_sign_in_code(tx: Tx, me: Caller, *, username: str) -> SignInCode:
    """Give a code with which a user signs in at a page of this server, once and within ten
    minutes.
    """
    code = random_tokens.new_code()
    expires_at = stamp(tx.moment + CODE_LIFE)
    tx.insert(
        "sign_in_codes",
        digest=_code_digest(code),
        user_id=users.require_user(tx, username)["id"],
        expires_at=expires_at,
    )
    return SignInCode(code, expires_at)


@operation("COMMAND")
def sign_in(
    tx: Tx,
    me: Caller,
    *,
    key: str | None = None,
    code: str | None = None,
    language: str | None = None,
    timezone: str | None = None,
) -> SignedIn:
    """Begin a web session with a key that has every scope, or with a code, which is used up.

    `language` is what the browser asks for and `timezone` where it is; they become those of a user
    who has chosen none.
    """
    if (key is None) == (code is None):
        raise Invalid("Send either key or code.", field="key")
    user = _owner_of_key(tx, key) if key is not None else _owner_of_code(tx, code or "")
    users.take_from_browser(tx, user, language=language, timezone=timezone)
    return SignedIn(_insert_session(tx, user, key_rows.key_digest(key) if key else None))


@operation("COMMAND")
def sign_out(tx: Tx, me: Caller, *, secret: str) -> Ended:
    """End a web session; one that has ended already stays so."""
    return _ended_answer(
        tx,
        tx.run(
            "DELETE FROM web_sessions WHERE digest = :digest", digest=key_rows.key_digest(secret)
        ).rowcount,
    )


@operation("COMMAND")
def end_sessions(tx: Tx, me: Caller, *, username: str) -> Ended:
    """End every web session of a user, and the codes that were not used yet."""
    user = users.require_user(tx, username)["id"]
    tx.run("DELETE FROM sign_in_codes WHERE user_id = :user", user=user)
    return _ended_answer(
        tx, tx.run("DELETE FROM web_sessions WHERE user_id = :user", user=user).rowcount
    )


class Session(Record):
    """A web session, without its secret; `throughKey`: it began with a key, and ends with it."""

    id: int
    created_at: str
    expires_at: str
    through_key: bool


class SessionList(Record):
    sessions: list[Session]


@operation("COMMAND", effect="read")
def user_sessions(tx: Tx, me: Caller, *, username: str) -> SessionList:
    """List the web sessions of a user that have not ended, newest first."""
    rows = tx.all(
        "SELECT id, created_at, expires_at, key_digest IS NOT NULL AS through_key "
        "FROM web_sessions WHERE user_id = :user AND expires_at > :now ORDER BY id DESC",
        user=users.require_user(tx, username)["id"],
        now=tx.now,
    )
    return SessionList([Session(row[0], row[1], row[2], row[3] == 1) for row in rows])


@operation("COMMAND")
def end_session(tx: Tx, me: Caller, *, username: str, id: int) -> Ended:
    """End one web session of a user."""
    return _ended_answer(
        tx,
        tx.run(
            "DELETE FROM web_sessions WHERE id = :id AND user_id = :user",
            id=id,
            user=users.require_user(tx, username)["id"],
        ).rowcount,
    )


@operation("COMMAND", every=HOUR)
def sweep_sessions(tx: Tx, me: Caller) -> Ended:
    """Delete the sessions and codes whose time is over."""
    tx.run("DELETE FROM sign_in_codes WHERE expires_at <= :now", now=tx.now)
    return Ended(tx.run("DELETE FROM web_sessions WHERE expires_at <= :now", now=tx.now).rowcount)


def begun_at(tx: Tx, me: Caller) -> str | None:
    """Return when the session began that the caller comes with; None when it is gone."""
    found: str | None = tx.value(
        "SELECT created_at FROM web_sessions WHERE id = :id AND user_id = :user",
        id=me.credential,
        user=me.user,
    )
    return found


class _CachedSession(msgspec.Struct):
    """A session in memory: its caller, when it is to be renewed, and when the key behind it
    ends.
    """

    caller: Caller
    renew_at: datetime
    key_ends_at: str | None


class Sessions:
    """Whose a session is, answered from memory.

    What commits a change of sessions, keys or users empties it.

    A session is renewed at most once an hour of use; the new ends are gathered here and written
    at most once a minute by `flush_renewed`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, _CachedSession] = {}
        self._renewed: Gathered[int, str] = Gathered()
        for event in ("sessions.changed", "keys.changed", "users.changed"):
            store.events.on(event, lambda _: self._known.clear())

    def admit(self, secret: str) -> tuple[Caller, bool] | None:
        """Return the caller whose session this is, and whether it was renewed just now.

        None when it is unknown or has ended.
        """
        print_ = key_rows.key_digest(secret)
        moment = self._store.clock()
        held = self._known.get(print_)
        if held is None:
            held = self._store.quick(_find_session, print_, self._renewed)
            if held is None:
                return None
            self._known[print_] = held
        if held.caller.expires_at is None or held.caller.expires_at <= stamp(self._store.ends()):
            return None
        if moment < held.renew_at:
            return held.caller, False
        self._renew(held, moment)
        return held.caller, True

    async def flush_renewed(self) -> None:
        """Write the ends of the sessions that were renewed."""
        await self._renewed.flush(lambda held: self._store.write(_write_renewed, held))

    def _renew(self, held: _CachedSession, moment: datetime) -> None:
        ends_at = _earlier_moment(stamp(moment + LIFE), held.key_ends_at)
        held.caller = dataclasses.replace(held.caller, expires_at=ends_at)
        held.renew_at = moment + RENEWAL
        if held.caller.credential is not None:
            self._renewed[held.caller.credential] = ends_at


def _insert_session(tx: Tx, user: int, key_digest: bytes | None) -> str:
    """Make a session and give its secret.

    Of very many the ones that were not used for longest go.
    """
    secret = random_tokens.new_secret("")
    tx.insert(
        "web_sessions",
        user_id=user,
        digest=key_rows.key_digest(secret),
        key_digest=key_digest,
        created_at=tx.now,
        expires_at=stamp(tx.moment + LIFE),
    )
    dropped = tx.run(
        """DELETE FROM web_sessions WHERE user_id = :user AND id NOT IN
               (SELECT id FROM web_sessions WHERE user_id = :user
                 ORDER BY expires_at DESC, id DESC LIMIT :most)""",
        user=user,
        most=MOST_SESSIONS,
    )
    if dropped.rowcount:
        tx.emit("sessions.changed")
    return secret


def _owner_of_key(tx: Tx, key: str) -> int:
    found = (
        key_rows.find_caller(tx, key_rows.key_digest(key.strip()))
        if len(key) <= LONGEST_SECRET
        else None
    )
    if found is None or _is_over(found.expires_at, tx.now):
        raise Unauthorized(REFUSED)
    if found.kind != "key" or "*" not in found.scopes:
        raise InsufficientScope(
            "A session has every scope, so only a key with all of them may begin one.", scope="*"
        )
    return found.user


def _owner_of_code(tx: Tx, code: str) -> int:
    row = None
    if len(code) <= LONGEST_SECRET:
        row = tx.one(
            "DELETE FROM sign_in_codes WHERE digest = :digest AND expires_at > :now "
            "RETURNING user_id",
            digest=_code_digest(code),
            now=tx.now,
        )
    if row is None:
        raise Unauthorized(REFUSED)
    return int(row["user_id"])


def _find_session(tx: Tx, print_: bytes, renewed: dict[int, str]) -> _CachedSession | None:
    row = tx.one(
        """SELECT s.id, s.key_digest, s.expires_at, u.id AS user, u.uuid, u.username
           FROM web_sessions s JOIN users u ON u.id = s.user_id WHERE s.digest = :print""",
        print=print_,
    )
    if row is None:
        return None
    key = None if row["key_digest"] is None else key_rows.find_caller(tx, row["key_digest"])
    if row["key_digest"] is not None and key is None:
        return None  # whoever revokes or replaces a key also means what was begun with it
    key_ends_at = None if key is None else key.expires_at
    # a renewal may wait in memory, and a session ends with the key it was begun with
    ends_at = _earlier_moment(max(row["expires_at"], renewed.get(row["id"], "")), key_ends_at)
    caller = Caller(
        row["user"],
        row["uuid"],
        row["username"],
        "session",
        credential=row["id"],
        expires_at=ends_at,
    )
    return _CachedSession(
        caller, datetime.fromisoformat(row["expires_at"]) - LIFE + RENEWAL, key_ends_at
    )


def _write_renewed(tx: Tx, renewed: Mapping[int, str]) -> None:
    for id_, ends_at in renewed.items():
        tx.update("web_sessions", {"id": id_}, expires_at=ends_at)


def _ended_answer(tx: Tx, count: int) -> Ended:
    tx.emit("sessions.changed")
    return Ended(count)


def _code_digest(code: str) -> bytes:
    """Return the hash of a code however it was typed.

    Its 60 bits hold for the ten minutes it lives.
    """
    return hashlib.sha256(
        random_tokens.normalise_code(code).encode("utf-8", "surrogateescape")
    ).digest()


def _earlier_moment(ends_at: str, other: str | None) -> str:
    return ends_at if other is None else min(ends_at, other)


def _is_over(ends_at: str | None, now: str) -> bool:
    return ends_at is not None and ends_at <= now
