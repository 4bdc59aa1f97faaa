"""A number that was just written into a note and was a slip: “typo, 1212”, “sorry, it was 433”.

It takes the place of the number of the message before that stands in one line of the note and that
is hardly another: of as many digits, all but two of them the same.
"""

import re
from collections import Counter

from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.reader import question_signs
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing

WORDS, LETTERS = 9, 24
"""So many words, or letters where no spaces part words, has such a message at most."""
SLIPPED = 2
"""So many digits may be others."""
SHORTEST = 2
"""So many digits has a number at least whose slip is known by its digits."""
SOUND = 2
"""So many letters have words that only sound, at most: “ah”, “oh”."""
_RUN = re.compile(r"[\u30a0-\u30ff]+|[\u3400-\u9fff]+")
_SOUNDS = re.compile("[啊哦诶呃嗯吧呢啦才对填是了]")
_AFTER = frozenset("だ で の ね に が 才 吧 だっ でし の間 才对".split())
"""What stands behind a number and is no unit."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def note_of(asked: Asked, language: Language) -> Thing | None:
    """Return the one note that the turn before has changed, where a message may tell a slip."""
    last = asked.earlier[0] if asked.earlier else None
    if last is None or not last.undo or last.asks or not _new(asked.message):
        return None
    notes = references.notes_told(last)
    is_slip = _says_slip(asked.message, language) and not _is_denied(asked.message, language)
    is_slip = is_slip and not question_signs.may_ask(asked.message)
    return notes[0] if len(notes) == 1 and is_slip else None


def change(asked: Asked, held: Held, language: Language) -> Route | None:
    """Return the number of a note that a message corrects as just written; None where that may be
    none, or several.
    """
    new, before = _new(asked.message), "".join(asked.before[-1:])
    numbers = _NUMBER.findall(before)
    told = {one for one in numbers if _may_be_slip(one, new)}
    if len(numbers) == 1 and numbers[0] != new and _says_only(asked.message, new, language):
        told = {*numbers}  # “hang on no, 45”
    markdown = str(held.record["markdown"])
    places = [
        (line, one)
        for line in markdown.split("\n")
        for one in _NUMBER.finditer(line)
        if one[0] in told
    ]
    if not places:
        return None
    # of several such lines the one that has most of what was said
    said = Counter(_NUMBER.findall(before))
    most = max(_shared(line, said) for line, _ in places)
    kept = [(line, one) for line, one in places if _shared(line, said) == most]
    if len(kept) != 1 or markdown.count(kept[0][0]) != 1:
        return None
    line, old = kept[0]
    if _says_else(asked.message, f"{line} {before}", new, language) or not _is_of_unit(
        asked.message, new, line[old.end() :]
    ):
        return None  # “sorry, I am 13 minutes late”
    to = f"{line[: old.start()]}{new}{line[old.end() :]}"
    arguments = {"old": line, "new": to, "from": old[0], "to": new}
    return Route("replace_text", language, arguments, (held.thing,))


def _new(message: str) -> str:
    """Return the one number that a message tells beside those it calls wrong; empty where it tells
    none, or several, or asks.
    """
    size = len(message) if questions.is_asian(message) else len(message.split())
    most = LETTERS if questions.is_asian(message) else WORDS
    found = _NUMBER.findall(message)
    return found[0] if len(found) == 1 and size <= most and not re.search("[?？]", message) else ""


def _may_be_slip(old: str, new: str) -> bool:
    """Return whether a number may have been written for another: two digits changed places, or at
    most two are others, and one at least is the same.
    """
    if len(old) != len(new) or old == new or sum(map(str.isdigit, old)) < SHORTEST:
        return False
    others = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    is_digits = all(a.isdigit() and b.isdigit() for a, b in others)
    is_swapped = Counter(old) == Counter(new)
    is_near = is_swapped or len(others) < sum(map(str.isdigit, old))
    return is_digits and len(others) <= SLIPPED and is_near


def _shared(line: str, said: Counter[str]) -> int:
    return (Counter(_NUMBER.findall(line)) & said).total()


def _says_slip(message: str, language: Language) -> bool:
    return language_data.line_words(language, "slip").search(Marked(message).text) is not None


def _is_denied(message: str, language: Language) -> bool:
    """Return whether a message only tells which number is wrong: “not 7”, 7じゃなくて."""
    words = language_data.join_pattern(language_data.load_table(language, Changes).negates)
    text = Marked(message).text
    before = re.search(rf"(?:{words}|不是)\s?(?:\w+\s)?{_NUMBER.pattern}", text)
    return bool(before or re.search(rf"{_NUMBER.pattern}\S{{0,3}}(?:じゃな|ではな|でな)", text))


def _says_else(message: str, known: str, new: str, language: Language) -> bool:
    """Return whether a message says anything but the number, that it is right now, and words that
    were written.
    """
    text = language_data.line_words(language, "slip").sub(
        " ", Marked(message).text.replace(new, " ")
    )
    if words_of(language).spaced:
        left = note_lines.content(text) - note_lines.content(known)
        return any(len(one) > SOUND for one in left)
    runs = _RUN.findall(_SOUNDS.sub(" ", questions.without_filler(text)))
    return any(one not in known for one in runs)


def _says_only(message: str, new: str, language: Language) -> bool:
    """Return whether a message has nothing but a number and that it is right now."""
    left = language_data.line_words(language, "slip").sub(
        " ", Marked(message).text.replace(new, " ")
    )
    return not re.search(r"\w", _SOUNDS.sub(" ", left))


def _is_of_unit(message: str, new: str, rest: str) -> bool:
    """Return whether a number stands bare, or before the unit of the one that it takes the place
    of: “18h” is no number of eggs.
    """
    unit = re.match(r"\s?[^\W\d_]{1,2}|\s?[€$£%°]", message[message.index(new) + len(new) :])
    said = unit[0].strip() if unit else ""
    is_bare = not said or (said.isascii() and unit is not None and unit[0][:1].isspace())
    return is_bare or rest.strip().startswith(said) or said in _AFTER
