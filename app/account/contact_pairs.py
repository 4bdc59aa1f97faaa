"""Contacts: which users know each other. Folders are shared only between contacts."""

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.errors import Invalid

CONNECTED, DISCONNECTED = "contacts.connected", "contacts.disconnected"
"""Told within the transaction that makes or ends contacts, with the two users."""


class Connected(Record):
    username: str
    contact: str
    connected_at: str


@operation("COMMAND")
def connect_users(tx: Tx, me: Caller, *, username: str, contact: str) -> Connected:
    """Make two users of this server contacts of each other; doing it again changes nothing."""
    one, other = users.require_user(tx, username), users.require_user(tx, contact)
    if one["id"] == other["id"]:
        raise Invalid("contact must be another user.", field="contact")
    connect(tx, one["id"], other["id"])
    return Connected(one["username"], other["username"], tx.now)


def connect(tx: Tx, user: int, contact: int, *, friend: bool = True) -> None:
    """Make two users contacts of each other.

    Friends stay friends, and what is no friend yet may become one.
    """
    # stored both ways, so that the contacts of either are one look-up
    for a, b in ((user, contact), (contact, user)):
        tx.run(
            """INSERT INTO contacts (user_id, contact_id, connected_at, friend)
               VALUES (:a, :b, :now, :friend)
               ON CONFLICT (user_id, contact_id) DO UPDATE
                 SET friend = max(friend, excluded.friend)""",
            a=a,
            b=b,
            now=tx.now,
            friend=int(friend),
        )
    tx.tell(CONNECTED, (user, contact))


def disconnect(tx: Tx, user: int, contact: int) -> bool:
    """End what makes two users contacts of each other; say whether they were."""
    ended = tx.run(
        "DELETE FROM contacts WHERE (user_id = :user AND contact_id = :contact) "
        "OR (user_id = :contact AND contact_id = :user)",
        user=user,
        contact=contact,
    )
    if ended.rowcount:
        tx.tell(DISCONNECTED, (user, contact))
    return ended.rowcount > 0


def disconnect_all(tx: Tx, user: int) -> None:
    """End what makes others contacts of a user who is to be deleted."""
    for row in tx.all("SELECT contact_id FROM contacts WHERE user_id = :user", user=user):
        disconnect(tx, user, row["contact_id"])


def are_contacts(tx: Tx, user: int, contact: int) -> bool:
    """Return whether two users are contacts."""
    return (
        tx.one(
            "SELECT 1 FROM contacts WHERE user_id = :user AND contact_id = :contact",
            user=user,
            contact=contact,
        )
        is not None
    )


def are_friends(tx: Tx, user: int, contact: int) -> bool:
    """Return whether two users are contacts as friends, and not only because one may ask the
    other's agent.
    """
    row = tx.one(
        "SELECT friend FROM contacts WHERE user_id = :user AND contact_id = :contact",
        user=user,
        contact=contact,
    )
    return row is not None and row["friend"] == 1
