"""Deleting a user for good, with all that their workspace holds."""

from app.account import contact_pairs, users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.workspace.attachments import attachment_rows
from app.workspace.folders import folder_rows
from app.workspace.index import name_index, word_index
from app.workspace.notes import note_rows
from app.workspace.todos import todo_rows

PURGE_BATCH = 500


class Deleted(Record):
    username: str
    notes: int


@operation("COMMAND", frees=True)
async def delete_user(app: App, me: Caller, *, username: str) -> Deleted:
    """Delete a user for good, with notes, snapshots, todos and keys."""
    user = await app.read(lambda tx: int(users.require_user(tx, username)["id"]))
    # In batches, so that a large workspace holds up nobody else's writes; cut off, it is repeated.
    notes = 0
    while gone := await app.write(_purge_some, user):
        notes += gone
    while await app.write(attachment_rows.purge_owner, user):
        pass
    await app.call(me, "purge_user_conversations", {"username": username})
    await app.call(me, "purge_user_records", {"username": username})
    await app.write(_remove, user)
    return Deleted(username, notes)


def _purge_some(tx: Tx, user: int) -> int:
    some = [
        row["id"]
        for row in tx.all(
            "SELECT id FROM notes WHERE owner_id = :user LIMIT :some", user=user, some=PURGE_BATCH
        )
    ]
    note_rows.purge(tx, some)
    return len(some)


def _remove(tx: Tx, user: int) -> None:
    # ends, and tells the others of, what they and the user let each other's agents do
    contact_pairs.disconnect_all(tx, user)
    todo_rows.purge_owner(tx, user)
    folder_rows.purge_owner(tx, user)
    word_index.drop(tx, user)
    name_index.purge_owner(tx, user)
    users.remove(tx, user)
