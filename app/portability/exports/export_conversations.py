"""Exports conversations as JSON.

Those with the user's own agent come back by an import, those with others are for reading.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.portability.content import import_rows
from app.portability.content.address_links import Lookup, to_keys
from app.portability.exports.export_plan import native_key

Put = Callable[[str, Iterable[bytes]], None]
PAGE = 200


def write_conversations(
    tx: Tx, me: Caller, put: Put, leave: Callable[[str, str], None], key: Lookup
) -> int:
    """Write each conversation of the caller as a file of its own and return their number."""
    rows = tx.all(
        f"""SELECT c.*, m.since_id, i.key FROM conversation_members m
          JOIN conversations c ON c.id = m.conversation_id
            LEFT JOIN imported_items i ON i.user_id = m.user_id
              AND i.source = '{import_rows.OWN}' AND i.kind = 'conversation' AND i.row_id = c.id
            WHERE m.user_id = :me ORDER BY c.id""",
        me=me.user,
    )
    for row in rows:
        own = row["type"] == "direct" and row["owner_id"] == me.user
        if not own:
            leave(
                row["title"],
                "it is a conversation with others: the export contains it for reading, but an "
                "import leaves it out",
            )
        put(
            f"conversations/{row['key'] or native_key(me, row['id'])}.json",
            _conversation_parts(tx, me, row, key, own=own),
        )
    return len(rows)


def _conversation_parts(
    tx: Tx, me: Caller, row: sqlite3.Row, key: Lookup, *, own: bool
) -> Iterator[bytes]:
    head: dict[str, Any] = {
        "id": row["key"] or native_key(me, row["id"]),
        "title": row["title"],
        "own": own,
        "type": row["type"],
        "createdAt": row["created_at"],
    }
    if not own:
        members = tx.all(
            "SELECT username FROM conversation_members m JOIN users u ON u.id = m.user_id "
            "WHERE conversation_id = :id ORDER BY username",
            id=row["id"],
        )
        head["members"] = [member[0] for member in members]
    yield msgspec.json.encode(head)[:-1] + b',"messages":['
    for number, message in enumerate(_message_records(tx, row, key)):
        yield (b"\n" if number == 0 else b",\n") + msgspec.json.encode(message)
    yield b"\n]}\n"


def _message_records(tx: Tx, row: sqlite3.Row, key: Lookup) -> Iterator[dict[str, Any]]:
    last = row["since_id"]
    while True:
        found = tx.all(
            "SELECT * FROM messages WHERE conversation_id = :id AND id > :last "
            "ORDER BY id LIMIT :page",
            id=row["id"],
            last=last,
            page=PAGE,
        )
        if not found:
            return
        last = found[-1]["id"]
        for one in found:
            message = {
                "role": one["role"],
                "senderType": one["sender_type"],
                "label": one["sender_label"],
                "content": to_keys(one["content"], key),
                "createdAt": one["created_at"],
            }
            attached = _attachment_records(tx, one["id"], key)
            yield message | ({"attachments": attached} if attached else {})


def _attachment_records(tx: Tx, message: int, key: Lookup) -> list[dict[str, Any]]:
    rows = tx.all(
        "SELECT attachment_id, name, media_type FROM message_attachments "
        "WHERE message_id = :id ORDER BY place",
        id=message,
    )
    return [
        {"id": key("file", row[0]) if row[0] else None, "name": row[1], "mediaType": row[2]}
        for row in rows
    ]
