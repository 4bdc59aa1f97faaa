"""The newest briefing: what it says, and its suggestions as buttons that do what they say."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.markdown import html_fragments
from app.errors import NotFound
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.today.approvals import ago
from app.interfaces.languages.said import said
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

NAMED = re.compile("“(.+)”")
TITLE = 60
"""So much of a title stands in a suggestion."""
SECTIONS = ("todo", "calendar", "notes", "email_attention")
MOST_ROWS = 12
MAKES_TODO = ("create_todo", "reply_email", "prepare_meeting", "other")


Entries = Mapping[str, Sequence[html_fragments.Row]]


class Suggestion(NamedTuple):
    """One thing to do: `act` says what its button does, `address` where it leads instead."""

    id: str
    title: str
    description: str
    act: str
    address: str


class Section(NamedTuple):
    """One part of a briefing: what stands in its lists."""

    name: str
    rows: list[tuple[str, str]]


class BriefingView(NamedTuple):
    """A briefing as Today shows it."""

    id: int
    made: str
    sentences: list[str]
    suggestions: list[Suggestion]
    sections: list[Section]


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/today/briefing", make, methods=["POST"]),
        Route("/today/suggestion", follow, methods=["POST"]),
    ]


async def newest_briefing(person: Person) -> BriefingView | None:
    """Return the newest briefing; None where there is none yet."""
    listed = (await person.call("list_briefings", limit=1)).briefings
    if not listed:
        return None
    found = (await person.call("get_briefing", id=listed[0].id)).briefing
    entries = {name: _entries(found, name) for name in SECTIONS}
    sections = [
        Section(name, [(row.text, said(person.words, row.aside)) for row in rows[:MOST_ROWS]])
        for name, rows in entries.items()
    ]
    return BriefingView(
        found.id,
        ago(person, found.generated_at),
        [
            said(person.words, row.text)
            for row in html_fragments.read_entries(found.status_quo_summary)
        ][:12],
        [_suggestion(person, entries, given) for given in _suggestions(found)],
        [section for section in sections if section.rows],
    )


@for_person
async def make(visit: Visit, person: Person) -> Response:
    """Make a briefing of how things stand now."""
    form = await form_of(visit)
    await person.call("briefing")
    return see(back_of(visit, form, "/"), did="briefing_made")


@for_person
async def follow(visit: Visit, person: Person) -> Response:
    """Do what a suggestion says: tick the todo that it names, or add one."""
    form = await form_of(visit)
    found = (await person.call("get_briefing", id=number_of(form, "briefing"))).briefing
    wanted = value_of(form, "suggestion")
    given = next((one for one in _suggestions(found) if one["suggestionId"] == wanted), None)
    if given is None:
        raise NotFound(person.words("today.no_suggestion"))
    back = back_of(visit, form, "/")
    if given["action"] == "complete_todo" and (id_ := _item_id(_entries(found, "todo"), given)):
        done = await person.call("complete_todo", id=id_)
        undo = f"/todos/{id_}/reopen" + (f"?next={done.next.id}" if done.next else "")
        return see(back, did="todo_done", what=done.todo.title, undo=undo)
    title = _title_of(person, given)
    fields = {"title": title, "dueDate": person.dates.today.isoformat()}
    made = await person.call("create_todo", **fields)
    return see(back, did="todo_added", what=title, undo=f"/todos/{made.todo.id}/delete")


def _suggestion(person: Person, entries: Entries, given: dict[str, str]) -> Suggestion:
    act, address = given["action"], ""
    if act == "reschedule_todo":
        address = "/todos/replan"
    elif act == "review_note":
        number = _item_id(entries["notes"], given)
        address = f"/notes/{number}" if number else "/notes"
    elif act == "complete_todo" and not _item_id(entries["todo"], given):
        act, address = "review_note", "/todos"
    elif act in MAKES_TODO:
        act = "create_todo"
    title, told = (said(person.words, given[name]) for name in ("title", "description"))
    return Suggestion(given["suggestionId"], title, told, act, address)


def _suggestions(found: Any) -> list[dict[str, str]]:
    return msgspec.json.decode(found.suggestions, type=list[dict[str, str]])


def _item_id(rows: Sequence[html_fragments.Row], given: dict[str, str]) -> int:
    """Return the todo or note that a suggestion names; 0 where none, or more than one, has its
    title.
    """
    named = NAMED.search(given["title"])
    ids = {
        row.facts["id"]
        for row in rows
        if named
        and row.facts.get("id", "").isdecimal()
        and html_fragments.fit_line(row.facts.get("title", ""), TITLE) == named[1]
    }
    return int(ids.pop()) if len(ids) == 1 else 0


def _entries(found: Any, section: str) -> list[html_fragments.Row]:
    rows = html_fragments.read_entries(getattr(found, f"{section}_summary"))
    return [row for row in rows if row.listed]


def _title_of(person: Person, given: dict[str, str]) -> str:
    """Return the todo that a suggestion makes: what it would make one of, or what it says."""
    named = NAMED.search(given["title"])
    if named and given["action"] == "create_todo":
        return named[1]
    return said(person.words, given["title"])
