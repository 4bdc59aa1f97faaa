"""One line of a note that a message changes by plain words: its value, words of it, or the whole.

“The rosé goes up to 6.20 in the prices”, “make it 8.50” after the line was told, “a radio instead
of the crosswords”. The note is the one that is named, else the one that was told or changed just
before. Where the line is surely meant it is changed at once, else asked about.
"""

import functools
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from app.agent.quickadd import quickadd
from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import (
    changed_lines,
    corrected_facts,
    fitting_numbers,
    list_words,
    named_notes,
)
from app.agent.rules.listed.changed_lines import Changed
from app.agent.rules.listed.named_notes import Place
from app.agent.rules.note_parts import cells
from app.agent.rules.passages import note_lines, questions, tables
from app.agent.rules.passages.note_lines import Amount, Line
from app.agent.rules.phrases import phrases
from app.agent.rules.reader import reader
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.rules.understood import replaced_text
from app.agent.turn.steps import Asked, Step, Trace

Kind = Literal["replaced", "valued", "again", "removed"]
KINDS: Sequence[Kind] = ("replaced", "valued", "again", "removed")
LONGEST = 200
MOST = 5
"""A new text of more words than so many is a sentence, and no new value."""
MOST_LETTERS = 16
AFTER_NAME = 4
"""So many words at most stand behind the name of a line: “Ann wants white lilies”."""
LIKELY, HALF, SURE = 0.4, 0.5, 0.8
OTHERS = frozenset(
    "add_todo complete_todo move_todo shift_todo prioritize repeat_todo message delete sum".split()
)
"""What a message with one number is likelier than the new value of a line."""
BEFORE = 3
"""So many messages ago may what is meant have been named."""
_CLAUSE_END = re.compile(r"[!?;。！？；，、]|[.,](?!\d)")
_EDGES = ' \t,;:.!?。，、！？；："“”„«»「」『』'
_PARTICLES = re.compile(r"^\s*[的里把将の、]+")
_LONG_NUMBER = re.compile(r"(?:\d[\s-]?){5}")
_UNITS = "|".join(re.escape(one) for row in note_lines.MONEY for one in row.split())
_NUMBER = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)*)"
_SLOTS = {
    "value": rf"(?P<value>(?:[€£$¥]\s?)?{_NUMBER})(?![\d:])(?:\s?(?:{_UNITS})(?!\w))?",
    "end": r"(?=\s*(?:[.!?;,。！？；，、]|$))",
    "old": r"(?P<old>[^.!?;。！？；，\n]{1,60}?)",
    "new": r"(?P<new>(?:[^.!?;,。！？；，、\n]|(?<=\d)[.,](?=\d)){1,60}?)",
    "label": r"(?P<label>(?:[^.!?;,。！？；，、\n]|(?<=\d)[.,](?=\d)){1,60}?)",
}


class Wanted(NamedTuple):
    """A change of a line as a message says it, at start..end of that."""

    kind: Kind
    old: str
    new: str
    label: str
    start: int
    end: int
    is_read: bool = False
    """Whether the reader alone takes a message for it."""
    is_sure: bool = False
    """Whether the reader is sure of it, whatever its other words say."""


def wanted(asked: Asked, language: Language) -> list[Wanted]:
    """Return the changes of a line that a message may say, the likeliest first."""
    question = asked.earlier[0].asks if asked.earlier else None
    is_open = question is not None and question.lacks not in ("", "yes")
    text = plain_letters(asked.message).lower().replace("’", "'")
    known = language_data.has_table(language, LineWords)
    if is_open or not known or len(text) > LONGEST or "?" in text or "？" in text:
        return []
    goes_on = asked.earlier and asked.earlier[0].intent == "replace_text"
    said = [
        Wanted(kind, old, value or new, label, *found.span())
        for kind in KINDS
        if kind != "again" or goes_on
        for pattern in _patterns(language, kind)
        if (found := pattern.search(text))
        for old, new, value, label in [_parts(asked.message, found)]
    ]
    return said or _amount_told(asked, language)


