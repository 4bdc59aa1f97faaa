"""The record of what agents did and were refused.

Rows that are only ever added, each holding the hash of the one before.
"""

import hashlib
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint, operation
from app.core.schema import Id, Record
from app.core.schema_errors import SHA256

Event = Literal["call", "proposal", "denial", "decision", "expiry", "stop", "start"]
BEGINNING = bytes(32)
# What one read checks at most, so that a long record does not hold a reader for seconds.
SLICE = 2_000
NO_ARGUMENTS = hashlib.sha256(b"{}").hexdigest()


class Entry(NamedTuple):
    """One thing that an agent did, proposed or was refused, or that was decided for it.

    It holds no text of the user's.
    """

    event: Event
    tool: str = ""
    arguments_sha256: str = NO_ARGUMENTS
    outcome: str = ""
    origin: str = ""
    escalation: int | None = None
    taint: frozenset[Taint] = frozenset()


class Row(Record):
    """One row of the record."""

    id: int
    at: str
    user: int
    actor: str
    origin: str
    event: str
    tool: str
    arguments_sha256: str
    outcome: str
    escalation_id: int | None
    taint: str


class Rows(Record):
    rows: list[Row]


class Verified(Record):
    """Whether the record is whole.

    How many rows there are, the hash of the last, and where it is broken.
    """

    intact: bool
    rows: int
    head: str
    broken_at: int | None
    problem: str | None


def add(tx: Tx, me: Caller, entry: Entry, *, user: int | None = None) -> None:
    """Add a row, in the transaction of what it tells of.

    `user` is whose agent it is, when not the caller's own.
    """
    # Not the largest id that is there: after rows were cut off at the end the next number must
    # leave a gap, by which that is seen.
    number = _last_row_number(tx)
    before = tx.value("SELECT hash FROM audit WHERE id = (SELECT max(id) FROM audit)")
    actor = me.kind if me.credential is None else f"{me.kind} {me.credential}"
    if me.agent is not None:
        key = "" if me.credential is None else f" key {me.credential}"
        actor = f"{me.kind} {me.agent.id}{key}"
    row = Row(
        number + 1,
        tx.now,
        me.user if user is None else user,
        actor,
        entry.origin,
        entry.event,
        # A model may call a tool by any name, however long.
        entry.tool[:128],
        entry.arguments_sha256,
        entry.outcome[:200],
        entry.escalation,
        " ".join(sorted(entry.taint)),
    )
    told = msgspec.structs.asdict(row)
    tx.insert("audit", user_id=told.pop("user"), hash=chain_hash(before or BEGINNING, row), **told)


def add_later(app: App, me: Caller, entry: Entry) -> None:
    """Add a row for what has changed nothing, such as a read or a refusal, without keeping its
    answer waiting.
    """
    # A task and not an await: a read would otherwise wait for a commit to the disk.
    app.tasks.start(app.write(add, me, entry))


def chain_hash(before: bytes, row: Row) -> bytes:
    """Return the hash of a row: SHA-256 over the hash before and the row as a JSON list."""
    return hashlib.sha256(
        before + msgspec.json.encode(list(msgspec.structs.asdict(row).values()))
    ).digest()


def verify(
    tx: Tx, *, after: int = 0, before: bytes = BEGINNING, most: int = SLICE, head: str | None = None
) -> tuple[int, bytes, int | None, bool]:
    """Check up to `most` rows after one.

    Return the last that holds with its hash, the id of the first that does not, and whether one
    that holds has the hash `head`.
    """
    last, hash_, seen = after, before, False
    for row in tx.all(
        f"SELECT {_COLUMNS}, hash FROM audit WHERE id > :after ORDER BY id LIMIT :most",
        after=after,
        most=most,
    ):
        expected = chain_hash(hash_, Row(*row[:-1]))
        # Rows are never deleted, so a number that is missing was taken out.
        if row["id"] != last + 1 or row["hash"] != expected:
            return last, hash_, last + 1, seen
        last, hash_ = row["id"], expected
        seen = seen or hash_.hex() == head
    return last, hash_, None, seen


def verify_whole(tx: Tx) -> str | None:
    """Check the whole record at once, where nobody waits; return what is wrong with it."""
    last, hash_ = 0, BEGINNING
    while True:
        number, hash_, broken, _ = verify(tx, after=last, before=hash_)
        if broken is not None:
            return _broken_message(broken)
        if number == last:
            lost = _find_lost_row(tx, last)
            return None if lost is None else f"The rows {last + 1} to {lost} are missing."
        last = number


@operation("COMMAND", category="agent", effect="read")
async def verify_audit(
    app: App, me: Caller, *, head: Annotated[str, Meta(pattern=SHA256)] | None = None
) -> Verified:
    """Check the whole record of what agents did.

    With `head`, a hash that was shown earlier, also that the record still goes back to it.
    """
    # Slice by slice, each its own read: rows that are added meanwhile are simply checked as well.
    last, hash_, seen = 0, BEGINNING, head is None
    while True:
        number, hash_, broken, found = await app.read(verify, after=last, before=hash_, head=head)
        seen = seen or found
        if broken is not None:
            return Verified(False, number, hash_.hex(), broken, _broken_message(broken))
        if number == last:
            break
        last = number
    if (lost := await app.read(_find_lost_row, last)) is not None:
        return Verified(
            False, last, hash_.hex(), last + 1, f"The rows {last + 1} to {lost} are missing."
        )
    problem = (
        None if seen else "The record does not go back to that hash: it was cut off or made anew."
    )
    return Verified(seen, last, hash_.hex(), None, problem)


@operation("COMMAND", category="agent", effect="read")
def list_audit(
    tx: Tx, me: Caller, *, limit: Annotated[int, Meta(ge=1, le=1000)] = 50, before: Id | None = None
) -> Rows:
    """List the newest rows of the record, newest first."""
    return Rows(_newest_rows(tx, limit, before, "1"))


@operation("COMMAND", effect="read")
def user_audit(
    tx: Tx,
    me: Caller,
    *,
    username: str,
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50,
    before: Id | None = None,
) -> Rows:
    """List the newest rows of the record that tell of a user's agents, newest first."""
    user = users.require_user(tx, username)["id"]
    return Rows(_newest_rows(tx, limit, before, "user_id = :user", user=user))


def _newest_rows(
    tx: Tx, limit: int, before: int | None, condition: str, **params: Any
) -> list[Row]:
    found: list[Any] = tx.all(
        f"SELECT {_COLUMNS} FROM audit WHERE {condition} "
        "AND id < ifnull(:before, 9223372036854775807) ORDER BY id DESC LIMIT :limit",
        before=before,
        limit=limit,
        **params,
    )
    return [Row(*row) for row in found]


_COLUMNS = (
    "id, at, user_id, actor, origin, event, tool, arguments_sha256, outcome, escalation_id, taint"
)


def _last_row_number(tx: Tx) -> int:
    """Return the number of the last row that was ever added.

    SQLite keeps it apart, so that rows cut off at the end leave a gap.
    """
    return int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'audit'") or 0)


def _find_lost_row(tx: Tx, last: int) -> int | None:
    """Return the number of the last row that was added, when none after `last` is there any
    more."""
    newest = _last_row_number(tx)
    return (
        newest
        if newest > last and tx.one("SELECT 1 FROM audit WHERE id > :last", last=last) is None
        else None
    )


def _broken_message(row: int) -> str:
    return f"Row {row} is missing or is not what was written."
