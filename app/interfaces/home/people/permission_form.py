"""What a contact may see and do: as sentences, as a form, and as that form sends it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from app.core.grant_scope import LENT, REMOTE
from app.interfaces.home.home_page import Person
from app.interfaces.languages.words import Words
from app.interfaces.pages.forms import numbers_of, value_of

Form = list[tuple[str, str]]
MOST_NAMED = 4


class Sentence(NamedTuple):
    """What is allowed or is not; `careful` where something can be changed."""

    text: str
    kind: str


async def offered(person: Person, permissions: Any = None) -> dict[str, Any]:
    """Return what a form for permissions offers: one's own folders, and tools that can be lent."""
    folders = [
        each
        for each in (await person.call("list_folders")).folders
        if not getattr(each, "role", None)
    ]
    tools = {
        tool.name: tool.description.partition("\n")[0]
        for tool in (await person.call("list_tools")).tools
        if tool.name in LENT or REMOTE in tool.name
    }
    for name in [] if permissions is None else permissions.tool_access.allowed_tools:
        tools.setdefault(name, "")
    return {"folders": path_names(folders), "tools": sorted(tools.items())}


def path_names(folders: Sequence[Any]) -> list[tuple[int, str]]:
    """Return folders with their names from the top down, in the order of these."""
    known = {each.id: each for each in folders}

    def path(each: Any) -> str:
        above = known.get(each.parent_id)
        return each.name if above is None else f"{path(above)} / {each.name}"

    return sorted(((each.id, path(each)) for each in folders), key=lambda one: one[1].casefold())


def permissions_of(form: Form) -> dict[str, Any]:
    """Return the permission object that a form holds."""
    scope = value_of(form, "notes") or "none"
    folders = numbers_of(form, "folder")
    return {
        "agentAccess": value_of(form, "agent") == "1",
        "notesAccess": {
            "scope": scope,
            "folderIds": folders if scope == "folders" else [],
            "access": value_of(form, "access") or "read",
        },
        "calendarAccess": {
            "read": value_of(form, "calendar") or "none",
            "write": value_of(form, "calendar_write") == "1",
        },
        "emailAccess": {"read": value_of(form, "email") == "1"},
        "todoAccess": {
            "read": value_of(form, "todos") == "1",
            "create": value_of(form, "todos_create") == "1",
        },
        "toolAccess": {"allowedTools": [value for name, value in form if name == "tool"]},
    }


def filled(permissions: Any) -> dict[str, Any]:
    """Return the fields of the form as they are filled for permissions that hold."""
    notes, calendar, todos = (
        permissions.notes_access,
        permissions.calendar_access,
        permissions.todo_access,
    )
    read = {True: "full", False: "none"}.get(calendar.read, calendar.read)
    return {
        "agent": permissions.agent_access,
        "notes": notes.scope,
        "folder": set(notes.folder_ids),
        "access": notes.access,
        "calendar": read,
        "calendar_write": calendar.write,
        "email": permissions.email_access.read,
        "todos": todos.read,
        "todos_create": todos.create,
        "tool": set(permissions.tool_access.allowed_tools),
    }


def form_of_filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return what a form that is filled so sends: names, and values or lists of them."""
    sent = {
        name: "1" if value is True else value
        for name, value in fields.items()
        if value is not False
    }
    return sent | {"folder": sorted(fields["folder"]), "tool": sorted(fields["tool"])}


def refilled(form: Form) -> dict[str, Any]:
    """Return the fields of the form as they were sent."""
    sent = permissions_of(form)
    notes, calendar, todos = sent["notesAccess"], sent["calendarAccess"], sent["todoAccess"]
    return {
        "agent": sent["agentAccess"],
        "notes": notes["scope"],
        "folder": set(notes["folderIds"]),
        "access": notes["access"],
        "calendar": calendar["read"],
        "calendar_write": calendar["write"],
        "email": sent["emailAccess"]["read"],
        "todos": todos["read"],
        "todos_create": todos["create"],
        "tool": set(sent["toolAccess"]["allowedTools"]),
    }


def sentences(words: Words, fields: dict[str, Any], folders: dict[int, str]) -> list[Sentence]:
    """Return in plain words what fields of the form allow, and what they do not."""
    told = [_notes(words, fields, folders), _calendar(words, fields), _todos(words, fields)]
    if fields["email"]:
        told.append(Sentence(words("people.can.email"), "yes"))
    if fields["tool"]:
        told.append(
            Sentence(words("people.can.tools", tools=", ".join(sorted(fields["tool"]))), "yes")
        )
    return told


def _notes(words: Words, fields: dict[str, Any], folders: dict[int, str]) -> Sentence:
    if fields["notes"] == "none":
        return Sentence(words("people.can.no_notes"), "no")
    where = words(f"people.can.{fields['notes']}", folders=named(words, fields["folder"], folders))
    kind = "yes" if fields["access"] == "read" else "careful"
    return Sentence(words(f"people.can.{fields['access']}", where=where), kind)


def _calendar(words: Words, fields: dict[str, Any]) -> Sentence:
    if fields["calendar_write"]:
        return Sentence(words("people.can.calendar_write"), "careful")
    return Sentence(
        words(f"people.can.calendar_{fields['calendar']}"),
        "no" if fields["calendar"] == "none" else "yes",
    )


def _todos(words: Words, fields: dict[str, Any]) -> Sentence:
    which = ("read" if fields["todos"] else "") + ("create" if fields["todos_create"] else "")
    kind = "careful" if fields["todos_create"] else "yes" if which else "no"
    return Sentence(words(f"people.can.todos_{which or 'none'}"), kind)


def named(words: Words, ids: Any, folders: dict[int, str]) -> str:
    """Return the names of some folders as a sentence holds them."""
    names = sorted(folders[each] for each in ids if each in folders)
    if len(names) > MOST_NAMED:
        return words(
            "people.folders_more", names=", ".join(names[:MOST_NAMED]), n=len(names) - MOST_NAMED
        )
    return ", ".join(names)
