"""The language of search: words, and a few operators that people know.

What does not parse is searched as words, so no query is wrong.

Read into one frozen record: clauses that must all hold, what must not occur, and filters. The
The guide has the table of what can be written.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cached_property
from typing import Literal

from msgspec import Struct, structs

from app.core.text import fold_name
from app.workspace.index import note_tags
from app.workspace.index.spellings import find_words
from app.workspace.index.stop_words import STOP_WORDS
from app.workspace.search.ranking.query_days import Days, parse_days

MOST_TERMS = 100
PASTED_WORDS = 8
FEWEST_OF_BEGINNING = 3
_QUOTES = str.maketrans("“”„«»", '"""""')
_PART = re.compile(
    r'(?P<no>(?<!\S)-(?=\S))?(?:(?P<field>[A-Za-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))'
)
_SPAN_BEGINS = re.compile(r"(?:last|this|past|[0-9]{1,4})$", re.IGNORECASE)


class Term(Struct, frozen=True):
    """A thing that must stand in a note.

    A word in any form, the beginning of a word, or a phrase; in the title or anywhere.
    """

    text: str
    kind: Literal["word", "prefix", "phrase"] = "word"
    title: bool = False
    whole: bool = False
    """Whether it is a beginning of so many words that only the word itself is looked for."""

    @property
    def free(self) -> bool:
        """Whether it is only a word.

        One of several may be missing in notes that are found below the others.
        """
        return self.kind == "word" and not self.title and not self.whole


class Period(Struct, frozen=True):
    """When a note was made or last changed.

    Within these days, or, with an end that is None, from or up to one.
    """

    of: Literal["created", "updated"]
    first: date | None
    last: date | None
    without: bool = False


class Filters(Struct, frozen=True):
    """What a note must be, whatever it says. Each pair: what it must have, what it must not."""

    tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    no_folders: tuple[str, ...] = ()
    pinned: bool | None = None
    todo: bool | None = None
    periods: tuple[Period, ...] = ()


NO_FILTERS = Filters()


# `dict`: the cached properties need a place of their own
class Query(Struct, frozen=True, dict=True):
    """What is searched for: of each clause one term must occur, and nothing of `excluded`."""

    clauses: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    filters: Filters = NO_FILTERS
    text: str = ""
    """The free words, with the phrases beside them, as they were written.

    Empty when there are only phrases and operators.
    """

    @property
    def narrowed(self) -> tuple[str, ...]:
        """The beginnings that are looked for as whole words only."""
        return tuple(term.text for term in self.terms if term.whole)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The free words: those that need not all occur in notes that are found below the
        others.
        """
        return tuple(clause[0].text for clause in self.clauses if _is_free(clause))

    @cached_property
    def demands(self) -> tuple[tuple[Term, ...], ...]:
        """The clauses that hold for every note that is found.

        Phrases, alternatives, beginnings, what must be in the title.
        """
        return tuple(clause for clause in self.clauses if not _is_free(clause))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term that a note may show."""
        return tuple(term for clause in self.clauses for term in clause)

    @property
    def selects(self) -> bool:
        """Whether it asks for anything at all."""
        return bool(self.clauses or self.excluded or self.filters != NO_FILTERS)


def parse_query(text: str, today: date | None = None) -> Query:
    """Read a query; `today` is the day in the caller's zone, without which words like
    `yesterday` are only words.
    """
    return _Reader(today).read(text)


def loosen_phrases(query: Query) -> Query:
    """Return a long query with each phrase as one more of the free words, beside its own words;
    another query as it is.

    Who quotes a phrase among a few words means it. In a pasted text quotes only cite.
    """
    if len(query.words) < PASTED_WORDS:
        return query
    clauses = [part for clause in query.clauses for part in _free_parts(clause)]
    if clauses == list(query.clauses):
        return query
    return structs.replace(query, clauses=tuple(dict.fromkeys(clauses))[:MOST_TERMS])


def begin_words(query: Query) -> Query:
    """Return a query with each free word as the beginning of one, for words alone; as it is where
    one of them is too short to begin much less than everything.
    """
    words = [word for word in query.words if word.lower() not in STOP_WORDS]
    if not words or min(map(len, words)) < FEWEST_OF_BEGINNING:
        return query
    begun = [(Term(word, "prefix"),) for word in words]
    return structs.replace(query, clauses=(*query.demands, *begun), text="")


