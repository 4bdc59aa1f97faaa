"""The weekday, time or name of a line that is another now: “choir's been moved to Friday”.

The line is in the note that was told just before, or is the only one of all notes whose whole name
the message says. A weekday takes the place of a weekday, a time of a time, a name of a name:
“joan's taking over the cake stall from norman” of “Cake stall: Norman”.
"""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from app.agent.rules.answers import item_changes
from app.agent.rules.answers.item_changes import Held
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.line_tables import LineWords
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.listed import list_words, named_notes
from app.agent.rules.mentions import asking
from app.agent.rules.note_parts import cells, days_times, line_names
from app.agent.rules.note_parts.days_times import Said
from app.agent.rules.passages import note_lines, questions
from app.agent.rules.passages.note_lines import Line
from app.agent.rules.passages.sentences import fold_text
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

LONGEST = 160
LIMIT = 40
_BULLET = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?")
_COLON = re.compile(r"[:：]\s*$")
_WORDS = re.compile(
    r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{3,}"
)
_SMALL = re.compile(r"[的了在到是把也都就每将从]")
"""Single letters of Chinese that join words."""
_SLOTS = {
    "new": r"(?P<new>[^.!?;,。！？；，、\d\n]{1,30}?)",
    "label": r"(?P<label>[^.!?;,。！？；，、\n]{2,40}?)",
    "end": r"(?=\s*(?:[.!?;,。！？；，、]|$))",
}


class Wish(NamedTuple):
    """What a message says: weekdays and times, or a name; the words left that may name the line."""

    said: Said | None
    new: str
    left: str


class Changed(NamedTuple):
    """The change of a line, and whether it is surely meant."""

    route: Route
    is_sure: bool


class _Fit(NamedTuple):
    line: Line
    new: str
    replaced: tuple[str, str]
    is_whole: bool
    """Whether the whole name of the line is said."""


def wishes(asked: Asked, language: Language) -> list[Wish]:
    """Return what a message may say of a line."""
    question = asked.earlier[0].asks if asked.earlier else None
    is_open = question is not None and question.lacks not in ("", "yes")
    text, known = asked.message, language_data.has_table(language, LineWords)
    if is_open or not known or len(text) > LONGEST or re.search("[?？]", text):
        return []
    if language_data.line_words(language, "wished").search(Marked(text).text):
        return []  # “I'd like the choir to be moved to Friday”
    day = _day(text, asked.now, language)
    return [*([day] if day else []), *_names(text, language)]


def is_told_by(text: str, language: Language) -> bool:
    """Return whether a message begins with who says so: “Ben says the choir's been moved”."""
    return language_data.line_words(language, "told_by").match(Marked(text).text) is not None


def _day(text: str, now: datetime, language: Language) -> Wish | None:
    """Return the weekday or time that a message says something has now."""
    plain = Marked(text).text
    cues = [one.span() for one in language_data.line_words(language, "moved").finditer(plain)]
    said = days_times.said_in(text, now, language, [at for one in cues for at in one])
    former = _former(plain, said.spans, language) if said else []
    if said is None or not (cues or former):
        return None
    gone = [*said.spans, *cues, *former, *_idle(plain, language)]
    if teller := language_data.line_words(language, "told_by").match(plain):
        gone.append(teller.span())
    kept = "".join(" " if any(a <= at < b for a, b in gone) else one for at, one in enumerate(text))
    return Wish(said, "", kept) if not re.search(r"\d", kept) else None


def _former(
    plain: str, spans: Sequence[tuple[int, int]], language: Language
) -> list[tuple[int, int]]:
    """Return the words beside a weekday or time that say that it was so before: “not Thursday”."""
    words = language_data.load_table(language, LineWords)
    before, after = map(language_data.join_pattern, (words.former, words.former_after))
    edge = r"(?<!\w)" if words_of(language).spaced else ""
    found = list[tuple[int, int]]()
    for start, end in spans:
        if one := re.search(rf"{edge}(?:{plain_letters(before)})\W*$", plain[:start]):
            found.append((one.start(), end))
        if one := re.match(rf"(?:{after})", plain[end:]):
            found.append((start, end + one.end()))
    return found


def _idle(plain: str, language: Language) -> Iterator[tuple[int, int]]:
    """Yield what a message has beside what it means: “please”, “change that in the list”."""
    words = words_of(language)
    correct = list_words.words_of(language).cues["correct"]
    idle = language_data.line_words(language, "idle")
    for pattern in (words.courtesy, correct, cells.says_now(language), idle):
        yield from (one.span() for one in pattern.finditer(plain))


def _names(text: str, language: Language) -> Iterator[Wish]:
    """Yield who does what a line names now."""
    plain = Marked(text).text
    for pattern in _taken(language):
        if found := pattern.search(plain):
            new, label = (text[slice(*found.span(one))] for one in ("new", "label"))
            yield Wish(None, routing.trim_name(new.strip()), routing.trim_name(label.strip()))


