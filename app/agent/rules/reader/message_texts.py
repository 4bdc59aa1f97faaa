"""What a message asks to be told to somebody else, or asked of them."""

import functools
import re

from app.agent.rules.changes.marked import Marked
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.phrases import phrases
from app.agent.rules.reader.reader import Understood


def message_text(said: Understood, language: Language) -> str:
    """Return what a message to somebody says; what they are asked is called a question, as in
    “ask Ben if he is in” it is told as one.
    """
    text = said.get("text").strip()
    if not text or not asks_others(language).search(Marked(said.text).text):
        return text
    verb = asks_others(language).match(Marked(text).text)
    plain = (text[verb.end() :] if verb else text).strip(" ?？,，、")
    if whether := re.search(r"\s(\w+) $", said.text[: said.text.index(text)]):
        # “frag Ben, ob er da ist”, but not “frag Ben er ist da?”
        plain = plain if _is_person(said, whether[1]) else f"{whether[1]} {plain}"
    return phrases.phrase(language, "asks_others", text=plain)


def _is_person(said: Understood, word: str) -> bool:
    return any(word in one for one in said.all_of("person"))


@functools.cache
def asks_others(language: Language) -> re.Pattern[str]:
    """Return the words by which a message has somebody else asked."""
    table = language_data.load_table(language, Changes)
    return language_data.whole_words(table.asks_others, language)
