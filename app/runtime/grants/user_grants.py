"""The grants of a user as whoever sits at the server's machine sees them, with names."""

from typing import Literal

import msgspec

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.network.contacts import people
from app.runtime.grants import grant_rows
from app.runtime.grants.grant_rows import GrantRow

MOST_LISTED = 1000


class NamedGrant(GrantRow):
    """A grant with the other side's username, and who asked whom."""

    peer: str
    direction: Literal["incoming", "outgoing"]


class UserGrants(Record):
    grants: list[NamedGrant]


@operation("COMMAND", effect="read")
def user_runtime_grants(tx: Tx, me: Caller, *, username: str) -> UserGrants:
    """List the grants between runtimes that a user gave or holds, newest first."""
    user = users.require_user(tx, username)["id"]
    return UserGrants(
        [
            NamedGrant(
                **msgspec.structs.asdict(found.row),
                peer=people.person_row(tx, found.other(user))["username"],
                direction="incoming" if found.recipient == user else "outgoing",
            )
            for found in grant_rows.list_own(tx, user, MOST_LISTED)
        ]
    )