@functools.cache
def _taken(language: Language) -> tuple[re.Pattern[str], ...]:
    rows: tuple[Pieces, ...] = language_data.load_table(language, LineWords).taken
    edge = r"(?<!\w)" if words_of(language).spaced else ""
    texts = (plain_letters(language_data.expand_macros(one, _SLOTS)) for one in rows)
    return tuple(re.compile(f"{edge}(?:{one})") for one in texts)


def change(looked: Asked, said: Sequence[Wish], language: Language) -> Changed | Step | None:
    """Return the change of the line that a message means, or the step that looks for it; None where
    it means none, or may mean several or a todo.
    """
    last = looked.earlier[0] if looked.earlier else Trace()
    notes = references.notes_told(last)
    calls = _calls(looked, said)
    if missing := [one for one in calls if not _made(looked, one)]:
        may = not looked.is_last and all(one[0] in looked.tools for one in missing)
        return Step(calls=tuple(missing)) if may else None
    for wish in said:
        told = notes if len(notes) == 1 else ()
        for note in (*told, *_elsewhere(looked, calls, wish, told, language)):
            held = item_changes.read(looked, note)
            if isinstance(held, Step):
                return held
            found = held and _in_note(looked, held, wish, language, is_told=note in told)
            if found:
                return _unless_todo(looked, found, wish, is_told=note in told)
    return None


def _made(looked: Asked, call: Call) -> bool:
    return any((one.tool, one.arguments) == call for one in looked.results)


def _calls(looked: Asked, said: Sequence[Wish]) -> list[Call]:
    """Return the calls that tell which todos and notes there are, and which lines have the words
    that may name one.
    """
    calls = list(asking.looks(looked))
    words = dict.fromkeys(word for wish in said for word in _words(wish.left))
    if words:
        either = "|".join(map(re.escape, words))
        fields = {"pattern": f"(?i)({either})", "mode": "regex", "limit": LIMIT}
        calls.append(("grep_notes", fields))
    return calls


def _words(text: str) -> list[str]:
    """Return the words of a text that may stand in the name of a line."""
    found = _WORDS.findall(_SMALL.sub(" ", text))
    return [one for one in found if questions.is_asian(one) or note_lines.content(one)]


def _elsewhere(
    looked: Asked, calls: Sequence[Call], wish: Wish, told: Sequence[Thing], language: Language
) -> Iterator[Thing]:
    """Yield the one other note with a line whose whole name a message says, else the one that is
    named itself.
    """
    words = {*_words(wish.left)}
    fits = {
        (Thing("note", row["noteId"], row["title"]), fit)
        for result in looked.of("grep_notes")
        if ("grep_notes", result.arguments) in calls
        for row in result.content.get("results", ())
        for match in row["matches"]
        for line in note_lines.read(match["text"])
        if (fit := _fit(looked, line, wish, language, []))
        if fit.is_whole or _all_in(words, line.text)
    }
    longest = _longest({fit.line: fit for _, fit in fits if fit.is_whole}.values())
    exact = [one for one in fits if one[1] in longest and _all_in(words, one[1].line.label)]
    # what has the same words may be meant as well, unless one is called so
    if len(exact) == 1 and len(longest) == 1:
        fits = {*exact}
    if len(fits) == 1:
        yield from (note for note, fit in fits if fit.is_whole and note not in told)
    elif not fits and wish.said:
        for place in named_notes.find(looked, language):
            if place.note not in told and words and _all_in(words, place.note.title):
                yield place.note


def _longest(fits: Collection[_Fit]) -> list[_Fit]:
    """Return the lines whose whole names are said, but those of which another has all words: the
    choir of “choir committee”.
    """
    return [
        one
        for one in fits
        if not any(
            other is not one
            and _says_whole(other.line.label, one.line.label)
            and not _says_whole(one.line.label, other.line.label)
            for other in fits
        )
    ]


def _all_in(words: set[str], text: str) -> bool:
    return all(
        one in text if questions.is_asian(one) else not note_lines.left_of_title(one, text)
        for one in words
    )


def _in_note(
    looked: Asked, held: Held, wish: Wish, language: Language, *, is_told: bool
) -> Changed | None:
    """Return the change of the one line of a note that a message means."""
    markdown, title = str(held.record["markdown"]), held.thing.title
    lines = [one for one in note_lines.read(markdown) if not one.columns]
    fits = [fit for one in lines if (fit := _fit(looked, one, wish, language, lines))]
    words = {*_words(wish.left)}
    known = [one for one in fits if _all_in(words, f"{one.line.text} {title}")]
    whole = _longest([one for one in known if one.is_whole])
    if len(whole) == 1:
        return _changed(held, whole[0], wish, language, looked, is_sure=True)
    if whole or not wish.said:
        return None
    if not words:
        before = looked.before[-1] if looked.before and is_told else ""
        line = note_lines.said_in(lines, before)[0] or note_lines.with_word_of(lines, before, title)
        known = [one for one in fits if one.line is line]
    if len(known) != 1 or not (is_told or words):
        return None
    # the title alone may mean any of its lines that has such a day or time
    dated = days_times.lines_with(markdown, wish.said, looked.now, language)
    is_sure = len(dated) == 1 or (is_told and _was_asked(looked, known[0].line))
    return _changed(held, known[0], wish, language, looked, is_sure=is_sure)


