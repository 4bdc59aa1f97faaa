"""A number in a note that a message corrects: “he weighs 30 kilos now, update the note”.

Only where one number of the same kind stands in the one sentence that may be meant; then it is
asked whether that is to be replaced.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.answers import item_changes
from app.agent.rules.changes import named
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.mentions import asking
from app.agent.rules.passages import answer_passages, questions
from app.agent.rules.passages.answer_passages import Text
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Question, Step, Thing, Trace, note_link

CORRECTED = frozenset(
    "ask cannot append_note change_todo complete_todo tell_view find_notes todo_state add_todo"
    " tick_item change_note rename make_note show_note events".split()
)
"""What a message may only seem to be that corrects a number."""
PHONE, PLAIN = "phone", ""
LEAST_DIGITS = 6
PART = 4
"""So many letters has a word at least that is a part of a longer one."""
_NUMBER = re.compile(
    r"(?<![A-Za-z])(?:(?P<thousands>(?<!\d)[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?!\d))"
    r"|(?P<phone>\+?\d[\d ()/.\-]{5,}\d)|(?P<number>\d+(?:[.,:]\d+)*))"
    r"\s?(?P<unit>[€%$£]|[a-zA-ZÀ-ÿ]+|[\u30a0-\u30ff]+|[\u3400-\u9fff]{1,3})?"
)
_DECIMAL = re.compile(r"^\d+[.,]\d$")
_SENTENCE = re.compile(r"[^\n.!?。！？，]+(?:[.!?](?=\S)[^\n.!?。！？，]*)*[.!?。！？]*")
"""Chinese lists in a line what it counts: “fee 180，deposit 50”."""
SAME = (
    "€ euro euros eur ユーロ 欧元",
    "kg kilo kilos kilogramm kilogram 公斤 キロ",
    "cm センチ 厘米",
)


class Number(NamedTuple):
    """A number in a text, with what it counts."""

    text: str
    unit: str
    start: int


class Place(NamedTuple):
    """A number in a sentence of a note."""

    number: Number
    sentence: str


def correct(asked: Asked, route: Route, language: Language, thing: Thing, marked: Marked) -> Step:
    """Return the question whether a number of a note is to be replaced; nothing where it is not
    sure which.
    """
    if thing.kind != "note" or route.intent not in CORRECTED or not _numbers(asked.message):
        return Step()
    if named.NAME not in marked.marks and (step := _is_else(asked, language)):
        return step if step.calls else Step()
    return ask_number(asked, route, thing)


def ask_number(asked: Asked, route: Route, thing: Thing) -> Step:
    """Return the question whether the one number of a note that a message can mean is to be
    replaced by its own, or the step that reads the note; nothing where that is not sure.
    """
    wanted = _numbers(asked.message)
    tool = item_changes.call_for(thing)
    held = item_changes.held(asked, thing)
    if held is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    text = str(held.record["markdown"])
    found = _place(asked, wanted, _places(text), Text(thing.id, thing.title, text, whole=True))
    new = [one for one in wanted if not found or one.text != found.number.text]
    if found is None or len(new) != 1 or text.count(found.sentence) != 1:
        return Step()
    old = found.number
    to = found.sentence[: old.start] + new[0].text + found.sentence[old.start + len(old.text) :]
    said = {"old": found.sentence, "new": to, "from": old.text, "to": new[0].text}
    asks = Question("replace_text", said, choices=(thing,))
    question = route.phrase(
        "replace_whether", old=old.text, new=new[0].text, title=note_link(thing.id, thing.title)
    )
    trace = Trace(intent="replace_text", language=route.language, about=(thing,), asks=asks)
    return Step(question, trace=trace)


def _is_else(asked: Asked, language: Language) -> Step | None:
    """Return the step that looks whether a message names a todo, or a day; one without calls where
    it does.
    """
    if dialogue_words.find_days(dialogue_words.bare(asked.message), asked.now):
        return Step(empty=True)
    looks = tuple(one for one in asking.looks(asked) if one[0] == "search_todos")
    if looks and not asked.has("search_todos"):
        return Step(calls=looks)
    marked = Marked(asked.message)
    todos = named.find(asked, marked, asking.things(asked), ("todo",), language)
    return Step(empty=True) if any(len(one.things) == 1 for one in todos) else None


def _numbers(text: str) -> list[Number]:
    found = []
    for one in _NUMBER.finditer(text):
        digits = sum(letter.isdigit() for letter in one[0])
        if one["phone"] and digits >= LEAST_DIGITS:
            found.append(Number(one["phone"].strip(), PHONE, one.start("phone")))
        elif one["phone"]:
            found += [
                Number(part[0], PLAIN, one.start() + part.start())
                for part in re.finditer(r"\d+(?:[.,:]\d+)*", one["phone"])
            ]
        else:
            unit = fold_text(one["unit"] or "")
            name = "thousands" if one["thousands"] else "number"
            found.append(Number(one[name], unit, one.start(name)))
    return found


def _places(text: str) -> list[Place]:
    """Return the numbers of a note in their sentences."""
    return [
        Place(number, sentence)
        for found in _SENTENCE.finditer(text)
        if (sentence := found[0].strip(" \t"))
        for number in _numbers(sentence)
    ]


def _place(
    asked: Asked, wanted: Sequence[Number], places: Sequence[Place], note: Text
) -> Place | None:
    """Return the one number that is meant; None where none is, or several may be."""
    old = [one for one in places if any(one.number.text == other.text for other in wanted)]
    if len(wanted) > 1 and len(old) == 1:
        return old[0]
    if len(wanted) != 1 or old:
        return None
    same = [one for one in places if _is_same(one.number.unit, wanted[0].unit)]
    if not same and not _is_unit(wanted[0].unit) and wanted[0].unit != PHONE:
        same = [one for one in places if one.number.unit != PHONE]
        if _DECIMAL.search(wanted[0].text):
            same = [one for one in same if _DECIMAL.search(one.number.text)]
    if len(same) > 1:
        same = _told_most(asked.message, same, note.title)
    if len(same) > 1 and asked.before:
        # What was quoted in the turn before is what this one goes on with.
        question = questions.read_question(asked.before[-1])
        quoted = answer_passages.best_passages(question, [note], is_last_try=True)
        told = note.content[quoted[0].start : quoted[0].end] if quoted else ""
        # a sentence of a list has its mark before it
        same = [one for one in same if one.sentence.lstrip("-*+ ") in told]
    return same[0] if len(same) == 1 else None


def _told_most(message: str, places: Sequence[Place], title: str) -> list[Place]:
    """Return the places in whose sentences most words of a message stand, or parts of such a word:
    “the cat's” price where “cat vaccination: 48 €” and “dog vaccination: 56 €” are held.
    """
    counts = [_words_shared(message, one.sentence, title) for one in places]
    most = max(counts)
    return [one for one, count in zip(places, counts, strict=True) if count == most]


def _is_same(one: str, other: str) -> bool:
    if PHONE in (one, other) or not (one and other):
        return one == other and bool(one)
    alike = one.startswith(other) or other.startswith(one) if questions.is_asian(one) else False
    return (
        alike or stem(one) == stem(other) or any({one, other} <= set(row.split()) for row in SAME)
    )


def _is_unit(unit: str) -> bool:
    return any(unit in row.split() for row in SAME)


def shares(text: str, sentence: str, title: str) -> bool:
    """Return whether a sentence has a word of a text that the title has not."""
    return _words_shared(text, sentence, title) > 0


def _words_shared(text: str, sentence: str, title: str) -> int:
    """Return how many words of a sentence are said in a text, be it as a part of a longer one, and
    are not in the title.
    """
    read, folded = questions.read_question(text), fold_text(sentence)
    if questions.is_asian(text):
        # One letter is a unit, and stands beside every number.
        words = {one for one in read.terms if len(one) > 1 and not one.isdecimal()}
        return sum(term in folded for term in words if term not in fold_text(title))
    units = {stem(one) for row in SAME for one in row.split()}
    held = {stem(word) for word in split_words(folded)} - {stem(one) for one in split_words(title)}
    said = [one for one in {*read.stems} - units if not one.isdecimal()]
    return sum(
        any(one == word or (len(word) >= PART and _is_part(word, one)) for one in said)
        for word in held - units
    )


def _is_part(word: str, longer: str) -> bool:
    return longer.startswith(word) or longer.endswith(word)
