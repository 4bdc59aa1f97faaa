"""The terms of a share link.

What it opens, in the words of the contract, and the permissions that those come to.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.grant_scope import Access
from app.core.schema import Id, Record
from app.network.grants import permission_object
from app.network.grants.permission_object import (
    MOST_FOLDERS,
    CalendarAccess,
    Capabilities,
    EmailAccess,
    NotesAccess,
    Permissions,
    TodoAccess,
    ToolAccess,
)

Scope = Literal["all", "folders", "note_only"]
Calendars = Literal["read", "read_calendar", "read_calendar_write"]
Folders = Annotated[list[Id], Meta(max_length=MOST_FOLDERS)]
CALENDAR: dict[Calendars, CalendarAccess] = {
    "read": CalendarAccess(),
    # Guests never see what an appointment is, only when one is busy.
    "read_calendar": CalendarAccess(read="free_busy"),
    "read_calendar_write": CalendarAccess(read="free_busy", write=True),
}


class Identity(Record):
    """Which of the owner's own words the agent is told when it answers a guest.

    The notes COO.md, USER.md and POLICY.md.
    """

    load_coo: bool = True
    load_user: bool = True
    load_policy: bool = True

    @property
    def titles(self) -> frozenset[str]:
        """The titles of those notes."""
        loaded = {"COO.md": self.load_coo, "USER.md": self.load_user, "POLICY.md": self.load_policy}
        return frozenset(title for title, told in loaded.items() if told)


class IdentityChange(Record):
    """What is to be changed of an `Identity`; what is not said stays."""

    load_coo: bool | UnsetType = UNSET
    load_user: bool | UnsetType = UNSET
    load_policy: bool | UnsetType = UNSET


class TodoAccessChange(Record):
    """What is to be changed of a `TodoAccess`; what is not said stays."""

    read: bool | UnsetType = UNSET
    create: bool | UnsetType = UNSET


class Terms(Record):
    """What a link opens, as it is stored; the note of `note_only` stands beside it."""

    scope: Scope
    folder_ids: Folders = msgspec.field(default_factory=list)
    access: Calendars = "read"
    notes_access: Access = "read"
    identity: Identity = msgspec.field(default_factory=Identity)
    email: EmailAccess = msgspec.field(default_factory=EmailAccess)
    todos: TodoAccess = msgspec.field(default_factory=TodoAccess)
    tools: ToolAccess = msgspec.field(default_factory=ToolAccess)


def change_terms(terms: Terms, given: Mapping[str, Any]) -> Terms:
    """Return terms with these fields changed; an inner object keeps what its change omits."""
    return msgspec.structs.replace(
        terms, **{name: _change_value(getattr(terms, name), value) for name, value in given.items()}
    )


def _change_value(before: Any, value: Any) -> Any:
    if not isinstance(value, IdentityChange | TodoAccessChange):
        return value
    return msgspec.structs.replace(
        before,
        **{name: said for name, said in msgspec.structs.asdict(value).items() if said is not UNSET},
    )


def permissions_of(terms: Terms) -> Permissions:
    """Return the permissions that a link's terms come to.

    A link to one note never reaches beyond it, whatever else its terms say.
    """
    if terms.scope == "note_only":
        return Permissions(agent_access=True, notes_access=NotesAccess(access=terms.notes_access))
    folders = list(terms.folder_ids) if terms.scope == "folders" else []
    return permission_object.normalise_permissions(
        Permissions(
            agent_access=True,
            notes_access=NotesAccess(terms.scope, folders, terms.notes_access),
            calendar_access=CALENDAR[terms.access],
            email_access=terms.email,
            todo_access=terms.todos,
            tool_access=terms.tools,
        )
    )


def capabilities_of(terms: Terms, note_id: int | None) -> Capabilities:
    """Return the summary of a link that lists show."""
    return permission_object.summary_of(permissions_of(terms), note_id=note_id)
