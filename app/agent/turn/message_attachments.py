"""The table of the attachments that messages have: every statement that changes or reads it."""

import sqlite3
from collections.abc import Sequence

from app.core.database.tx import Tx
from app.core.schema import Record, encode


class MessageAttachment(Record):
    """A file that a message has; `id` is null once the file was deleted."""

    id: int | None
    name: str
    media_type: str


def add(tx: Tx, message: int, attached: Sequence[sqlite3.Row]) -> None:
    """Note which attachments a message has."""
    for place, row in enumerate(attached):
        tx.insert(
            "message_attachments",
            message_id=message,
            place=place,
            attachment_id=row["id"],
            name=row["name"],
            media_type=row["media_type"],
        )


def attachments_of(tx: Tx, messages: Sequence[int]) -> dict[int, list[MessageAttachment]]:
    """Return the attachments of those of the messages that have any, in order."""
    found: dict[int, list[MessageAttachment]] = {}
    rows = tx.all(
        """SELECT message_id, attachment_id, name, media_type
          FROM json_each(:messages) CROSS
          JOIN message_attachments ON message_id = json_each.value
           ORDER BY message_id, place""",
        messages=encode(messages).decode(),
    )
    for row in rows:
        found.setdefault(row[0], []).append(MessageAttachment(*row[1:]))
    return found
