"""Queries as FTS5 expressions."""

from collections.abc import Iterable, Sequence

from app.workspace.index.spellings import OPEN_TODO, fts_phrase, word_parts
from app.workspace.index.stop_words import STOP_WORDS
from app.workspace.search.ranking.query_language import Query, Term

MOST_SOME = 32
WITH_OPEN_TODO = f'tags : "{OPEN_TODO}"'


def match_every(query: Query) -> str:
    """Return the FTS5 expression that matches where every clause does."""
    return _with_marks(query, " AND ".join(f"({match_clause(clause)})" for clause in query.clauses))


def match_some(
    query: Query, words: Sequence[str], *, with_or_without: Sequence[str] = (), which: str = "AND"
) -> str:
    """Return the FTS5 expression that matches where all that is demanded occurs and one of the
    words.

    Of `with_or_without` one must occur too when `which` is AND, and none when it is NOT.
    """
    parts = [f"({' OR '.join(map(fts_phrase, some))})" for some in (words, with_or_without) if some]
    demands = [f"({match_clause(clause)})" for clause in query.demands]
    return _with_marks(
        query, " AND ".join(demands + ([f"({f' {which} '.join(parts)})"] if parts else []))
    )


def match_prominent(query: Query) -> str:
    """Return the FTS5 expression that matches where one of the free words occurs in the title, a
    heading or a tag; empty without free words.
    """
    parts = [fts_phrase(part) for part in telling_words(query)]
    return f"{{title headings tags}} : ({' OR '.join(parts)})" if parts else ""


def match_demanded(query: Query) -> str:
    """Return the FTS5 expression that matches where all that is demanded beside the free words
    occurs; empty when nothing is.
    """
    return " AND ".join(f"({match_clause(clause)})" for clause in query.demands)


def telling_words(query: Query) -> list[str]:
    """Return of the free words those that tell something, in parts that may be found alone.

    Not the stop words, unless there is nothing else.
    """
    parts = list(dict.fromkeys(part for word in query.words for part in word_parts(word)))
    telling = [part for part in parts if part.lower() not in STOP_WORDS] or parts
    return sorted(telling, key=len, reverse=True)[:MOST_SOME]


def match_clause(clause: Iterable[Term]) -> str:
    """Return the FTS5 expression that matches where one of the terms occurs."""
    return " OR ".join(_term_expression(term) for term in clause)


def _term_expression(term: Term) -> str:
    phrase = fts_phrase(term.text, prefix=term.kind == "prefix", whole=term.whole)
    return f"title : {phrase}" if term.title else phrase


def _with_marks(query: Query, expression: str) -> str:
    """Add to an FTS5 expression the open checkbox that must be there and what must not.

    Empty when nothing is asked.
    """
    if query.filters.todo:
        mark = WITH_OPEN_TODO
        expression = f"{mark} AND ({expression})" if expression else mark
    unwanted = [_term_expression(term) for term in query.excluded] + (
        [WITH_OPEN_TODO] if query.filters.todo is False else []
    )
    # FTS5 has no NOT without something before it; such queries leave that out by SQL.
    return (
        f"({expression}) NOT ({' OR '.join(unwanted)})" if unwanted and expression else expression
    )
