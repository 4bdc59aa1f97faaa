"""Messages in memory: what people and their agents wrote, in the memory of all who could read it.

Messages are added behind the writes and before a search.
"""

import sqlite3

from app.agent.memory import episodes
from app.core.app import App
from app.core.database.tx import Tx

AT_ONCE = 20
EPISODES_AT_ONCE = 40
"""After so many a step ends, since a message of a group is one for each member."""


def add(tx: Tx, message: int) -> None:
    """Let a message be remembered soon."""
    # Only noted here: whoever sends waits for one row, not for an index of each member.
    tx.insert("unremembered_messages", message_id=message)


async def wait_until_caught_up(app: App) -> None:
    """Wait until every message that is there can be found in memories."""
    while app.glance(_is_behind):
        await app.write(do_idle_work)


def do_idle_work(tx: Tx) -> bool:
    """Bring some messages into memories; return whether there may be more."""
    rows = tx.all(
        """SELECT m.id, m.conversation_id, m.sender_id, m.sender_label,
          m.content, m.created_at, c.type, c.title
           FROM unremembered_messages u JOIN messages m ON m.id = u.message_id
             JOIN conversations c ON c.id = m.conversation_id
           ORDER BY u.message_id LIMIT :most""",
        most=AT_ONCE,
    )
    made = 0
    for row in rows:
        # A message of a large group is many episodes, so the limit is looked at after each.
        if made >= EPISODES_AT_ONCE:
            return True
        made += _keep_as_episodes(tx, row)
        tx.run("DELETE FROM unremembered_messages WHERE message_id = :id", id=row["id"])
    return len(rows) == AT_ONCE


def _is_behind(tx: Tx) -> bool:
    return tx.one("SELECT 1 FROM unremembered_messages WHERE message_id > 0 LIMIT 1") is not None


def _keep_as_episodes(tx: Tx, row: sqlite3.Row) -> int:
    """Keep a message as an episode of each member who may read it; return their number."""
    members = tx.all(
        """SELECT m.user_id, users.name FROM conversation_members m
           JOIN users ON users.id = m.user_id
           WHERE m.conversation_id = :id AND m.since_id < :message""",
        id=row["conversation_id"],
        message=row["id"],
    )
    where = f" in {row['title']}" if row["type"] == "group" else ""
    names = {member["user_id"]: member["name"] for member in members}
    others = [name for user, name in names.items() if user != row["sender_id"]]
    for user in names:
        title = (
            f"Message from {row['sender_label']}"
            if user != row["sender_id"]
            else f"Message to {others[0] if len(others) == 1 else 'others'}"
        )
        episodes.add(
            tx,
            user,
            kind="conversation",
            key=f"message {row['id']}",
            title=title + where,
            text=row["content"],
            at=row["created_at"],
            path=f"conversations/{row['conversation_id']}",
            conversation_id=row["conversation_id"],
        )
    return len(names)
