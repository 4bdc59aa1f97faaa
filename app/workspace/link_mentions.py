"""Notes that say the title of another without linking to it, found by the word index."""

import re
import sqlite3
from collections.abc import Container, Sequence
from typing import NamedTuple

from app.core.caller import Caller
from app.core.text import fold
from app.core.tx import Tx
from app.workspace import link_text, words
from app.workspace.findable import condition, has_index, places
from app.workspace.queries import Query
from app.workspace.spellings import matching, words_in

MOST = 50
MOST_LOOKED_AT = 10_000
MOST_BYTES = 4 << 20
AROUND = 100


class Mention(NamedTuple):
    """A note that says a title, and the line in which it first does."""

    note_id: int
    title: str
    line: int
    context: str


def mentions(tx: Tx, me: Caller, title: str, besides: Container[int]) -> list[Mention]:
    """Give notes the caller may read that hold a title as words, newest first; not those in `besides`."""
    if not words_in(title):
        return []
    said = re.compile(r"(?<![^\W_])" + r"[\W_]+".join(re.escape(word) for word in words_in(fold(title))) + r"(?![^\W_])")
    found: list[Mention] = []
    left = MOST_BYTES
    for row in _holding(tx, me, title):
        left -= row["size"]
        if row["id"] in besides:
            continue
        if left < 0 or len(found) == MOST:
            break
        text = tx.value("SELECT content FROM notes WHERE id = :id", id=row["id"])
        if place := _place(text, said):
            found.append(Mention(row["id"], row["title"], link_text.lines(text, [place[0]])[0], context(text, *place)))
    return found


def context(text: str, start: int, end: int) -> str:
    """Give the line around a place, cut to some words at either side."""
    first = max(text.rfind("\n", max(0, start - AROUND), start) + 1, start - AROUND, 0)
    last = text.find("\n", end, end + AROUND)
    last = min(end + AROUND, len(text)) if last < 0 else last
    cut_before, cut_after = first > 0 and text[first - 1] != "\n", last < len(text) and text[last] != "\n"
    return ("…" if cut_before else "") + text[first:last].strip() + ("…" if cut_after else "")


def _holding(tx: Tx, me: Caller, title: str) -> Sequence[sqlite3.Row]:
    """Give the newest notes whose text holds the words one after the other, in any form; of a very common title only among the newest thousands."""
    found: list[sqlite3.Row] = []
    match = f"{{headings content}} : {matching(title)}"
    for place in places(tx, me):
        if not has_index(tx, place.owner):
            continue
        name = words.table(place.owner)
        sql, params = condition(tx, me, Query(), place)
        found += tx.all(
            f"""SELECT n.id, n.title, n.size FROM (
                    SELECT rowid AS id FROM {name} WHERE {name} MATCH :match ORDER BY rowid DESC LIMIT :most) w CROSS JOIN notes n ON n.id = w.id
                WHERE {sql} LIMIT :some""",
            match=match, most=MOST_LOOKED_AT, some=10 * MOST, **params,
        )  # fmt: skip
    return sorted(found, key=lambda row: -row["id"])[: 10 * MOST]


def _place(text: str, said: re.Pattern[str]) -> tuple[int, int] | None:
    """Give where a text says it; where folding moves characters, about there."""
    match = said.search(fold(text))
    return None if match is None else (min(match.start(), len(text)), min(match.end(), len(text)))
