"""Backlinks: the notes that link to a note."""

import sqlite3

from app.core.database.tx import Tx
from app.core.schema import Record
from app.workspace.index import link_text
from app.workspace.links.mentions import context
from app.workspace.notes.link_targets import View, distinct, names_for

MOST_BACKLINKS = 200
MOST_BYTES = 8 << 20


class Backlink(Record):
    """A note that links here, and the line in which it first does."""

    note_id: int
    title: str
    folder_id: int | None
    line: int
    context: str


def backlinks_of(tx: Tx, view: View, note: sqlite3.Row) -> tuple[list[Backlink], set[int], bool]:
    """Return the notes that link to a note, the ids of all that may, and whether there are more."""
    rows = [
        *view.linking("wiki", names_for(note["title"]), MOST_BACKLINKS + 1),
        *view.linking("note", [str(note["id"])], MOST_BACKLINKS + 1),
    ]
    sources = sorted(
        (row for row in distinct(rows) if row["id"] != note["id"]), key=lambda row: -row["id"]
    )
    found: list[Backlink] = []
    left = MOST_BYTES
    for place, source in enumerate(sources):
        left -= source["size"]
        if len(found) == MOST_BACKLINKS or (left < 0 and place):
            return found, {row["id"] for row in sources}, True
        if link := _first_link(tx, view, source, note):
            found.append(link)
    return found, {row["id"] for row in sources}, False


def _first_link(tx: Tx, view: View, source: sqlite3.Row, note: sqlite3.Row) -> Backlink | None:
    text = tx.value("SELECT content FROM notes WHERE id = :id", id=source["id"])
    wanted = {*names_for(note["title"]), str(note["id"])}
    for link in link_text.links(text):
        if link.kind == "tag" or not any(
            target.name in wanted for target in link_text.readings(link)
        ):
            continue
        if (to := view.note(link)) is not None and to["id"] == note["id"]:
            line = link_text.lines(text, [link.start])[0]
            return Backlink(
                source["id"],
                source["title"],
                source["folder_id"],
                line,
                context(text, link.start, link.end),
            )
    return None
