"""Which words of a question a text has, by their stems."""

from collections.abc import Collection, Iterable

from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, fold_text, split_words, stem

BEGINNING = 3
"""What a word must share with a text, in characters, to be looked for among its stems at all."""


class Stems:
    """The stems of a text as far as they may be those of some words, asked for one by one, the near
    ones found too.

    A stem begins as its word does, so of a text only the words that begin like one of the wanted
    are looked at.
    """

    def __init__(self, text: str, beginnings: Collection[str]) -> None:
        self._text = text
        self._all = {stem(word) for word in split_words(text) if word[:BEGINNING] in beginnings}

    def holds(self, wanted: str) -> bool:
        # A single character is a word in Chinese and Japanese, but pairs are what is indexed.
        return any(
            other in self._text
            if len(other) == 1 and questions.is_asian(other)
            else other in self._all or any(are_alike(other, one) for one in self._all)
            for other in questions.alternatives(wanted)
        )


def beginnings(stems: Iterable[str]) -> set[str]:
    """Return how the stems begin, and those that may stand for them."""
    return {other[:BEGINNING] for one in stems for other in questions.alternatives(one)}


def held_in(text: str, wanted: set[str]) -> set[str]:
    """Return which of some stems a text has, or others that may stand for them."""
    low = fold_text(text)
    begun = [one for one in wanted if any(start in low for start in beginnings((one,)))]
    if not begun:
        return set()
    stems = Stems(text, beginnings(begun))
    return {one for one in begun if stems.holds(one)}
