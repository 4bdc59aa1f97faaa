"""The words of wishes about lists, compiled for each language."""

import functools
import re
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.list_tables import ListKind, Lists
from app.agent.rules.languages.plain_letters import plain_letters


class ListWords(NamedTuple):
    """The patterns of a language."""

    place: re.Pattern[str]
    table: re.Pattern[str]
    that: re.Pattern[str]
    clause: re.Pattern[str]
    lacks: re.Pattern[str]
    keeps: re.Pattern[str]
    more: re.Pattern[str]
    into: re.Pattern[str]
    cues: dict[ListKind, re.Pattern[str]]
    also: dict[ListKind, re.Pattern[str]]


@functools.cache
def words_of(language: Language) -> ListWords:
    """Return the words by which a language speaks of lists."""
    table = language_data.load_table(language, Lists)

    def whole(pattern: Pieces) -> re.Pattern[str]:
        return language_data.whole_words(pattern, language)

    return ListWords(
        whole(table.place),
        whole(table.table),
        whole(table.that),
        re.compile(rf"^\W*(?:{plain_letters(language_data.join_pattern(table.clause))})(?!\w)"),
        whole(table.lacks),
        whole(table.keeps),
        whole(table.more),
        whole(table.into),
        {kind: whole(wish.cues) for kind, wish in table.kinds.items()},
        {kind: whole(wish.also) for kind, wish in table.kinds.items()},
    )
