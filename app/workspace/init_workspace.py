"""Setting up a workspace: POST /init and its command."""

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.workspace.folders import folder_rows, workspace_counters
from app.workspace.folders.folders import Folder, readable_folders


class Workspace(Record):
    """What a workspace holds; bytes are UTF-8 bytes of Markdown."""

    folders: list[Folder]
    total_files: int
    total_size_bytes: int


class Initialized(Record):
    workspace: Workspace
    created: bool
    initialized: bool = True


@operation("POST /init", scope="os.notes:write")
def init(tx: Tx, me: Caller) -> Initialized:
    """Set the workspace up: make the folder General if it is not there.

    Doing it again changes nothing.
    """
    created = ensure(tx, me.user)
    counted = workspace_counters.workspace_counts(tx, me.user)
    return Initialized(Workspace(readable_folders(tx, me), counted.notes, counted.bytes), created)


@operation("COMMAND")
def init_user(tx: Tx, me: Caller, *, username: str) -> Record:
    """Set up a user's workspace."""
    ensure(tx, users.require_user(tx, username)["id"])
    return Record()


def ensure(tx: Tx, owner: int) -> bool:
    """Make the workspace and its folder General where they are missing.

    Return whether this call made it.
    """
    made = workspace_counters.ensure(tx, owner)
    return folder_rows.ensure_general(tx, owner) or made
