"""Whether a message takes back what it wishes first, or may take back what was done last.

“Delete the list… no, leave it”, “put that back as it was”.
"""

import re

import msgspec

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.reader import reader
from app.agent.rules.reader.reader import Reading
from app.agent.rules.understood import agreement
from app.agent.turn.steps import Asked, Trace

SURE, POSSIBLE = 0.7, 0.2
"""So likely is it that an end takes back what is before it, and that all does what was before."""
MOST = 3
"""So many ends are looked at."""
LATELY = 3
"""In so many turns is looked for what is to be taken back."""
TAKES_BACK = ("leave", "no", "undo")
REOPENS = frozenset({"reopen_todo", "untick_item"})
_MARK = re.compile(r"(?:[,;.!…—–]|，|、|；|。|！|\s-\s)+\s*")
_TEXT = re.compile(r'[:："“”„«»「」『』\n]')


def at_end(asked: Asked, language: Language) -> bool:
    """Return whether the last clauses of a message say that nothing is to be done after all."""
    if _TEXT.search(asked.message):
        return False  # what is written down may say anything
    whole = _read(asked, asked.message, language)
    wished = whole.likely[0].intent if whole.likely else ""
    if wished in REOPENS or _no(whole) >= POSSIBLE:
        return False  # “wait no, put it back” takes back what was done before
    message = asked.message.rstrip(" .!…。！")
    ends = (message[found.end() :] for found in list(_MARK.finditer(message))[-MOST:])
    return any(_says_no(asked, one, wished, language) for one in ends if one)


def as_whole(asked: Asked, language: Language) -> bool:
    """Return whether a message wishes nothing in the end, be it that it says so from the first."""
    return _no(_read(asked, asked.message, language)) >= SURE or at_end(asked, language)


def can_undo(asked: Asked) -> bool:
    """Return whether one of the last turns has changed something, and none after it asked."""
    newest = next((one for one in asked.earlier[:LATELY] if one.undo or one.asks), Trace())
    return bool(newest.undo) and newest.asks is None


def _says_no(asked: Asked, text: str, wished: str, language: Language) -> bool:
    """Return whether an end says no and nothing else, or denies just what was wished: “delete the
    list… no, don't delete it”.
    """
    read = _read(asked, text, language)
    if _no(read) >= SURE:
        return not any(one.all_of("day") for one in read.likely[:1])  # “no, on Tuesday”
    denies = wished in agreement.ENDS and words_of(language).denies.search(Marked(text).text)
    return bool(denies and read.weights.get(wished, 0.0) >= SURE)


def _no(read: Reading) -> float:
    return sum(read.weights.get(one, 0.0) for one in TAKES_BACK)


def _read(asked: Asked, text: str, language: Language) -> Reading:
    alone = msgspec.structs.replace(asked, message=text, results=(), earlier=())
    return reader.read(alone, (), language)
