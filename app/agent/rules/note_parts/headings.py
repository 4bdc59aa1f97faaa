"""What a message writes under a heading of a note: “add a bay leaf to the ingredients”.

The heading stands in the message as it does in the note, with a word of place beside it or before a
colon. Of several notes with that heading the one is meant that was spoken of just before, or whose
name the message has a word of.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.agent.rules.changes.marked import Marked, any_place, words_of
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.list_tables import Lists
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words, named_notes
from app.agent.rules.mentions import asking
from app.agent.rules.passages import note_lines, questions, sections
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.reader import reader
from app.agent.rules.reader.labelled import TWO
from app.agent.rules.reader.reader import Understood
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

HEADINGS: Call = ("grep_notes", {"pattern": r"^#{1,6}\s+\S", "mode": "regex", "limit": 400})
"""The call that finds the headings of all notes."""
LONGEST = 200
WRITES = frozenset({"append_note", "add_item", "add_step", TWO})
"""What a message is taken for that writes a line into a note, be it parted in two."""
ADDS = WRITES | {"add_todo", "make_note"}
"""And what one may only seem to be that goes on from a note."""
TEXTS = frozenset({"text", "item", "step", "title"})
LIKELY = 0.5
REST = 20
"""So many letters between a text and its place are more of the text."""
_COLON = re.compile(r"\s*(?:(?<!\d)[:：]|[:：](?!\d))\s*|(?<=[条项点句行])[，,]\s*")
"""What stands before a text; “再写一条，…” as well."""
_EDGES = " \t\n,，、;；.。!！:：「」“”\"'"
_COUNTS = ("一", "两", "几")
LEAST = 2
"""So many letters has a text at least."""


class Place(NamedTuple):
    """A heading of a note that a message names, at start..end with its word of place."""

    note: Thing
    title: str
    start: int
    end: int


def may_add(asked: Asked, language: Language, *, is_first: bool = True) -> bool:
    """Return whether a message may write a line under a heading. Before all else only what goes on
    from a note may, or names two places, one in the other, where spaces part words.
    """
    text = asked.message
    if len(text) > LONGEST or "?" in text or "？" in text:
        return False
    last = asked.earlier[0] if asked.earlier else Trace()
    if last.asks and last.asks.lacks != "yes":
        return False
    is_told = bool(references.notes_told(last))
    if questions.is_asian(text) and questions.read_question(text).kind in questions.COUNTED:
        return False  # “放几颗八角” asks how many
    weights = reader.read(asked, (), language).weights
    may = ADDS if is_told else WRITES
    if sum(weights.get(one, 0.0) for one in may) < LIKELY:
        return False
    words, marked = words_of(language), Marked(text).text
    if not words.spaced:
        return re.search(_shape(language).replace("{name}", r"\w"), marked) is not None
    places = len([*any_place(words.onto).finditer(marked)])
    return places + (":" in text) >= (1 if is_told or not is_first else 2)


def add(looked: Asked, language: Language) -> Route | Step | None:
    """Return the line that a message writes under a heading of a note, or the step that looks for
    headings; None where it surely names none.
    """
    may_look = not looked.is_last
    if not made(looked):
        return Step(calls=(HEADINGS,)) if may_look and HEADINGS[0] in looked.tools else None
    weights = reader.read(looked, (), language).weights
    writes = sum(weights.get(one, 0.0) for one in WRITES) >= LIKELY
    places = _places(looked, language)
    if not writes:  # “add the dentist on Friday” means no heading of a plan of meals
        places = [
            one
            for one in places
            if not dialogue_words.find_days(dialogue_words.bare(one.title), looked.now)
        ]
    given = _of_note(looked, places)
    if given and given[0].note.title not in looked.message:
        # “add milk to shopping” after another note with such a heading
        if not looked.has(named_notes.NOTES[0]):
            may = may_look and named_notes.NOTES[0] in looked.tools
            return Step(calls=(named_notes.NOTES,)) if may else None
        titles = {fold_text(one.title) for one in asking.things(looked) if one.kind == "note"}
        given = [one for one in given if fold_text(one.title) not in titles]
        if not given:
            return None
    told = references.notes_told(looked.earlier[0]) if looked.earlier else ()
    if not given and writes and not told:
        # of whatever note, unless the message names one or no more than “the note”
        given = [one for one in places if not dialogue_words.is_list_word(one.title)]
        if given and not looked.has(named_notes.NOTES[0]):
            may = may_look and named_notes.NOTES[0] in looked.tools
            return Step(calls=(named_notes.NOTES,)) if may else None
        named = named_notes.find(looked, language) if given else []
        if any(one.rest != looked.message for one in named):
            return None
    texts = _texts(looked, given[0], language) if len(given) == 1 else []
    if not texts:
        return None
    arguments = {"text": ", ".join(texts), "under": given[0].title}
    return Route("append_note", language, arguments, (given[0].note,))


def made(looked: Asked) -> bool:
    """Return whether headings were looked for."""
    return any((one.tool, one.arguments) == HEADINGS for one in looked.results)


def _places(looked: Asked, language: Language) -> list[Place]:
    """Return the headings that a message names as a place, each note's longest alone."""
    found = list(_all_places(looked, language))
    return [
        one
        for one in found
        if not any(
            other is not one
            and other.note == one.note
            and other.start <= one.start
            and one.end <= other.end
            and len(other.title) > len(one.title)
            for other in found
        )
    ]