def _amount_told(asked: Asked, language: Language) -> list[Wanted]:
    """Return the new value of a line of the note that was told before, where the reader takes a
    message with one amount for one: “he wants 12 after all, change it”.
    """
    text = asked.message
    amounts = note_lines.amounts(text)
    likely = reader.read(asked, (), language).likely[:1] if len(amounts) == 1 else ()
    if not likely:
        return []
    said, one = likely[0], amounts[0]
    adds = list_words.words_of(language).cues["add"].search(Marked(text).text)
    is_value = said.sure >= LIKELY and (
        said.intent == "replace_text" or (said.intent == "append_note" and not adds)
    )
    told = asked.earlier and references.notes_told(asked.earlier[0])
    is_other = adds or said.sure >= (HALF if said.intent in OTHERS else SURE)
    if not is_value and (is_other or not told):
        return []
    is_sure = said.intent == "replace_text" and said.sure >= SURE
    return [Wanted("valued", "", one.text, text[: one.start], one.start, one.end, True, is_sure)]


def _parts(message: str, found: re.Match[str]) -> list[str]:
    names, slots = found.re.groupindex, ("old", "new", "value", "label")
    return [message[slice(*found.span(one))] if one in names else "" for one in slots]


def change(looked: Asked, said: Sequence[Wanted], language: Language) -> Step | Route | None:
    """Return the change of the line that is surely meant, the question whether one is, or the step
    that reads its note; None where none is found.
    """
    if not looked.has(named_notes.NOTES[0]):
        return (
            Step(calls=(named_notes.NOTES,))
            if named_notes.NOTES[0] in looked.tools and not looked.is_last
            else None
        )
    places = named_notes.find(looked, language)
    for wish in said:
        for place in (*places, _elsewhere(looked, wish, places)):
            held = item_changes.read(looked, place.note) if isinstance(place, Place) else place
            if isinstance(held, Step):
                return held
            if (
                isinstance(place, Place)
                and held
                and (found := _change(looked, wish, place, held, language))
            ):
                return found
    return _of_text(looked, said, places, language)


def _elsewhere(looked: Asked, wish: Wanted, places: Sequence[Place]) -> Place | Step | None:
    """Return the note that no message names but by what stands in it."""
    if wish.kind == "replaced":
        return named_notes.with_words(looked, routing.trim_name(wish.old.strip(_EDGES)))
    if wish.kind != "valued" or places:
        return None
    told = looked.message[: looked.message.rfind(wish.new)]
    return named_notes.with_line_of(looked, told, wish.label or told)


def _of_text(
    looked: Asked, said: Sequence[Wanted], places: Sequence[Place], language: Language
) -> Step | None:
    """Return the question whether an amount in running text is meant: “Rent is £485, due …”."""
    amounts = [
        one
        for one in said
        if one.kind == "valued" and not one.is_read and not _says_day(looked, one)
    ]
    if not amounts or len(places) != 1:
        return None
    step = corrected_facts.ask_number(looked, Route("replace_text", language, {}), places[0].note)
    return step if step.calls or step.text else None


def _change(
    looked: Asked, said: Wanted, place: Place, held: Held, language: Language
) -> Step | Route | None:
    """Return the change of a line of one note, or the question whether it is meant; None where none
    is found.
    """
    if said.kind == "removed":
        return _removed(looked, said, place, held, language)
    lines = note_lines.read(str(held.record["markdown"]))
    if said.kind == "replaced" and not note_lines.amounts(said.new)[:1]:
        found = _reworded(looked, said, place, lines, language)
    else:
        found = None if _says_day(looked, said) else _revalued(looked, said, place, lines, language)
    if found is None:
        return None
    old, new = found.replaced
    if dialogue_words.is_day(old, looked, language) != dialogue_words.is_day(new, looked, language):
        return None  # “Friday is me now” is no other day
    fit = fitting_numbers.of_line(
        looked.message, lines, found.old, found.replaced, place.note.title, language
    )
    if not (tells_old := old in looked.message) and fit == "else":
        return None  # “he got 12 stickers” is no shoe size
    arguments = {"old": found.old, "new": found.new, "from": old, "to": new}
    wish = Route("replace_text", language, arguments, (place.note,))
    is_sure = found.is_sure and (tells_old or fit == "fits")
    # of “Dr Li 010-1234” only the name may be another
    is_sure = is_sure and (_LONG_NUMBER.search(old) is None or _LONG_NUMBER.search(new) is not None)
    return wish if is_sure else replaced_text.question(wish, held.link)


@functools.cache
def _patterns(language: Language, kind: Kind) -> tuple[re.Pattern[str], ...]:
    rows: tuple[Pieces, ...] = getattr(language_data.load_table(language, LineWords), kind)
    edges = (r"(?<!\w)", r"(?!\w)") if language in phrases.alphabetic_languages() else ("", "")

    def compiled(row: Pieces) -> re.Pattern[str]:
        text = plain_letters(language_data.expand_macros(row, _SLOTS))
        return re.compile(f"{edges[0]}(?:{text}){edges[1]}")

    return tuple(map(compiled, rows))


