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
from app.agent.rules.listed import fitting_numbers
from app.agent.rules.mentions import asking
from app.agent.rules.passages import answer_passages, questions, tables
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
LEAST_DIGITS, LEAST_SPACED = 6, 9
"""So many digits has the number of a telephone at least; in groups of three it may be an amount."""
PART = 4
"""So many letters has a word at least that is a part of a longer one."""
_NUMBER = re.compile(
    r"(?<![A-Za-z])(?<![A-Za-z]\d)(?<![A-Za-z]\d\d)(?<![A-Za-z]\d{3})"
    r"(?:(?P<thousands>(?<!\d)[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?!\s?\d))"
    r"|(?P<phone>\+?\d[\d ()/.\-]{5,}\d)|(?P<number>\d++(?:[.,:]\d+)*+)(?![A-Za-z]\d))"
    r"\s?(?P<unit>[€%$£]|[a-zA-ZÀ-ÿ]+|[\u30a0-\u30ff]+|[\u3400-\u9fff]{1,3})?"
)
_HAS_BOTH = re.compile(r"\d[^\W\d]|[^\W\d]\s?\d")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_DECIMAL = re.compile(r"^\d+[.,]\d$")
_SENTENCE = re.compile(r"[^\n.!?。！？，]+(?:[.!?](?=\S)[^\n.!?。！？，]*)*[.!?。！？]*")
"""Chinese lists in a line what it counts: “fee 180，deposit 50”."""
_COMMA = re.compile(r"(?<!\d)[,，]|[,，](?!\d)|[;、；]")
_LABEL = re.compile(r"[^\w]*(?P<name>[^\W\d]+)\s?[:：]?\s*\d")
"""What stands before the number in a line that tells no more: “夜 30g”."""
_NAMED = re.compile(r"[^|:：\n]*[^\W\d_][^|:：\n]*[:：](?!\d)")
"""The name of a line before its colon."""
OF_DAYS = frozenset("月 月の 日 日の 号 号的 年".split())
"""The units of what is no value but says of which day one is."""
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
    """A number in a sentence of a note, and the part of that which tells what it is: what stands
    between two commas, or a cell of a table with the name of its column.
    """

    number: Number
    sentence: str
    part: str


def correct(asked: Asked, route: Route, language: Language, thing: Thing, marked: Marked) -> Step:
    """Return the question whether a number of a note is to be replaced; nothing where it is not
    sure which.
    """
    if thing.kind != "note" or route.intent not in CORRECTED or not _numbers(asked.message):
        return Step()
    if named.NAME not in marked.marks and (step := _is_else(asked, language)):
        return step if step.calls else Step()
    return ask_number(asked, route, thing)


def ask_number(asked: Asked, route: Route, thing: Thing, *, is_near: bool = False) -> Step:
    """Return the question whether the one number of a note that a message can mean is to be
    replaced by its own, or the step that reads the note; nothing where that is not sure. Of a note
    that only `is_near` to the question before, that has to have a word of its line.
    """
    wanted = _numbers(asked.message)
    tool = item_changes.call_for(thing)
    held = item_changes.held(asked, thing)
    if held is None:
        return Step() if asked.has(tool[0]) else Step(calls=(tool,))
    text = str(held.record["markdown"])
    rows = _named_rows(text, asked.message)
    wanted = [one for one in wanted if not any(one.text in name for name in rows.values())]
    places = [one for one in _places(text) if not rows or one.sentence in rows]
    places = [one for one in places if not rows or not _is_name(one)]
    found = _place(asked, wanted, places, Text(thing.id, thing.title, text, whole=True))
    new = [one for one in _values(wanted) if not found or one.text != found.number.text]
    if found is None or len(new) != 1 or text.count(found.sentence) != 1:
        return Step()
    if is_near and not any(shares(one, found.sentence, thing.title) for one in asked.before[-1:]):
        return Step()
    known = f"{found.sentence} {found.part} {thing.title}"
    if fitting_numbers.is_of_else(asked.message, known, route.language):
        return Step()  # “he is 8 years old now” is no shoe size
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
        name = "phone" if one["phone"] else "thousands"
        if (
            one[name]
            and not _GROUPED.fullmatch(one[name])
            and digits >= (LEAST_DIGITS if one["phone"] else LEAST_SPACED)
        ):
            found.append(Number(one[name].strip(), PHONE, one.start(name)))
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


def _values(numbers: Sequence[Number]) -> list[Number]:
    """Return the numbers that are values, and not of a day."""
    return [one for one in numbers if one.unit not in OF_DAYS]


def _places(text: str) -> list[Place]:
    """Return the numbers of a note in their sentences, but those in names of columns."""
    columns = tables.find(text)
    return [
        Place(number, sentence, _part(sentence, number.start, tables.of_row(columns, one.start())))
        for one in _SENTENCE.finditer(text)
        if (sentence := one[0].strip(" \t")) and not tables.is_header(columns, one.start())
        for number in _numbers(sentence)
        if not _is_of_label(number, sentence)
    ]


def _is_of_label(number: Number, sentence: str) -> bool:
    """Return whether a number is of the name of a line: the 3 of “- Bed 3: garlic”."""
    name = _NAMED.match(sentence)
    return name is not None and number.start < name.end()


def _named_rows(text: str, message: str) -> dict[str, str]:
    """Return the rows whose first cell has a number and is said, with that cell: “5b got it wrong,
    it's 69.4” of “| 5b | 68.9 | 93 |”.
    """
    said = fold_text(message)
    rows = (
        one[0].strip(" \t")
        for table in tables.find(text)
        for one in _SENTENCE.finditer(text, table.start, table.end)
    )
    named = {row: fold_text(tables.cells(row)[0]) for row in rows if "|" in row}
    return {row: name for row, name in named.items() if _HAS_BOTH.search(name) and name in said}


