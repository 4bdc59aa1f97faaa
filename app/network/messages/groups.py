"""Groups: conversations of several people.

Membership decides who posts and reads; whoever has been in one for longest is its admin.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.account import contact_pairs
from app.account.users import Name
from app.agent.turn import conversation_rows
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id, Line, Record
from app.errors import Forbidden, Invalid, NotConnected, NotFound, QuotaExceeded, RateLimited
from app.network.messages import senders
from app.network.messages.senders import Person

NO_GROUP = "Group not found or access denied"
MOST_MEMBERS = 100
MOST_GROUPS = 100

GroupName = Annotated[str, Meta(description="1 to 100 characters"), Line(1, 100)]
Names = Annotated[list[Name], Meta(max_length=MOST_MEMBERS)]


class Member(Record):
    user_id: str
    username: str
    name: str
    role: Literal["admin", "member"]
    joined_at: str


class Group(Record):
    """A group with its members, the admin first, the others as they joined."""

    conversation_id: int
    name: str
    admin_id: str
    member_count: int
    members: list[Member]
    created_at: str


class OneGroup(Record):
    group: Group


class LeftGroup(Record):
    """The group as it is now; null for one who is not in it any more."""

    group: Group | None


class Groups(Record):
    groups: list[Group]


@operation("POST /network/groups", scope="net.contacts:manage", http=Http(status=201))
async def create_group(app: App, me: Caller, *, name: GroupName, members: Names) -> OneGroup:
    """Make a group of the caller and some of their contacts; the caller is its admin."""
    # In memory, before the writer is asked for anything.
    if wait := app.rates.groups.take_token(me.user).wait:
        raise RateLimited("Too many new groups; wait a moment.", retryAfter=wait)
    return await app.write(_create_group, me, name, members)


@operation("GET /network/groups", scope="os.network:read")
def list_groups(tx: Tx, me: Caller) -> Groups:
    """List the groups that the caller is in, the newest first."""
    rows = tx.all(
        """SELECT c.id FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id
           WHERE m.user_id = :me AND c.type = 'group' ORDER BY c.id DESC""",
        me=me.user,
    )
    return Groups([_group_record(tx, row["id"]) for row in rows])


@operation("GET /network/groups/{conversationId}", scope="os.network:read")
def read_group(tx: Tx, me: Caller, *, conversation_id: Id) -> OneGroup:
    """Read a group that the caller is in."""
    _require_member(tx, me, conversation_id)
    return OneGroup(_group_record(tx, conversation_id))


@operation("PATCH /network/groups/{conversationId}", scope="net.contacts:manage")
def rename_group(tx: Tx, me: Caller, *, conversation_id: Id, name: GroupName) -> OneGroup:
    """Give a group another name; only its admin may."""
    _require_admin(tx, me, conversation_id)
    conversation_rows.rename(tx, conversation_id, name)
    return OneGroup(_group_record(tx, conversation_id))


@operation(
    "POST /network/groups/{conversationId}/members",
    scope="net.contacts:manage",
    http=Http(refuses={"username": "neither or both of it and members are given"}),
)
def add_group_members(
    tx: Tx,
    me: Caller,
    *,
    conversation_id: Id,
    username: Name | None = None,
    members: Names | None = None,
) -> OneGroup:
    """Add contacts to a group; only its admin may. They see what is written from now on.

    Whoever is in it already stays as they are.
    """
    _require_admin(tx, me, conversation_id)
    if (username is None) == (members is None):
        raise Invalid("Give either username or members.", field="username")
    inside = {person.username for person in people_in(tx, conversation_id)}
    field = "members" if members else "username"
    added = [name for name in members or [username or ""] if name not in inside]
    _add_members(tx, me, conversation_id, added, inside=len(inside), field=field)
    return OneGroup(_group_record(tx, conversation_id))


@operation(
    "DELETE /network/groups/{conversationId}/members/{username}", scope="net.contacts:manage"
)
def remove_group_member(tx: Tx, me: Caller, *, conversation_id: Id, username: str) -> LeftGroup:
    """Leave a group, or, as its admin, take someone out of it.

    When the admin leaves the longest member follows; the last one closes the group.
    """
    _require_member(tx, me, conversation_id)
    wanted = username.strip().lower()
    inside = people_in(tx, conversation_id)
    person = next(
        (person for person in inside if wanted in (person.username, person.user_id)), None
    )
    # Checked before "no such member", so that only the admin can find out who is in the group.
    if person is None or person.id != me.user:
        _require_admin(tx, me, conversation_id)
    if person is None:
        raise NotFound(f"There is no member called {wanted[:64]}.", field="username")
    conversation_rows.remove_member(tx, conversation_id, person.id)
    return LeftGroup(None if person.id == me.user else _group_record(tx, conversation_id))


def group_name_for(tx: Tx, me: Caller, conversation: int) -> str | None:
    """Return the name of a group; None where the caller is not in such a group."""
    name: str | None = tx.value(
        """SELECT title FROM conversations c
          JOIN conversation_members m ON m.conversation_id = c.id AND m.user_id = :me
           WHERE c.id = :id AND c.type = 'group'""",
        me=me.user,
        id=conversation,
    )
    return name


def people_in(tx: Tx, conversation: int) -> list[Person]:
    """Return the members of a group, as they joined; the first is its admin."""
    rows = tx.all(
        """SELECT users.id, uuid, username, name FROM conversation_members m
           JOIN users ON users.id = m.user_id
           WHERE m.conversation_id = :id ORDER BY m.place""",
        id=conversation,
    )
    return [Person(*row) for row in rows]


def _create_group(tx: Tx, me: Caller, name: str, members: list[str]) -> OneGroup:
    _require_room(tx, me.user, "You are")
    conversation = conversation_rows.begin(
        tx, type="group", owner=None, title=name, members=(me.user,)
    )
    _add_members(tx, me, conversation, [each for each in members if each != me.username], inside=1)
    return OneGroup(_group_record(tx, conversation))


def _add_members(
    tx: Tx, me: Caller, conversation: int, names: list[str], *, inside: int, field: str = "members"
) -> None:
    """Add people to a group, all or none."""
    # Each must be a contact of the admin: nobody is put into a group by a stranger.
    names = list(dict.fromkeys(names))
    if inside + len(names) > MOST_MEMBERS:
        raise QuotaExceeded(f"A group has at most {MOST_MEMBERS} members.", field=field)
    for name in names:
        person = _require_contact(tx, me, name, field)
        _require_room(tx, person.id, f"{person.username} is")
        conversation_rows.join(tx, conversation, person.id)


def _require_contact(tx: Tx, me: Caller, name: str, field: str) -> Person:
    """Return a contact of the caller; raise NotConnected for anyone else."""
    person = senders.require_person(tx, name, field=field)
    if not contact_pairs.are_contacts(tx, me.user, person.id):
        raise NotConnected(
            f"{person.username} is not one of your contacts.", field=field, username=person.username
        )
    return person


def _require_room(tx: Tx, user: int, who: str) -> None:
    number = tx.value(
        "SELECT count(*) FROM conversation_members m "
        "JOIN conversations c ON c.id = m.conversation_id "
        "WHERE m.user_id = :user AND c.type = 'group'",
        user=user,
    )
    if number >= MOST_GROUPS:
        raise QuotaExceeded(
            f"{who} in {MOST_GROUPS} groups already, and no one can be in more.", field="members"
        )


def _require_member(tx: Tx, me: Caller, conversation: int) -> None:
    if group_name_for(tx, me, conversation) is None:
        raise NotFound(NO_GROUP, field="conversationId")


def _require_admin(tx: Tx, me: Caller, conversation: int) -> None:
    _require_member(tx, me, conversation)
    if people_in(tx, conversation)[0].id != me.user:
        raise Forbidden("Only the group's admin may do this.")


def _group_record(tx: Tx, conversation: int) -> Group:
    row = tx.require_row(
        "SELECT title, created_at FROM conversations WHERE id = :id", id=conversation
    )
    rows = tx.all(
        """SELECT uuid, username, name, 'member', joined_at
          FROM conversation_members m JOIN users ON users.id = m.user_id
           WHERE m.conversation_id = :id ORDER BY m.place""",
        id=conversation,
    )
    members = [Member(*each) for each in rows]
    # No column says who is admin: the longest member is, so there always is exactly one.
    members[0] = msgspec.structs.replace(members[0], role="admin")
    return Group(
        conversation, row["title"], members[0].user_id, len(members), members, row["created_at"]
    )