def _all_places(looked: Asked, language: Language) -> Iterator[Place]:
    marked = Marked(looked.message)
    for result in looked.results:
        if (result.tool, result.arguments) != HEADINGS or result.failed:
            continue
        for row in result.content.get("results", ()):
            note = Thing("note", row["noteId"], row["title"])
            for match in row["matches"]:
                title = sections.title_of(match["text"])
                if not title or fold_text(title) == fold_text(note.title):
                    continue
                if (span := _place(marked, title, language)) is not None:
                    yield Place(note, title, *span)


def _place(marked: Marked, title: str, language: Language) -> tuple[int, int] | None:
    """Return where a message names a heading as a place, with the words for that."""
    name = re.escape(plain_letters(title.strip(_EDGES)).lower())
    shape = _shape(language).replace("{name}", name)
    if not words_of(language).spaced:
        edge = r"(?:^|(?<=[\s、，。のを的]))" if len(name) < LEAST else ""  # 水, not of 矿泉水
        found = re.search(f"{edge}{shape}", marked.text)
        return found.span() if found else None
    found = re.search(rf"(?<!\w)(?:{shape})(?!\w)", marked.text)
    found = found or re.search(rf"(?<!\w){name}\s*(?=:)", marked.text)
    return found.span() if found else None


@functools.cache
def _shape(language: Language) -> str:
    """Return how a heading is named as a place."""
    under = language_data.join_pattern(language_data.load_table(language, Lists).under)
    return plain_letters(under) or words_of(language).onto


def _of_note(looked: Asked, places: Sequence[Place]) -> list[Place]:
    """Return the headings of the note whose name a message has a word of, else of the one that was
    told just before.
    """
    last = looked.earlier[0] if looked.earlier else None
    told = references.notes_told(last) if last else ()
    said = note_lines.content(looked.message)
    named = [
        one
        for one in places
        if fold_text(one.note.title) in fold_text(looked.message)
        or (note_lines.content(one.note.title) - note_lines.content(one.title)) & said
    ]
    return named or [one for one in places if one.note in told]


def _texts(looked: Asked, place: Place, language: Language) -> list[str]:
    """Return the lines that a message writes: what follows a colon, else what it was read to say
    without the place.
    """
    text = looked.message
    if colon := _COLON.search(text, place.end):
        lead, rest = text[place.end : colon.start()], text[colon.end() :].strip(_EDGES)
        if rest and _only_adds(lead, language):  # “juice: Sam” has one within its text
            return [rest]
    return _read(looked, place, language)


def _adds(text: str, language: Language) -> bool:
    return list_words.words_of(language).cues["add"].search(Marked(text).text) is not None


def _only_adds(lead: str, language: Language) -> bool:
    """Return whether some words only ask for something to be added."""
    words, text = list_words.words_of(language), Marked(lead).text
    for pattern in (words.cues["add"], words.also["add"], words_of(language).courtesy):
        text = pattern.sub(" ", text)
    return not any(one.isalpha() for one in text)


def _read(looked: Asked, place: Place, language: Language) -> list[str]:
    """Return what a message was read to write beside the place: the texts of the likeliest reading
    that has some, else what it was taken to be about.
    """
    reading = [one for one in reader.read(looked, (), language).likely if one.intent in ADDS]
    for slots in (TEXTS, frozenset({"target"})):
        for said in reading:
            if texts := _slots(said, slots, place, language):
                return texts
    return []


def _slots(said: Understood, slots: frozenset[str], place: Place, language: Language) -> list[str]:
    """Return the texts of some slots without the place and the name of its note."""
    joined: list[tuple[int, int]] = []
    for one in (one for one in said.spans if one.slot in slots):
        start, end = one.start, one.end
        if start < place.end and place.start < end:  # “wipers under checks”
            before = place.start - start >= end - place.end
            start, end = (start, place.start) if before else (place.end, end)
        if start >= end or not _says_more(said.text[start:end], place.note.title):
            continue
        if joined and _COLON.fullmatch(said.text, joined[-1][1], start):
            start = joined.pop()[0]
        joined.append((start, end))
    gap = said.text[joined[-1][1] : place.start] if joined else ""
    if 0 < len(gap) <= REST and "," not in gap and not _adds(gap, language):
        # “a cake for the end of the year to the menu” was read to end with the cake
        joined[-1] = (joined[-1][0], place.start)
    texts = [_without_cue(_text(said.text, start, end), language) for start, end in joined]
    return [one for one in texts if one]


def _without_cue(text: str, language: Language) -> str:
    """Return an amount without the words before it that only ask for it: “fehlt 1 Ei”."""
    lead = re.match(r"[^\d]+(?=\d)", text)
    return text[lead.end() :] if lead and _only_adds(lead[0], language) else text


def _says_more(text: str, title: str) -> bool:
    """Return whether a text has more than the name of a note."""
    if questions.is_asian(text):
        return fold_text(text.strip(_EDGES)).strip("のに里的在") not in fold_text(title)
    return bool(text.strip(_EDGES)) and not note_lines.content(text) <= note_lines.content(title)


def _text(message: str, start: int, end: int) -> str:
    if message[start - 1 : start] in _COUNTS and end - start > LEAST:
        start += 1  # “加一首…” has a word that counts before its text
    return routing.trim_name(message[start:end].strip(_EDGES)).strip(_EDGES)