def _revalued(
    looked: Asked, said: Wanted, place: Place, lines: Sequence[Line], language: Language
) -> Changed | None:
    """Return the line that has a new amount: the one that is named, else the one that was told."""
    # the unit may stand in the words that ask for it: “200円に直して”
    end = max(looked.message.rfind(said.new, said.start, said.end), 0) + len(said.new)
    new, *more = note_lines.amounts(f"{said.new}{looked.message[end:][:12]}")
    if said.kind == "replaced" and more:
        return None
    if said.kind == "replaced":
        written = _written_before(looked)
        own = [one for one in lines if written and written in one.text]
        old = _CLAUSE_END.split(said.old)[-1]
        exact = changed_lines.with_old_amount(own, old, new)
        if exact := exact or changed_lines.with_old_amount(lines, old, new):
            return exact
    at = looked.message.rfind(new.text, said.start, said.end)
    rest = f"{place.rest[:at]}{' ' * len(new.text)}{place.rest[at + len(new.text) :]}"
    text = looked.message
    lines = [one for one in lines if note_lines.only_amount(one, new.unit, text)]
    line, is_whole = note_lines.said_in(lines, rest)
    last = _just_written(looked, lines, new, text) if line is None else None
    line = line or last or note_lines.with_word_of(lines, rest, place.note.title)
    numbers = [one.text for one in note_lines.amounts(rest)]
    is_sure = True
    if line is None and len(numbers) == 1 and numbers[0].isdecimal():
        line, numbers = note_lines.of_day(lines, int(numbers[0])), []
    elif line is None and not numbers and (said.is_sure or _points(said, language)):
        line = note_lines.said_in(lines, looked.before[-1])[0] if looked.before else None
    elif line is not None and line is not last:
        named_as = _bare(said.label, place, looked) or rest[said.start : said.end]
        left = note_lines.left_of(named_as, line, place.note.title)
        is_sure = not left or (_says_column(line, new, text) and (said.is_sure or is_whole))
    if line is None or any(one not in line.text for one in numbers):
        return None
    old = note_lines.only_amount(line, new.unit, text)
    if old and _is_of_date(line.text, old, looked):
        return None  # “half 7 was right” is no other day than “26 November”
    # “70 g” for what is 9 of something else
    is_alike = old is None or bool(old.unit) == bool(new.unit) or not new.unit
    return changed_lines.with_amount(line, new, text, is_sure=is_sure and is_alike)


def _is_of_date(text: str, number: Amount, looked: Asked) -> bool:
    """Return whether a number in a line is part of a date."""
    spans = quickadd.read_line(text, now=looked.now).spans
    return any(one.kind == "date" and one.start <= number.start < one.end for one in spans)


def _just_written(looked: Asked, lines: Sequence[Line], new: Amount, text: str) -> Line | None:
    """Return the row that the turn before has written, where a message names one of its columns:
    “no wait, the pulse was 74”.
    """
    written = _written_before(looked)
    rows = [
        one
        for one in lines
        if one.columns and any(cell and cell in written for cell in tables.cells(one.text))
    ]
    return next((one for one in rows[-1:] if _says_column(one, new, text)), None)


def _written_before(looked: Asked) -> str:
    """Return what the turn before has written into a note; empty where it has not."""
    last = looked.earlier[0] if looked.earlier else Trace()
    return last.arguments.get("text", "") if last.intent == "append_note" else ""


def _says_column(line: Line, new: Amount, text: str) -> bool:
    """Return whether a message says which column of a row it changes; there is none in a list."""
    old = note_lines.only_amount(line, new.unit, text)
    return not line.columns or (old is not None and note_lines.is_in_column(line, old, text))


def _says_day(looked: Asked, said: Wanted) -> bool:
    """Return whether a new amount is a day or a time, or stands beside one: “8.30 on Friday”,
    “half 7 was right”.
    """
    clause = _CLAUSE_END.split(looked.message[said.end :])[0]
    new = looked.message.rfind(said.new, 0, said.end)
    read = quickadd.read_line(looked.message, now=looked.now)
    times = [one for one in read.spans if one.kind == "time" and re.search(r"[^\W\d]", one.text)]
    if any(one.start <= new < one.end for one in times):
        return True
    text = looked.message[new : said.end] + clause
    return dialogue_words.find_days(dialogue_words.bare(text), looked.now) is not None


