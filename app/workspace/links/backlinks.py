"""Backlinks: the notes that link to a note."""

import sqlite3
from collections.abc import Callable, Container

from app.core.database.tx import Tx
from app.core.schema import Record
from app.core.text import fold_name
from app.workspace.index import link_text
from app.workspace.index.link_text import Link
from app.workspace.links.mentions import text_around
from app.workspace.notes.link_targets import LinkResolver, distinct_notes, link_names

MOST_BACKLINKS = 200
MOST_BYTES = 8 << 20


class Backlink(Record):
    """A note that links here, and the line in which it first does."""

    note_id: int
    title: str
    folder_id: int | None
    line: int
    context: str


def backlinks_of(
    tx: Tx, view: LinkResolver, note: sqlite3.Row, *, besides: Container[int]
) -> tuple[list[Backlink], set[int], bool]:
    """Return the notes that link to a note, the ids of all that may, and whether there are more.

    The note's row must hold its text.

    Not those in `besides`.
    """
    names = _names_of(note)
    rows = [
        *view.notes_linking("wiki", names, MOST_BACKLINKS + 1),
        *view.notes_linking("note", [str(note["id"])], MOST_BACKLINKS + 1),
    ]
    sources = sorted(
        (
            row
            for row in distinct_notes(rows)
            if row["id"] != note["id"] and row["id"] not in besides
        ),
        key=lambda row: -row["id"],
    )
    found: list[Backlink] = []
    leads_here = _leading(view, note)
    left = MOST_BYTES
    for place, source in enumerate(sources):
        # Ten thousand links to an index page, or a few notes of 10 MiB, must not take seconds; the
        # newest note is read however long it is.
        left -= source["size"]
        if len(found) == MOST_BACKLINKS or (left < 0 and place):
            return found, {row["id"] for row in sources}, True
        if link := _first_link_to(tx, source, leads_here):
            found.append(link)
    return found, {row["id"] for row in sources}, False


def _names_of(note: sqlite3.Row) -> set[str]:
    """Return the folded names by which a link may lead to a note: its title, and aliases."""
    return link_names(note["title"]) | set(map(fold_name, link_text.aliases_of(note["content"])))


def _leading(view: LinkResolver, note: sqlite3.Row) -> Callable[[Link], bool]:
    """Return what tells whether a link leads to a note; links alike are looked at once."""
    wanted = {*_names_of(note), str(note["id"])}
    known: dict[tuple[str, str], bool] = {}

    def leads_here(link: Link) -> bool:
        key = link.kind, link.target
        if key not in known:
            named = any(target.name in wanted for target in link_text.link_readings(link))
            to = view.find_note(link) if named else None
            known[key] = to is not None and to["id"] == note["id"]
        return known[key]

    return leads_here


def _first_link_to(
    tx: Tx, source: sqlite3.Row, leads_here: Callable[[Link], bool]
) -> Backlink | None:
    text = tx.value("SELECT content FROM notes WHERE id = :id", id=source["id"])
    link = link_text.first(text, leads_here)
    if link is None:
        return None
    line = link_text.line_numbers(text, [link.start])[0]
    return Backlink(
        source["id"],
        source["title"],
        source["folder_id"],
        line,
        text_around(text, link.start, link.end),
    )