def _was_asked(looked: Asked, line: Line) -> bool:
    """Return whether the message before named a line."""
    before = note_lines.content(looked.before[-1]) if looked.before else set()
    return bool(before & note_lines.content(line.text))


def _fit(
    looked: Asked, line: Line, wish: Wish, language: Language, lines: Sequence[Line]
) -> _Fit | None:
    """Return how a line would be changed; None where it has not what is changed."""
    is_named = bool(_COLON.search(line.text[: line.start])) and bool(line.label)
    mark = _BULLET.match(line.text)
    start = line.start if is_named else (mark.end() if mark else 0)
    value = line.text[start:]
    if wish.said is None:
        named = _name_fit(looked, value, wish, lines, language) if is_named else None
        if named is None:
            return None
        new, replaced, label = named[0], named[1], line.label
    else:
        moved = days_times.moved(value, wish.said, looked.now, language)
        if moved is None or _is_denied(looked.message, moved, language):
            return None
        new, replaced = moved.text, moved.replaced
        label = line.label if is_named else value[: value.find(replaced[0])]
        label = language_data.line_words(language, "moved").sub(" ", plain_letters(label).lower())
    if line.columns:
        return None
    return _Fit(line, f"{line.text[:start]}{new}", replaced, _says_whole(wish.left, label))


def _says_whole(text: str, label: str) -> bool:
    """Return whether a text has all words of the name of a line."""
    if questions.is_asian(label):
        words = _words(label)
        return bool(words) and all(one in text for one in words)
    bare = Line(label, label.strip(), len(label))
    return bool(note_lines.content(label)) and note_lines.said_in([bare], text)[1]


def _is_denied(message: str, moved: days_times.Moved, language: Language) -> bool:
    """Return whether a message denies what would be new, or anything but what was so before."""
    text = Marked(message).text
    if _former(text, moved.new, language):
        return True
    for place in moved.old:
        former = _former(text, [place], language)
        if not former:
            return True  # of two days nothing tells which one is the new one
        for first, last in former:
            text = f"{text[:first]}{' ' * (last - first)}{text[last:]}"
    now = cells.says_now(language)
    text = now.sub(lambda one: " " * len(one[0]), text)
    return words_of(language).denies.search(text) is not None


def _name_fit(
    looked: Asked, value: str, wish: Wish, lines: Sequence[Line], language: Language
) -> tuple[str, tuple[str, str]] | None:
    """Return what a line says with another name in place of its own, of several of the one that the
    message says, too.
    """
    things = [one for one in line_names.THING.finditer(value) if one[0].strip()]
    rest = fold_text(looked.message)
    said = [one for one in things if note_lines.places(fold_text(one[0].strip())).search(rest)]
    said = [one for one in said if fold_text(one[0].strip()) != fold_text(wish.new)]
    old = things if len(things) == 1 else said
    new = line_names.written(looked, wish.new, lines)
    if len(old) != 1 or not new or not line_names.may_be(old[0][0].strip(), looked.now):
        return None
    if len(dialogue_words.split_list(old[0][0], language)) > 1:
        return None  # of “Bev and Carol” only one may be meant
    held, start = old[0][0].strip(), old[0].start() + len(old[0][0]) - len(old[0][0].lstrip())
    if fold_text(new) in fold_text(value):
        return None
    return f"{value[:start]}{new}{value[start + len(held) :]}", (held, new)


def _changed(
    held: Held, fit: _Fit, wish: Wish, language: Language, looked: Asked, *, is_sure: bool
) -> Changed:
    arguments = {"old": fit.line.text, "new": fit.new}
    arguments |= {"from": fit.replaced[0], "to": fit.replaced[1]}
    if wish.said is None:
        text = fold_text(looked.message)
        is_old = note_lines.places(fold_text(fit.replaced[0])).search(text)
        plain = Marked(looked.message).text
        patterns = (cells.says_now(language), language_data.line_words(language, "moved"))
        is_sure = bool(is_old or any(one.search(plain) for one in patterns))
    return Changed(Route("replace_text", language, arguments, (held.thing,)), is_sure)


def _unless_todo(looked: Asked, found: Changed, wish: Wish, *, is_told: bool) -> Changed | None:
    """Return a change unless a todo may be meant: one that has the words of what is moved. It is
    asked about where the note was just told, or the todo has other words, too: “pottery's been
    moved” where “Pottery” is a line and “Glaze the pottery bowls” to be done.
    """
    words = {*_words(wish.left)}
    todos = [one.title for one in asking.things(looked) if one.kind == "todo"]
    meant = [one for one in todos if words and _all_in(words, one)]
    if not meant:
        return found
    is_line = not any(_all_in({*_words(one)}, wish.left) for one in meant)
    return found._replace(is_sure=False) if is_told or (wish.said and is_line) else None