def _is_name(place: Place) -> bool:
    return tables.column_at(place.sentence, place.number.start) == 0


def _part(sentence: str, at: int, table: tables.Table | None) -> str:
    """Return the part of a sentence in which a number stands."""
    if table is not None:
        column = tables.column_at(sentence, at)
        return table.header[column] if column < len(table.header) else ""
    ends = [0, *(one.end() for one in _COMMA.finditer(sentence)), len(sentence)]
    start = max(one for one in ends if one <= at)
    return sentence[start : min(one for one in ends if one > at)]


def _place(
    asked: Asked, wanted: Sequence[Number], places: Sequence[Place], note: Text
) -> Place | None:
    """Return the one number that is meant; None where none is, or several may be."""
    old = [one for one in places if any(one.number.text == other.text for other in wanted)]
    if len(wanted) > 1 and len(old) == 1:
        return old[0]
    wanted = _values(wanted)
    if len(wanted) != 1:
        return None
    same = [one for one in places if _is_same(one.number.unit, wanted[0].unit)]
    if not same and not _is_unit(wanted[0].unit) and wanted[0].unit != PHONE:
        same = [one for one in places if one.number.unit != PHONE]
        if _DECIMAL.search(wanted[0].text):
            same = [one for one in same if _DECIMAL.search(one.number.text)]
    same = _told_most(asked.message, same, note.title)
    if len(same) > 1 and asked.before:
        same = _quoted(asked.before[-1], same, note)
    plain = [one for one in same if not one.number.unit] if not wanted[0].unit else []
    same = plain if len(plain) == 1 else same
    if len(same) != 1 or same[0] in old:
        return None
    # the number may stand in another row, and what is meant is told by words then
    texts = (asked.message, *asked.before[-1:])
    is_told = any(shares(one, same[0].sentence, note.title) for one in texts)
    return None if old and not is_told else same[0]


def _quoted(question: str, places: Sequence[Place], note: Text) -> list[Place]:
    """Return the places that a question was answered with, as what follows goes on with them: of
    the sentence that answers it, or of the line of that, or those of which it says most words.
    """
    read = questions.read_question(question)
    quoted = answer_passages.best_passages(read, [note], is_last_try=True)
    if not quoted:
        return _told_most(question, places, note.title)
    at, end = quoted[0].start, quoted[0].end
    start, stop = note.content.rfind("\n", 0, at) + 1, note.content.find("\n", end)
    for told in (note.content[at:end], note.content[start : stop if stop >= 0 else None]):
        # a sentence of a list has its mark before it
        if found := [one for one in places if one.sentence.lstrip("-*+ ") in told]:
            return _told_most(question, found, note.title)
    return _told_most(question, places, note.title)


def _told_most(message: str, places: Sequence[Place], title: str) -> list[Place]:
    """Return the places in whose sentences most words of a message stand, or parts of such a word:
    “the cat's” price where “cat vaccination: 48 €” and “dog vaccination: 56 €” are held; of those
    the ones in whose parts most do.
    """
    found = list(places)
    for name in ("sentence", "part"):
        counts = [_words_shared(message, getattr(one, name), title) for one in found]
        most = max(counts, default=0)
        found = [one for one, count in zip(found, counts, strict=True) if count == most]
    return found


def _is_same(one: str, other: str) -> bool:
    if PHONE in (one, other) or not (one and other):
        return one == other and bool(one)
    alike = one.startswith(other) or other.startswith(one) if questions.is_asian(one) else False
    return (
        alike or stem(one) == stem(other) or any({one, other} <= set(row.split()) for row in SAME)
    )


def _is_unit(unit: str) -> bool:
    return any(unit in row.split() for row in SAME)


def is_only_cell(asked: Asked, asks: Question) -> bool:
    """Return whether a number that is to be replaced in a row of a table is its only one, or in the
    only column that the message names, or the question before it.
    """
    held = item_changes.held(asked, asks.choices[0])
    found = _places(str(held.record["markdown"])) if held else []
    cells = [one for one in found if one.sentence == asks.arguments["old"]]
    texts = (asked.message, *asked.before[-1:])
    named = [one for one in cells if any(_words_shared(text, one.part, "") for text in texts)]
    units = {one.unit for one in _numbers(asked.message) if one.text == asks.arguments["to"]}
    if "phone" not in units:
        cells = [one for one in cells if one.number.unit != "phone"]
    alike = [one for one in cells if any(_is_same(one.number.unit, unit) for unit in units)]
    return [one.number.text for one in named or alike or cells] == [asks.arguments["from"]]


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
        label = _LABEL.match(sentence)
        name = label["name"] if label else ""
        is_named = bool(name and re.search(rf"{name}[はがもをの的]", text))
        is_said = len(sentence) > 1 and folded in fold_text(text)  # the name of a column
        return (is_named or is_said) + sum(
            one in folded for one in words if one not in fold_text(title)
        )
    units = {stem(one) for row in SAME for one in row.split()}
    held = {stem(word) for word in split_words(folded)} - {stem(one) for one in split_words(title)}
    said = [one for one in {*read.stems} - units if not one.isdecimal()]
    return sum(
        any(one == word or (len(word) >= PART and _is_part(word, one)) for one in said)
        for word in held - units
    )


def _is_part(word: str, longer: str) -> bool:
    return longer.startswith(word) or longer.endswith(word)
