"""What one user grants others.

The permission object of the contract, its summary, and the caller that acts within a grant and
nowhere else.
"""

import dataclasses
import sqlite3
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.caller import Caller, Kind
from app.core.database.tx import Tx
from app.core.grant_scope import Access, Calendar, GrantScope
from app.core.schema import Id, Record
from app.workspace.folders import access

Renew = Callable[[Tx], Caller | None]
CALENDARS: tuple[Calendar, ...] = ("none", "free_busy", "read", "write")
READ: Mapping[str | bool, str] = {
    "none": "none",
    "free_busy": "free_busy",
    "full": "full",
    True: "full",
    False: "none",
}
RIGHTS: Mapping[str, Calendar] = {"none": "none", "free_busy": "free_busy", "full": "read"}
MOST_FOLDERS, MOST_TOOLS = 1_000, 200
ToolName = Annotated[str, Meta(min_length=1, max_length=128)]


class NotesAccess(Record):
    """Which notes: none, all, or those in some folders and below them.

    `write` is reading and creating, `edit` changing too.
    """

    scope: Literal["none", "all", "folders"] = "none"
    folder_ids: Annotated[list[Id], Meta(max_length=MOST_FOLDERS)] = msgspec.field(
        default_factory=list
    )
    access: Access = "read"


class CalendarAccess(Record):
    """What of the calendar; true is read as full, false as none."""

    read: Literal["none", "free_busy", "full"] | bool = "none"
    write: bool = False


class EmailAccess(Record):
    read: bool = False


class TodoAccess(Record):
    read: bool = False
    create: bool = False


class ToolAccess(Record):
    """Tools beside those that the other sections come to: of the web and of other servers."""

    allowed_tools: Annotated[list[ToolName], Meta(max_length=MOST_TOOLS)] = msgspec.field(
        default_factory=list
    )


class Permissions(Record):
    """What is granted; an omitted section grants nothing."""

    agent_access: bool = False
    notes_access: NotesAccess = msgspec.field(default_factory=NotesAccess)
    calendar_access: CalendarAccess = msgspec.field(default_factory=CalendarAccess)
    email_access: EmailAccess = msgspec.field(default_factory=EmailAccess)
    todo_access: TodoAccess = msgspec.field(default_factory=TodoAccess)
    tool_access: ToolAccess = msgspec.field(default_factory=ToolAccess)


class Capabilities(Record):
    """The summary of a grant that lists show."""

    notes: Literal["none", "read", "write", "edit"] = "none"
    calendar: Calendar = "none"
    email: bool = False
    todos: bool = False
    tools: list[str] = msgspec.field(default_factory=list)


NOTHING = Permissions()


def with_agent(permissions: Permissions) -> Permissions:
    """Return the same permissions with access to the agent."""
    return msgspec.structs.replace(permissions, agent_access=True)


def caller_for(
    tx: Tx,
    owner_row: sqlite3.Row,
    permissions: Permissions,
    *,
    kind: Kind,
    name: str | None,
    credential: int,
    note_id: int | None = None,
    renew: Renew | None = None,
) -> Caller:
    """Return the caller that acts for an owner (a row with id, uuid and username) within a grant
    alone.

    `name` is who acts, `credential` the grant's or link's number; `note_id` narrows to that one
    note whatever the permissions say of notes. `renew` gives the caller as the grant is at a
    later moment, None when it is gone: it is asked at each call and in the transaction of each
    write.
    """
    reach = dataclasses.replace(
        # The titles of policy notes end in the links' tokens, which are secrets.
        reach_of(permissions, note_id=note_id),
        hidden=access.policy_notes(tx, owner_row["id"]),
    )
    return Caller(
        user=owner_row["id"],
        user_id=owner_row["uuid"],
        username=owner_row["username"],
        kind=kind,
        scopes=reach.scopes,
        credential=credential,
        name=name,
        reach=reach,
        renew=renew,
    )


def reach_of(permissions: Permissions, *, note_id: int | None = None) -> GrantScope:
    """Return what permissions narrow a caller to; with `note_id` to that one note."""
    notes, calendar, todos = (
        permissions.notes_access,
        permissions.calendar_access,
        permissions.todo_access,
    )
    return GrantScope(
        notes=notes.scope if note_id is None else "note_only",
        access=notes.access,
        folders=frozenset(notes.folder_ids if notes.scope == "folders" and note_id is None else ()),
        note=note_id,
        calendar=_calendar_rights(calendar),
        email=permissions.email_access.read,
        todos_read=todos.read,
        todos_create=todos.create,
        tools=frozenset(permissions.tool_access.allowed_tools),
    )


def summary_of(permissions: Permissions, *, note_id: int | None = None) -> Capabilities:
    """Return the summary of permissions; of the tools those that a grant can lend."""
    reach = reach_of(permissions, note_id=note_id)
    notes: Any = "none" if reach.notes == "none" else reach.access
    return Capabilities(
        notes,
        reach.calendar,
        reach.email,
        reach.todos_read or reach.todos_create,
        sorted(reach.lent),
    )


def _calendar_rights(given: CalendarAccess) -> Calendar:
    return "write" if given.write else RIGHTS[READ[given.read]]


def normalise_permissions(permissions: Permissions) -> Permissions:
    """Return permissions in one spelling, so that equal ones compare and are stored equal."""
    notes, calendar = permissions.notes_access, permissions.calendar_access
    return msgspec.structs.replace(
        permissions,
        notes_access=msgspec.structs.replace(
            notes, folder_ids=sorted(set(notes.folder_ids)) if notes.scope == "folders" else []
        ),
        calendar_access=msgspec.structs.replace(calendar, read=READ[calendar.read]),
        tool_access=ToolAccess(list(dict.fromkeys(permissions.tool_access.allowed_tools))),
    )


def is_narrower(new: Permissions, old: Permissions) -> bool:
    """Return whether anything that was granted is not granted any more."""
    before, after = reach_of(old), reach_of(new)
    # From "all" to any list of folders is narrower, even to a list of all folders there are now.
    folders = after.notes == "folders" and (
        before.notes == "all" or not before.folders <= after.folders
    )
    return (
        (old.agent_access and not new.agent_access)
        or not before.operations <= after.operations
        or folders
        or CALENDARS.index(after.calendar) < CALENDARS.index(before.calendar)
        or after.email < before.email
    )
