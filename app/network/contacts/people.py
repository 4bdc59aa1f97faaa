"""Who is meant: the users of this server by id or name."""

import sqlite3

from app.account.users import AGENT_SUFFIX
from app.core.database.tx import Tx
from app.core.schema import Record
from app.errors import NotFound


class Person(Record):
    """A user as others see them."""

    user_id: str
    username: str
    name: str


def person_record(row: sqlite3.Row) -> Person:
    """Return a row of a user as others see it."""
    return Person(row["uuid"], row["username"], row["name"])


def require_person(tx: Tx, text: str, *, field: str) -> sqlite3.Row:
    """Return the user of that id or username; raise NotFound."""
    wanted = text.strip().lower()
    row = tx.one(
        "SELECT id, uuid, username, name FROM users WHERE username = :wanted OR uuid = :wanted",
        wanted=wanted,
    )
    if row is None:
        raise NotFound(f"There is no user called {text[:64]}.", field=field)
    return row


def person_row(tx: Tx, user: int) -> sqlite3.Row:
    """Return the row of a user who exists."""
    return tx.require_row("SELECT id, uuid, username, name FROM users WHERE id = :id", id=user)


def require_agent_or_person(tx: Tx, text: str, *, field: str) -> tuple[sqlite3.Row, bool]:
    """Return the user that is meant, and whether it is their agent that was named, as in
    ada_coo."""
    wanted = text.strip().lower()
    # No username may end like this, so the suffix can mean nothing else.
    person = require_person(tx, wanted.removesuffix(AGENT_SUFFIX), field=field)
    return person, wanted.endswith(AGENT_SUFFIX)
