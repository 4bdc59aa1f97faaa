"""What is there already of a source: the rows that its things became in earlier imports."""

import sqlite3
from collections.abc import Set
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.portability.content import address_links, import_rows
from app.portability.content.import_rows import OWN


class ImportContext(NamedTuple):
    """Which import a batch belongs to: whose, and of which source."""

    me: Caller
    source: str
    zone: ZoneInfo
    own: str
    """What keys begin with that name rows of this very account."""


def find_rows(
    tx: Tx, context: ImportContext, wanted: Set[tuple[address_links.Kind, str]]
) -> dict[Any, int]:
    """Return the rows that things of the source have become, of those that are wanted."""
    rows: dict[Any, int] = {}
    for kind in ("note", "file"):
        keys = [key for one, key in wanted if one == kind]
        if keys:
            rows.update(
                ((kind, key), row)
                for key, row in import_rows.rows_of(
                    tx, context.me.user, context.source, kind, keys
                ).items()
            )
        for key in keys:
            own = row_of_own_key(context, key)
            if own and (kind, key) not in rows and _is_own(tx, context.me, kind, own):
                rows[kind, key] = own
    return rows


def known_row(
    tx: Tx, context: ImportContext, kind: import_rows.Kind, key: str
) -> tuple[sqlite3.Row | None, int]:
    """Return what a thing of the source became and the number of its row, 0 if it became none."""
    known = import_rows.find(tx, context.me.user, context.source, kind, key)
    return known, known["row_id"] if known is not None else row_of_own_key(context, key)


def with_addresses(tx: Tx, context: ImportContext, text: str) -> str:
    """Return a text with the addresses of what it refers to, as far as that is there."""
    wants = address_links.referenced_keys(text)
    return address_links.to_addresses(text, find_rows(tx, context, wants)) if wants else text


def row_of_own_key(context: ImportContext, key: str) -> int:
    """Return the number of the row of this account that a lasting key names; 0 for keys of
    others."""
    return (
        int(key[len(context.own) :])
        if context.source == OWN
        and key.startswith(context.own)
        and key[len(context.own) :].isdecimal()
        else 0
    )


def _is_own(tx: Tx, me: Caller, kind: str, row_id: int) -> bool:
    table, live = (
        ("notes", "trash_id IS NULL") if kind == "note" else ("attachments", "complete = 1")
    )
    return (
        tx.one(
            f"SELECT 1 FROM {table} WHERE id = :id AND owner_id = :me AND {live}",
            id=row_id,
            me=me.user,
        )
        is not None
    )
