"""Contacts: which users know each other. Folders are shared only between contacts."""

from app.account import users
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Record
from app.core.tx import Tx
from app.errors import Invalid


class Connected(Record):
    username: str
    contact: str
    connected_at: str


@operation("COMMAND", category="account")
def connect_users(tx: Tx, me: Caller, *, username: str, contact: str) -> Connected:
    """Make two users of this server contacts of each other; doing it again changes nothing."""
    one, other = users.by_name(tx, username), users.by_name(tx, contact)
    if one["id"] == other["id"]:
        raise Invalid("contact must be another user.", field="contact")
    connect(tx, one["id"], other["id"])
    return Connected(one["username"], other["username"], tx.now)


def connect(tx: Tx, user: int, contact: int) -> None:
    """Make two users contacts of each other."""
    for a, b in ((user, contact), (contact, user)):
        tx.run("INSERT INTO contacts (user_id, contact_id, connected_at) VALUES (:a, :b, :now) ON CONFLICT DO NOTHING", a=a, b=b, now=tx.now)


def connected(tx: Tx, user: int, contact: int) -> bool:
    """Say whether two users are contacts."""
    return tx.one("SELECT 1 FROM contacts WHERE user_id = :user AND contact_id = :contact", user=user, contact=contact) is not None
