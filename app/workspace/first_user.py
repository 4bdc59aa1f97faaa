"""The first user of a new server, with a workspace and a key."""

from app.account import key_rows, users
from app.core.app import App
from app.core.caller import EVERYTHING, Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.workspace import init_workspace


class FirstUser(Record):
    """The first user with the secret of the first key.

    Both null when the server had users already.
    """

    username: str | None = None
    secret: str | None = None


@operation("COMMAND")
async def begin_server(app: App, me: Caller, *, username: users.Name) -> FirstUser:
    """Set up the first user with a workspace and a key.

    On a server that has users, change nothing.
    """
    if app.quick(users.any_users):  # each start asks, also one that cannot write
        return FirstUser()
    return await app.write(_begin, me, username)


def _begin(tx: Tx, me: Caller, username: str) -> FirstUser:
    if users.any_users(tx):  # another process may have been first since the quick look
        return FirstUser()
    user = users.require_user(tx, users.add_user(tx, me, username=username).user.username)["id"]
    init_workspace.ensure(tx, user)
    return FirstUser(username, key_rows.issue(tx, user, "first key", EVERYTHING, "never").secret)
