"""The sentence of a passage that says best why a note was found by its meaning."""

import re

from app.core.markdown.front_matter import body_start
from app.workspace.index import name_text
from app.workspace.index.spellings import find_tokens, fold_in_place
from app.workspace.search.ranking.fts_expressions import telling_words
from app.workspace.search.ranking.query_language import Query
from app.workspace.search.ranking.snippets import Snippet, Span, mark_snippet

_SENTENCE = re.compile(r"[^\s.!?。！？](?:[^\n.!?。！？]|[.!?](?=\S))*[.!?。！？]*")
LETTERS = 3


def mark_nearest_sentence(query: Query, text: str, start: int, end: int) -> Snippet:
    """Return the sentence of a passage that is most like the query, with what follows.

    Marked are the words that were mistyped in the query, or else the sentence.
    """
    words = [fold_in_place(word) for word in telling_words(query)]
    start = body if start < (body := body_start(text)) < end else start
    folded = fold_in_place(text[start:end])
    sentences = [found.span() for found in _SENTENCE.finditer(folded)]
    if not sentences:
        return mark_snippet(text, start, end, [])
    pieces = {
        piece
        for word in words
        for piece in (
            f" {word}"[at : at + LETTERS] for at in range(max(1, len(word) + 2 - LETTERS))
        )
    }

    def likeness(span: Span) -> tuple[bool, int]:
        said = f" {folded[slice(*span)]}"
        # A heading is in the passage for every sentence of it, so it shows less than any of them.
        return not said.startswith(" #"), sum(piece in said for piece in pieces)

    first, last = max(sentences, key=likeness)
    first, last = first + start, last + start
    meant = _mistyped_spans(words, text, first, last)
    return mark_snippet(text, first, end, meant or [(first, last)])


def _mistyped_spans(words: list[str], text: str, start: int, end: int) -> list[Span]:
    """Return where words stand of which a word of the query is a misspelling."""
    return [
        (token.start, token.end)
        for token in find_tokens(text, start, end)
        if any(
            _is_misspelling(typed, fold_in_place(text[token.start : token.end])) for typed in words
        )
    ]


def _is_misspelling(typed: str, word: str) -> bool:
    most = name_text.allowed_edits(typed)
    return (
        most > 0
        and abs(len(typed) - len(word)) <= most
        and len(set(typed) ^ set(word)) <= 2 * most
        and name_text.edit_distance(typed, word, most, beginning=False) is not None
    )