def _free_parts(clause: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    if len(clause) > 1 or clause[0].kind != "phrase" or clause[0].title:
        return [clause]
    text = clause[0].text
    return [(Term(part),) for part in (text, *find_words(text))]


class _Reader:
    """The reading of one query: what it has come to so far."""

    def __init__(self, today: date | None) -> None:
        self.today = today
        self.clauses: list[list[Term]] = []
        self.excluded: list[Term] = []
        self.filters: dict[str, list[str]] = {}
        self.flags: dict[str, bool] = {}
        self.periods: list[Period] = []
        self.written: list[str] = []
        self.joins = False

    def read(self, text: str) -> Query:
        parts = list(_PART.finditer(text.translate(_QUOTES)))
        at = 0
        while at < len(parts):
            at += self._take(parts, at)
        clauses = tuple(dict.fromkeys(tuple(clause) for clause in self.clauses))[:MOST_TERMS]
        # For the vectors: operators alone mean nothing that a text could be near to.
        free = any(_is_free(clause) for clause in clauses)
        return Query(
            clauses,
            tuple(dict.fromkeys(self.excluded))[:MOST_TERMS],
            self._read_filters(),
            " ".join(self.written) if free else "",
        )

    def _read_filters(self) -> Filters:
        if not (self.filters or self.flags or self.periods):
            return NO_FILTERS
        return Filters(
            **{name: tuple(dict.fromkeys(values)) for name, values in self.filters.items()},
            pinned=self.flags.get("pinned"),
            todo=self.flags.get("todo"),
            periods=tuple(self.periods),
        )

    def _take(self, parts: list[re.Match[str]], at: int) -> int:
        """Take what begins with this part; return how many parts it was."""
        part = parts[at]
        if (
            part[0] in ("OR", "AND")
            and self.clauses
            and not self.joins
            and at + 1 < len(parts)
            and not parts[at + 1]["no"]
        ):
            self.joins = part[0] == "OR"
            return 1
        following = parts[at + 1] if at + 1 < len(parts) else None
        taken = self._operator(part, following) if part["field"] else 0
        if not taken:
            self._search(part)
        self.joins = False
        return taken or 1

    def _operator(self, part: re.Match[str], following: re.Match[str] | None) -> int:
        """Take an operator with its value; return how many parts it was, 0 when it is none."""
        field, without = part["field"].lower(), bool(part["no"])
        value = part["quoted"] if part["bare"] is None else part["bare"]
        if field in ("before", "after", "updated", "created"):
            return self._when(field, value, following, without=without)
        if field == "title":
            terms = list(_parse_terms(value, quoted=part["bare"] is None, title=True))
            self._add(terms, without=without)
            return int(bool(terms))
        return int(self._filter(field, value, without=without))

    def _when(
        self, field: str, value: str, following: re.Match[str] | None, *, without: bool
    ) -> int:
        """Take a period; its value may be two words without quotes, such as `last week`."""
        said = [(1, value)]
        if (
            following is not None
            and following["bare"]
            and not (following["no"] or following["field"])
            and _SPAN_BEGINS.match(value)
        ):
            # Two words first: `last` alone names nothing, but `2026` does, and `2 weeks` more.
            said.insert(0, (2, f"{value} {following['bare']}"))
        for taken, text in said:
            days = None if self.today is None else parse_days(text, self.today)
            if days is not None:
                self.periods.append(_make_period(field, days, without=without))
                return taken
        return 0

    def _filter(self, field: str, value: str, *, without: bool) -> bool:
        said = (field, value.lower())
        if said in (("in", "pinned"), ("is", "pinned"), ("is", "todo"), ("has", "todo")):
            self.flags[said[1]] = not without
        elif field == "tag" and (key := fold_name(note_tags.without_hash(value))):
            self.filters.setdefault("no_tags" if without else "tags", []).append(key)
        elif field == "folder" and value.strip():
            name = fold_name(value.strip().strip("/"))
            self.filters.setdefault("no_folders" if without else "folders", []).append(name)
        else:
            return False
        return True

    def _search(self, part: re.Match[str]) -> None:
        """Take words or a phrase; an operator that is none counts as words too."""
        if part["quoted"] is not None and part["field"] is None:
            self._add(list(_parse_terms(part["quoted"], quoted=True)), without=bool(part["no"]))
            if not part["no"]:
                self.written.append(part["quoted"])
            return
        written = part[0].removeprefix("-") if part["no"] else part[0]
        # Without, `-well-known` is the phrase, not the absence of either word.
        self._add(
            list(_parse_terms(written, quoted=bool(part["no"]) and not written.endswith("*"))),
            without=bool(part["no"]),
        )
        if not part["no"]:
            self.written.append(written.replace('"', " "))

    def _add(self, terms: list[Term], *, without: bool) -> None:
        if without:
            self.excluded += terms
        elif self.joins and terms:
            # OR binds to the first word only: a OR b-c is (a or b) and c.
            self.clauses[-1].append(terms[0])
            self.clauses += [[term] for term in terms[1:]]
        else:
            self.clauses += [[term] for term in terms]


def _is_free(clause: tuple[Term, ...]) -> bool:
    return len(clause) == 1 and clause[0].free


def _parse_terms(text: str, *, quoted: bool = False, title: bool = False) -> Iterator[Term]:
    words = find_words(text)
    if quoted and len(words) > 1:
        yield Term(" ".join(words), "phrase", title)
        return
    for number, word in enumerate(words):
        begins = (
            number == len(words) - 1
            and not quoted
            and text.endswith("*")
            and text[:-1].endswith(word)
            and len(word) > 1
        )
        yield Term(word, "prefix" if begins else "phrase" if quoted else "word", title)


def _make_period(field: str, days: Days, *, without: bool) -> Period:
    if field == "after":
        return Period("updated", days.first, None, without)
    if field == "before":
        return Period("updated", None, days.before, without)
    return Period("created" if field == "created" else "updated", days.first, days.last, without)
