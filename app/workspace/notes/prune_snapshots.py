"""Pruning: automatic snapshots beyond the number that a note's owner keeps."""

import sqlite3

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import HOUR, operation
from app.core.schema import Record
from app.workspace.notes import snapshot_rows

PRUNED = 200


class Pruned(Record):
    snapshots: int


@operation("COMMAND", category="workspace", every=HOUR)
async def prune_snapshots(app: App, me: Caller) -> Pruned:
    """Delete the oldest automatic snapshots of notes that have more of them than their owner
    keeps, as after that number was lowered.
    """
    # Taking a snapshot prunes its own note; this is for notes that nobody edits any more.
    pruned, after = 0, 0
    while rows := await app.read(_notes_with_more_than_kept, after):
        pruned += await app.write(_prune, [(row["id"], row["keep"]) for row in rows])
        after = rows[-1]["id"]
    return Pruned(pruned)


def _notes_with_more_than_kept(tx: Tx, after: int) -> list[sqlite3.Row]:
    """Return the next notes that have more snapshots than their owner keeps, each with that
    number.
    """
    return tx.all(
        """SELECT n.id, k.keep FROM notes n
           JOIN (SELECT id, ifnull(json_extract(settings, '$.snapshot_keep'), :usual) AS keep
             FROM users) k ON k.id = n.owner_id
           WHERE n.id > :after AND n.snapshot_count > k.keep ORDER BY n.id LIMIT :some""",
        after=after,
        usual=users.AccountSettings("").snapshot_keep,
        some=PRUNED,
    )


def _prune(tx: Tx, some: list[tuple[int, int]]) -> int:
    return sum(snapshot_rows.keep_newest(tx, note, keep) for note, keep in some)
