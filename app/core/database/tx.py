"""One transaction: what a function that reads or writes is given."""

import contextlib
import functools
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from app.settings import Settings

Clock = Callable[[], datetime]
DEFAULTS = Settings()
"""For what looks into a database without a server."""
NOBODY: "Within" = {}


def utc_now() -> datetime:
    """Return the present moment; the only wall clock of the program."""
    return datetime.now(UTC)


Within = Mapping[str, Sequence[Callable[["Tx", Any], None]]]
"""Who listens within a transaction, by the name of what is told."""


class ForwardClock:
    """A clock that never goes back, for what ends at a moment.

    What has ended stays so while the process lives, whatever the wall clock does.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = clock()
        self._since = time.monotonic()

    def __call__(self) -> datetime:
        """Return the present moment, and never an earlier one than before."""
        since = time.monotonic()
        # a test's own clock does not go on with the process
        passed = timedelta(seconds=since - self._since) if self._clock is utc_now else timedelta()
        self._latest, self._since = max(self._clock(), self._latest + passed), since
        return self._latest


def stamp(moment: datetime) -> str:
    """Return a UTC moment as the contract writes it: ISO 8601 with milliseconds and Z."""
    # the cut takes +00:00 off
    return moment.isoformat(timespec="milliseconds")[:23] + "Z"


class NeedsSavepoints(Exception):
    """Something failed after its first change.

    The batch must be run again with a savepoint for each part.
    """


class _Undo(Exception):
    """Ends a block of which nothing stays."""


class Tx:
    """One open transaction: its connection, its one moment, the server's settings, and the events
    it will publish once it has committed.
    """

    __slots__ = ("_now", "_within", "careful", "connection", "events", "moment", "settings")

    def __init__(
        self,
        connection: sqlite3.Connection,
        moment: datetime,
        settings: Settings = DEFAULTS,
        *,
        now: str | None = None,
        careful: bool = True,
        within: "Within" = NOBODY,
    ) -> None:
        self.connection = connection
        self.moment = moment
        self.settings = settings
        self._now = now
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.careful = careful
        self._within = within

    @property
    def now(self) -> str:
        """The transaction's moment as it is stored and shown."""
        if self._now is None:
            self._now = stamp(self.moment)
        return self._now

    def one(self, sql: str, **params: Any) -> sqlite3.Row | None:
        """Return the first row, or None."""
        row: sqlite3.Row | None = self.connection.execute(sql, params).fetchone()
        return row

    def require_row(self, sql: str, **params: Any) -> sqlite3.Row:
        """Return the first row, which the caller knows to be there."""
        row: sqlite3.Row = self.connection.execute(sql, params).fetchone()
        return row

    def all(self, sql: str, **params: Any) -> list[sqlite3.Row]:
        """Return every row."""
        return self.connection.execute(sql, params).fetchall()

    def value(self, sql: str, **params: Any) -> Any:
        """Return the first column of the first row, or None."""
        row = self.connection.execute(sql, params).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, **params: Any) -> sqlite3.Cursor:
        """Run one statement; its cursor tells `lastrowid` and `rowcount`."""
        return self.connection.execute(sql, params)

    def insert(self, table: str, /, **columns: Any) -> int:
        """Insert a row, and return its rowid."""
        return self.connection.execute(_insert_sql(table, *columns), columns).lastrowid or 0

    def update(self, table: str, where: Mapping[str, Any], /, **columns: Any) -> int:
        """Give columns of the rows in which others have certain values, and return how many.

        SQLite finds no partial index by a value: what needs one is written as SQL, with a literal.
        """
        params = columns | {f"where_{column}": value for column, value in where.items()}
        sql = _update_sql(table, tuple(where), *columns)
        return self.connection.execute(sql, params).rowcount

    def emit(self, name: str, **payload: Any) -> None:
        """Publish the event once this transaction has committed, never before.

        Those who listen within the transaction are told now.
        """
        self.events.append((name, payload))
        if name in self._within:
            self.tell(name, payload)

    def tell(self, name: str, what: Any) -> None:
        """Tell those who listen within the transaction, now: what they do stands or falls with
        it.
        """
        for listener in self._within.get(name, ()):
            listener(self, what)

    def with_moment(self, now: str) -> "Tx":
        """Return this very transaction with another moment for the rows it stores.

        For what happened before it came here.
        """
        past = Tx(
            self.connection,
            self.moment,
            self.settings,
            now=now,
            careful=self.careful,
            within=self._within,
        )
        past.events = self.events
        return past

    @contextlib.contextmanager
    def always_undo(self) -> Iterator[None]:
        """Undo what the block changed and publishes, whether it raises or not."""
        careful, heard = self.careful, len(self.events)
        # within a real savepoint, parts that fail need real ones too
        self.careful = True
        try:
            with contextlib.suppress(_Undo), sqlite_savepoint(self.connection):
                yield
                raise _Undo
        finally:
            self.careful = careful
            del self.events[heard:]

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what the block changed if it raises.

        Savepoints make FTS5 flush its index each time, which doubles the cost of a small write.
        So the first run of a batch takes none: a block that raises before it has changed
        anything needs none, and one that raises later sends the batch through again with real
        ones.
        """
        before, heard = self.connection.total_changes, len(self.events)
        try:
            with sqlite_savepoint(self.connection) if self.careful else contextlib.nullcontext():
                yield
        except Exception as error:
            if not self.careful and self.connection.total_changes != before:
                raise NeedsSavepoints from error
            del self.events[heard:]
            raise


# one text for each: sqlite3 finds the prepared statement by it
@functools.cache
def _insert_sql(table: str, *columns: str) -> str:
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"


@functools.cache
def _update_sql(table: str, where: tuple[str, ...], *columns: str) -> str:
    assigned = ", ".join(f"{column} = :{column}" for column in columns)
    wanted = " AND ".join(f"{column} = :where_{column}" for column in where)
    return f"UPDATE {table} SET {assigned} WHERE {wanted}"


@contextlib.contextmanager
def sqlite_savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Undo in SQLite what the block changed if it raises."""
    # nested ones share the name; SQLite takes the innermost
    connection.execute("SAVEPOINT part")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            # it undoes, and leaves the savepoint open
            connection.execute("ROLLBACK TO part")
            connection.execute("RELEASE part")
        raise
    connection.execute("RELEASE part")


@contextlib.contextmanager
def read_snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Let everything that the block reads be of one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