def _points(said: Wanted, language: Language) -> bool:
    """Return whether a change names nothing but what was told before: “make it 8.50”."""
    label = plain_letters(said.label).lower().strip(_EDGES)
    return said.kind == "valued" and (not label or _is_theirs(label, language))


def _is_theirs(words: str, language: Language) -> bool:
    return cells.theirs(language).fullmatch(plain_letters(words).lower()) is not None


def _reworded(
    looked: Asked, said: Wanted, place: Place, lines: Sequence[Line], language: Language
) -> Changed | None:
    """Return the line with the words that are replaced, and others in their place."""
    old = _bare(said.old, place, looked)
    new = _new_text(said, place, looked, language, changed_lines.name_of(lines, old))
    if old and note_lines.content(old.split()[0]):
        new = changed_lines.without_little(new)  # “des pivoines” for “roses blanches”
    days = [dialogue_words.find_days(dialogue_words.bare(one), looked.now) for one in (old, new)]
    if not new or any(days):
        return None
    if old and not _is_theirs(old, language):
        beside = f"{place.rest[: said.start]} {said.new}"
        return changed_lines.with_words(lines, old, new, beside)
    outside = f"{place.rest[: said.start]} {place.rest[said.end :]}"
    return changed_lines.with_word_of(lines, outside, new)


def _new_text(said: Wanted, place: Place, looked: Asked, language: Language, name: set[str]) -> str:
    """Return the new words without those that stand beside them, and the name of their line: “dad
    wants a radio now”; empty where a sentence is left.
    """
    text, before = _bare(said.new, place, looked), ""
    words = text.split()
    while words and note_lines.content(words[0]) & name:
        words = words[1:]
    if len(words) < len(text.split()):
        text = " ".join(words) if len(words) <= AFTER_NAME else ""
    while text != before:
        before = text
        if found := _beside(language).search(plain_letters(text).lower()):
            text = f"{text[: found.start()]}{text[found.end() :]}"
    text = routing.trim_name(text.strip(_EDGES))
    if list_words.words_of(language).cues["correct"].match(plain_letters(text).lower()):
        return ""  # “instead of the headphones, change that in the list”
    is_long = len(text) > MOST_LETTERS if questions.is_asian(text) else len(text.split()) > MOST
    return "" if is_long else text


@functools.cache
def _beside(language: Language) -> re.Pattern[str]:
    """Return the words beside a new text, at its beginning or its end."""
    table = language_data.load_table(language, LineWords)
    said = language_data.whole_words(table.beside, language).pattern
    return re.compile(rf"^\W*(?:{said})\W*|\W*(?:{said})\W*$")


def _bare(text: str, place: Place, looked: Asked) -> str:
    """Return words of a message without an article and without the name of the note."""
    at = looked.message.find(text)
    kept = place.rest[at : at + len(text)] if at >= 0 else text
    if questions.is_asian(text) and " " in kept.strip():
        kept = text  # 王医生 after the note 医生
    return routing.trim_name(_PARTICLES.sub("", kept.strip(_EDGES))).strip(_EDGES)


def _removed(
    looked: Asked, said: Wanted, place: Place, held: Held, language: Language
) -> Route | None:
    """Return the change of a list that loses the one item that is named by what it is of."""
    lines = note_lines.read(str(held.record["markdown"]))
    old = _bare(said.old, place, looked)
    line, is_whole = note_lines.said_in(lines, old)
    if _is_theirs(old, language):
        texts = [place.rest[: said.start], *looked.before[: -BEFORE - 1 : -1]]
        told = (note_lines.said_in(lines, one) for one in texts)
        line, is_whole = next((one for one in told if one[0]), (None, False))
    if line is None or not is_whole or note_lines.left_of(old, line, place.note.title) - {old}:
        return None
    items = item_changes.of_line(held, line.text, old)
    others = [one for one in lines if one is not line and note_lines.said_in([one], place.rest)[1]]
    if len(items) != 1 or others:
        return None
    ticks = list_words.words_of(language).cues["tick"].search(Marked(place.rest).text)
    if items[0].has_box and (ticks or not line.label):
        return None  # “cross the eggs off” may mean that they were bought
    return Route("change_items", language, {"remove": items[0].title}, (place.note,))
