"""Reading a caller's query: days by their zone, and beginnings of words where those are few."""

from collections.abc import Iterable
from typing import Literal

from msgspec import structs

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.workspace.index import word_index
from app.workspace.index.spellings import entry_prefix, is_prefix_search
from app.workspace.search.ranking import query_language
from app.workspace.search.ranking.findable import findable_places, has_index
from app.workspace.search.ranking.query_language import Query, Term, begin_words, loosen_phrases
from app.workspace.todos import due

MOST_PAGES = 256
Reading = Literal["written", "loose", "begun"]
"""A query as it is written; with the words of its phrases apart; with each word as a beginning."""


def read_query(tx: Tx, me: Caller, text: str, reading: Reading = "written") -> Query:
    """Read a query; days are those of the caller's zone, and beginnings of very many words are only
    words.
    """
    query = _read_written(tx, me, text)
    if reading == "loose":
        return loosen_phrases(query)
    return _narrow_terms(tx, me, begin_words(query)) if reading == "begun" else query


def _read_written(tx: Tx, me: Caller, text: str) -> Query:
    # The day is part of the key under which the reading is remembered: only where it may matter.
    today = due.local_day(tx.now, due.request_zone(tx, me)) if ":" in text else None
    query = query_language.parse_query(text, today)
    return query if text.isascii() and "*" not in text else _narrow_terms(tx, me, query)


def _narrow_terms(tx: Tx, me: Caller, query: Query) -> Query:
    if any(
        is_prefix_search(term.text, prefix=term.kind == "prefix")
        for term in query.terms + query.excluded
    ):
        owners = {place.owner for place in findable_places(tx, me)}
        narrowed = [
            tuple(_narrow_term(tx, owners, term) for term in terms)
            for terms in (*query.clauses, query.excluded)
        ]
        query = structs.replace(query, clauses=tuple(narrowed[:-1]), excluded=narrowed[-1])
    return query


def _narrow_term(tx: Tx, owners: Iterable[int], term: Term) -> Term:
    """Return a term as it is, or as a whole word where FTS5 would gather too many entries: it does
    so at once and cannot be stopped.
    """
    if not is_prefix_search(term.text, prefix=term.kind == "prefix"):
        return term
    pages = sum(
        word_index.count_pages(tx, owner, entry_prefix(term.text))
        for owner in owners
        if has_index(tx, owner)
    )
    return structs.replace(term, whole=True) if pages > MOST_PAGES else term
