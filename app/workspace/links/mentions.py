"""Notes that say the title of another without linking to it, found by the word index."""

import re
import sqlite3
import unicodedata
from collections.abc import Container, Sequence
from typing import NamedTuple

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown.blocks import Span
from app.workspace.index import link_text, word_index
from app.workspace.index.name_text import is_unspaced
from app.workspace.index.spellings import find_words, fts_phrase
from app.workspace.search.ranking.findable import findable_places, has_index, place_condition
from app.workspace.search.ranking.query_language import Query

MOST = 50
MOST_LOOKED_AT = 10_000
MOST_BYTES = 2 << 20
AROUND = 100


class Mention(NamedTuple):
    """A note that says a title, and the line in which it first does."""

    note_id: int
    title: str
    line: int
    context: str


def find_mentions(tx: Tx, me: Caller, title: str, besides: Container[int]) -> list[Mention]:
    """Return notes the caller may read whose text holds a title as words, newest first.

    Not those in `besides`.
    """
    title_words = find_words(title)
    if not title_words:
        return []
    pattern = _title_pattern([_fold_text(word) for word in title_words])
    found: list[Mention] = []
    left = MOST_BYTES
    for row in _notes_with_words(tx, me, title):
        if row["id"] in besides:
            continue
        left -= row["size"]
        if left < 0 or len(found) == MOST:
            break
        text = tx.value("SELECT content FROM notes WHERE id = :id", id=row["id"])
        if place := _first_mention(text, pattern):
            found.append(
                Mention(
                    row["id"],
                    row["title"],
                    link_text.line_numbers(text, [place[0]])[0],
                    text_around(text, *place),
                )
            )
    return found


def text_around(text: str, start: int, end: int) -> str:
    """Return the line around a place, cut to some words at either side."""
    first = max(text.rfind("\n", max(0, start - AROUND), start) + 1, start - AROUND, 0)
    last = text.find("\n", end, end + AROUND)
    last = min(end + AROUND, len(text)) if last < 0 else last
    before = "…" if first > 0 and text[first - 1] != "\n" else ""
    after = "…" if last < len(text) and text[last] != "\n" else ""
    return before + text[first:last].strip() + after


def _notes_with_words(tx: Tx, me: Caller, title: str) -> Sequence[sqlite3.Row]:
    """Return the newest notes that hold the words one after the other, in any form.

    Of a very common title only among the newest thousands.
    """
    found: list[sqlite3.Row] = []
    for place in findable_places(tx, me):
        if not has_index(tx, place.owner):
            continue
        name = word_index.table_name(place.owner)
        where = place_condition(tx, me, Query(), place)
        found += tx.all(
            f"""SELECT n.id, n.title, n.size FROM (
                    SELECT rowid AS id FROM {name} WHERE {name} MATCH :match ORDER BY rowid DESC
                      LIMIT :most) w CROSS JOIN notes n ON n.id = w.id
                WHERE {where.sql} LIMIT :some""",
            match=fts_phrase(title),
            most=MOST_LOOKED_AT,
            some=10 * MOST,
            **where.params,
        )
    # Ten times as many as are shown: stems find other forms too, which the pattern refuses.
    return sorted(found, key=lambda row: -row["id"])[: 10 * MOST]


def _title_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of folded words one after the other, whole ones where they are of a script
    that parts words.

    It begins with the letters of the first word and looks back only after them: so re skips what
    holds no such letters, ten times as fast.
    """
    first, *others = map(re.escape, words)
    before = "" if is_unspaced(words[0][0]) else rf"(?<![^\W_]{first})"
    after = "" if is_unspaced(words[-1][-1]) else r"(?![^\W_])"
    return re.compile(r"[\W_]+".join([first + before, *others]) + after)


def _first_mention(text: str, pattern: re.Pattern[str]) -> Span | None:
    """Return where a text says it first."""
    plain = _fold_text(text)
    whole = pattern.search(plain)
    if whole is None or len(plain) == len(text):
        return None if whole is None else whole.span()
    # Its line alone, since folding has moved characters.
    start = _line_start(text, plain.count("\n", 0, whole.start()))
    line = text[start : text.find("\n", start) + 1 or len(text)].rstrip()
    if match := pattern.search(_fold_text(line)):
        return start + min(match.start(), len(line)), start + min(match.end(), len(line))
    return start, start + len(line)


def _fold_text(text: str) -> str:
    """Return a text without case, in one composition.

    Sixteen times as fast as `fold`, which knows stranger letters.
    """
    return unicodedata.normalize("NFC", text).casefold()


def _line_start(text: str, breaks: int) -> int:
    """Return where a line begins that has so many line breaks before it."""
    place = 0
    for _ in range(breaks):
        place = text.find("\n", place) + 1
    return place
