"""The table of default routes: the session that a user's messages go to unless it is said."""

from typing import NamedTuple

from app.core.database.tx import Tx
from app.runtime.devices import endpoint_rows, session_rows


class Route(NamedTuple):
    """Where messages for a user go, and since when."""

    endpoint_id: str
    session_handle: str
    updated_at: str


def find(tx: Tx, user: int) -> Route | None:
    """Return a user's default route, whether it can be reached or not."""
    row = tx.one(
        "SELECT endpoint_id, session_handle, updated_at FROM default_routes WHERE user_id = :user",
        user=user,
    )
    return None if row is None else Route(*row)


def find_reachable(tx: Tx, user: int) -> Route | None:
    """Return a user's default route if its endpoint is online and its session open."""
    found = find(tx, user)
    if found is None or not endpoint_rows.is_online(tx, found.endpoint_id):
        return None
    session = session_rows.find(tx, found.session_handle)
    return None if session is None or session.state == "closed" else found


def put(tx: Tx, user: int, endpoint_id: str, session_handle: str) -> Route:
    """Let a user's messages go to a session."""
    tx.run(
        """INSERT INTO default_routes (user_id, endpoint_id, session_handle, updated_at)
           VALUES (:user, :endpoint, :session, :now)
           ON CONFLICT (user_id) DO UPDATE
             SET endpoint_id = excluded.endpoint_id, session_handle = excluded.session_handle,
                 updated_at = excluded.updated_at""",
        user=user,
        endpoint=endpoint_id,
        session=session_handle,
        now=tx.now,
    )
    return Route(endpoint_id, session_handle, tx.now)


def clear_at(tx: Tx, endpoint_id: str) -> None:
    """Take away a default route that leads to an endpoint."""
    tx.run("DELETE FROM default_routes WHERE endpoint_id = :endpoint", endpoint=endpoint_id)


def clear(tx: Tx, user: int) -> None:
    """Take a user's default route away; doing it again changes nothing."""
    tx.run("DELETE FROM default_routes WHERE user_id = :user", user=user)
