"""Whether a message asks instead of wishing a change, with or without a question mark."""

import functools
import re

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages import questions
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing import routing

_HOW_MANY = re.compile("几|幾|多少|いくつ|いくら|何")
MOVES = frozenset({"move_todo", "shift_todo"})
"""What a question may ask of a todo whose day it wants to know first."""


def may_be_question(said: Understood) -> bool:
    """Return whether a message ends as a question does."""
    return said.text.rstrip().endswith(("?", "？")) or bool(_of_any("asks_at_end", said.text))


def may_ask(text: str) -> bool:
    """Return whether a text without spaces may ask without a mark: “汤底放几颗八角”, “周四谁去”."""
    if not questions.is_asian(text):
        return False
    is_of_count = questions.read_question(text).kind in questions.COUNTED
    is_told = any(map(str.isdecimal, text)) and not _HOW_MANY.search(text)  # “今天 4.6公斤”
    asks = _of_any("asks_at_end", text) or _of_any("asks_what", text)
    return (is_of_count and not is_told) or asks is not None


def _of_any(name: str, text: str) -> re.Match[str] | None:
    """Return where a text has what a field of the words for changes has in any language."""
    return _any(name).search(Marked(text).text)


@functools.cache
def _any(name: str) -> re.Pattern[str]:
    return re.compile(language_data.any_of(Changes, lambda one: getattr(one, name)))


def only_asks(said: Understood, language: Language) -> bool:
    """Return whether a message is a question and asks nobody politely to do something."""
    asks_for_it = slots.requests(said.text, language) or routing.begins_politely(said.text)
    return may_be_question(said) and not (asks_for_it or ends_politely(said.text, language))


def ends_politely(text: str, language: Language) -> bool:
    """Return whether a text tells something and then asks politely for what is to be done: “13.9
    this morning, can you note that?”.
    """
    marked = Marked(text).text
    words = language_data.load_table(language, Changes).polite_at_end
    found = re.search(rf"\w\W+(?:{_plain(words)})(?!\w)", marked)
    return found is not None and not words_of(language).asks.search(marked)


def _plain(pieces: Pieces) -> str:
    return plain_letters(language_data.join_pattern(pieces))


def asks_to_move(said: Understood) -> bool:
    """Return whether a message only asks whether a todo may be moved: “can I still move the
    dentist?”, which its day answers.
    """
    return (
        may_be_question(said) and said.intent in MOVES and not (said.get("day") or said.get("by"))
    )
