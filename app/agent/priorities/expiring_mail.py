"""E-mails with a last day that speak of what a todo is already there for."""

import functools
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from msgspec import structs

from app.agent.priorities import lexicon, urgency
from app.agent.priorities.items import Item
from app.agent.priorities.lexicon import Sense
from app.agent.priorities.mail_senders import Sender, sender_of
from app.agent.quickadd import language_words
from app.agent.rules.languages import language_data
from app.workspace.todos.todo_rows import fold_text

ENOUGH = 2
"""So many words in common make one matter of a mail and a todo."""
SHORT = 2
"""One word is enough for a todo of so few words, if the mail says that something expires."""
_WORD = re.compile(
    r"[\u3400-\u9fff\u30a1-\u30fa]{2,}|[^\W_\u3040-\u9fff][\w.-]*[^\W_\u3040-\u9fff]"
)
_WIDE = re.compile(r"[\u30a1-\u30fa\u3400-\u9fff]")


def join_mail(items: Iterable[Item], now: datetime) -> list[Item]:
    """Return the items without the mails that belong to a todo, which has their last day if it
    is sooner than its own.
    """
    given = list(items)
    todos = todos_of_mail(given, now)
    days: dict[Item, list[tuple[date, str]]] = {}
    for mail, todo in todos.items():
        if known := urgency.item_moment(mail, now):
            days.setdefault(todo, []).append((known[0], mail.title))
    return [
        _with_last_day(item, sorted(days[item])) if item in days else item
        for item in given
        if item not in todos
    ]


def todos_of_mail(items: Iterable[Item], now: datetime) -> Mapping[Item, Item]:
    """Return the todo of each mail with a last day, where exactly one is about the same."""
    given = list(items)
    todos = [(item, _words(item.title)) for item in given if item.source == "todo"]
    if not todos:
        return {}
    found = {}
    for mail in given:
        if _has_last_day(mail, now):
            fitting = [todo for todo, words in todos if _is_same_matter(mail, words)]
            if len(fitting) == 1:
                found[mail] = fitting[0]
    return found


def _has_last_day(item: Item, now: datetime) -> bool:
    if item.source != "email" or item.needs_reply or sender_of(item) is Sender.SELLER:
        return False
    known = urgency.item_moment(item, now)
    return known is not None and known[0] >= now.date()


def _is_same_matter(mail: Item, words: frozenset[str]) -> bool:
    common = len(words & _words(mail.text))
    expires = Sense.EXPIRY in lexicon.find_senses(mail.text)
    return common >= ENOUGH or (common == 1 and len(words) <= SHORT and expires)


def _with_last_day(todo: Item, known: list[tuple[date, str]]) -> Item:
    day, title = known[0]
    words = f"{todo.words} {title}".strip()
    if todo.day is not None and todo.day <= day:
        return structs.replace(todo, words=words)
    return structs.replace(todo, words=words, day=day, moment=None)


# Each mail is compared with each todo: 4 microseconds a pair without this.
@functools.lru_cache(1024)
def _words(text: str) -> frozenset[str]:
    """Return what a text is about: its words but the common ones; of Chinese and Japanese each
    two characters that stand together.
    """
    found = set()
    for word in _WORD.findall(fold_text(text)):
        if _WIDE.match(word):
            found |= {word[place : place + 2] for place in range(len(word) - 1)}
        elif len(word) > 2 and word not in _common():
            found.add(word.removesuffix("s"))
    return frozenset(found)


@functools.cache
def _common() -> frozenset[str]:
    known = map(language_words.load_language, language_data.languages())
    return frozenset().union(
        *(one.common | one.before | one.after | one.against | one.words for one in known)
    )
