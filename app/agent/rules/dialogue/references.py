"""Which things a message means by “it”, “both”, “the second one” or “the milk one”."""

import functools
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.dialogue import closed_classes, dialogue_words, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.passages import questions
from app.agent.turn.steps import Asked, Thing, ThingKind, Trace

MAKES = frozenset({"add_todo", "make_note"})
"""The intents of which each makes one thing more."""
NUMBERS = frozenset({"deux", "dos"})
"""What means two, and both only with an article."""
NOTES: tuple[ThingKind, ...] = ("note",)
LAST_QUOTED = 2
"""So many notes that a turn quoted, or showed as near, may be meant after it."""
RECENT = 4
"""In so many turns is spoken of what was made or changed."""


class Reference(NamedTuple):
    """What words refer to: the things, or with `unsure` those of which one may be meant.

    Nothing at all where there is nothing that they could mean.
    """

    things: tuple[Thing, ...] = ()
    unsure: tuple[Thing, ...] = ()


def refer(
    asked: Asked, words: str, kinds: Collection[ThingKind], language: Language
) -> Reference | None:
    """Return what words refer to in the turns before; None where they refer to none of them."""
    newest = next((left for left in (_of(one, kinds) for one in asked.earlier) if left), ())
    shown = rows(asked, kinds)
    if dialogue_words.whole(language, "it", words):
        return _single(newest)
    if dialogue_words.whole(language, "other", words):
        # What was done to some of a list, or only asked about, leaves the others.
        done = {one for turn in asked.earlier if turn.undo for one in turn.about}
        question = asked.earlier[0].asks if asked.earlier else None
        if question and len(question.choices) == 1:
            done.update(question.choices)
        rest = tuple(one for one in shown if one not in done)
        several = dialogue_words.tables(language)[0].others
        said = f"{words} {other_in(asked.message, language)}"
        is_one = several and not dialogue_words.find_in(several, dialogue_words.bare(said))
        return _single(rest) if is_one else Reference(rest)
    if dialogue_words.whole(language, "both", words):
        # “buy candles”, “buy tea”, “move both to tomorrow”
        last = recent(asked, kinds)[:2] if len(newest) == 1 and asked.earlier[0].undo else ()
        two = (found for trace in asked.earlier if len(found := _of(trace, kinds)) == 2)
        return Reference(last if len(last) == 2 else next(two, ()))
    if dialogue_words.whole(language, "every", words):
        return Reference(newest)
    if (number := dialogue_words.ordinal(language, words)) is not None and shown:
        return Reference((), shown) if _was_lost(asked.earlier[0]) else pick(shown, number)
    return _by_words(words, newest, language)


def rows(asked: Asked, kinds: Collection[ThingKind]) -> tuple[Thing, ...]:
    """Return what a number may be of: what was made one by one since, or what the newest turn with
    several listed, made or asked about.
    """
    made: list[Thing] = []
    one_row: tuple[Thing, ...] = ()
    for trace in asked.earlier:
        listed = _kept(trace.shown, kinds)
        listed = listed if listed or not trace.about else _kept(trace.about, kinds)
        if len(listed) > 1:
            return tuple(made) if len(made) > 1 else listed
        one_row = one_row or _kept(trace.shown, kinds)
        if trace.undo and trace.intent in MAKES:
            made[:0] = [one for one in listed if one not in made]
    return tuple(made) if len(made) > 1 else one_row


def recent(asked: Asked, kinds: Collection[ThingKind]) -> tuple[Thing, ...]:
    """Return what the last turns made or changed, the newest first."""
    turns = (one for one in asked.earlier[:RECENT] if one.undo)
    return tuple(dict.fromkeys(thing for one in turns for thing in _kept(one.about, kinds)))


def is_gone(asked: Asked, thing: Thing) -> bool:
    """Return whether the turn that changed a thing last has put it into the trash."""
    turn = next((one for one in asked.earlier if one.undo and thing in one.about), Trace())
    return any(tool == "restore_from_trash" for tool, _ in turn.undo)


def other_in(message: str, language: Language) -> str:
    """Return the words of a message that mean another thing than was spoken of: “the other one”."""
    table = dialogue_words.tables(language)[0]
    other = language_data.join_pattern(table.other)
    text = " ".join(message.lower().replace("’", "'").split())
    if questions.is_asian(text):
        said = re.search(other, text)
        return said[0] if said else ""
    found = re.search(rf"(?<!\w)(?:{other})(?!\w)", text)
    # “Ändere” has the letters of “andere”, but no article before it.
    return found[0] if found and re.search(r"\w[ ']\w", found[0]) else ""


def both_in(message: str, language: Language) -> str:
    """Return the words of a message that mean two things together: “both”, and not a number."""
    table = dialogue_words.tables(language)[0]
    both = language_data.join_pattern(table.both)
    found = re.search(rf"(?<!\w)(?:{both})(?!\w)", dialogue_words.bare(message))
    return found[0] if found and found[0] not in NUMBERS else ""


def says_all(message: str, language: Language) -> bool:
    """Return whether a message speaks of all that there is."""
    table = dialogue_words.tables(language)[0]
    every = language_data.join_pattern(table.all_of.get(0, "(?!)"))
    pattern = f"{closed_classes.BEGIN}(?:{every}){closed_classes.END}"
    return re.search(pattern, dialogue_words.bare(message)) is not None


def _was_lost(before: Trace) -> bool:
    """Return whether a turn found nothing, after which the list may no longer be the one meant."""
    return before.intent == "ask" and not (before.about or before.shown or before.asks)


def newest(asked: Asked, kinds: Collection[ThingKind]) -> Reference:
    """Return what the newest turn that was about something was about."""
    return _single(next((left for left in (_of(one, kinds) for one in asked.earlier) if left), ()))


def some_of(last: Trace, message: str) -> tuple[Thing, ...]:
    """Return those of several that a turn changed which a message names: “no, the bike is not
    done”; nothing where it names none, or all.
    """
    if len(last.about) < 2 or len(last.about) != len(last.undo):
        return ()
    said = set(resolve_reference.word_stems(message))
    named = [one for one in last.about if said & set(resolve_reference.word_stems(one.title))]
    return tuple(named) if len(named) < len(last.about) else ()


def last_person(asked: Asked) -> str:
    """Return the name of who was spoken of last; empty where nobody was."""
    people = (
        who
        for turn in asked.earlier
        for who in (
            *(one.title for one in turn.about if one.kind == "person"),
            *filter(None, [turn.arguments.get("who") if turn.intent == "message" else ""]),
        )
    )
    return next(people, "")


def notes_told(turn: Trace, most: int = 1) -> tuple[Thing, ...]:
    """Return the notes that a turn was about, else so many of the nearest to what was asked; none
    that it has put into the trash.
    """
    gone = {fields.get("id") for tool, fields in turn.undo if tool == "restore_from_trash"}
    nearest = turn.shown[:most] if turn.intent in ("ask", "find_notes", "tell_view") else ()
    kinds: tuple[ThingKind, ...] = ("note",)
    told = _kept(turn.about, kinds) or _kept(nearest, kinds)
    return tuple(one for one in told if one.id not in gone)


def is_one_of_several(asked: Asked, note: Thing) -> bool:
    """Return whether the turn before quoted several notes, of which a message that names none may
    mean another.
    """
    told = _kept(asked.earlier[0].about, NOTES) if asked.earlier else ()
    return note in told and len({*told}) > 1


def quoted_last(asked: Asked, *, other: bool = True) -> tuple[int, ...]:
    """Return the notes that the newest turn which was about any was about, or showed as near; the
    other one of those that were shown before, where the message means that.
    """
    if other and (meant := other_note(asked)):
        return meant
    turns = (notes_told(turn, LAST_QUOTED) for turn in asked.earlier)
    return tuple(one.id for one in next(filter(None, turns), ()))[:LAST_QUOTED]


def quoted_just_before(asked: Asked) -> tuple[int, ...]:
    """Return the notes that the very turn before was about."""
    return quoted_last(msgspec.structs.replace(asked, earlier=asked.earlier[:1]))


def other_note(asked: Asked) -> tuple[int, ...]:
    """Return the one note of those shown before that a message means by “the other one”."""
    language = asked.earlier[0].language if asked.earlier else ""
    if not language or not other_in(asked.message, language):
        return ()
    spoken_of = quoted_last(asked, other=False)
    shown = [one.id for one in rows(asked, NOTES) if one.id not in spoken_of]
    return tuple(shown) if len(shown) == 1 else ()


def person_in(text: str, language: Language) -> str:
    """Return the word of a text that means who was spoken of: “her”; empty where none does."""
    found = _person(language).search(dialogue_words.bare(text))
    return found[0] if found else ""


@functools.cache
def _person(language: Language) -> re.Pattern[str]:
    return language_data.whole_words(dialogue_words.tables(language)[0].person, language)


def last_folder(asked: Asked) -> Thing | None:
    """Return the folder that was spoken of last."""
    return next((one for turn in asked.earlier for one in turn.about if one.kind == "folder"), None)


def points_there(name: str, language: Language) -> bool:
    """Return whether a folder is only named by “there”."""
    there = (table.there for table in dialogue_words.tables(language))
    return points(name, language) or any(dialogue_words.fits(one, name) for one in there)


def choose(choices: Sequence[Thing], words: str, language: Language) -> Reference | None:
    """Return which of the choices an answer means; None where it answers nothing."""
    if dialogue_words.whole(language, "both", words):
        return Reference(tuple(choices)) if len(choices) == 2 else Reference((), tuple(choices))
    if dialogue_words.whole(language, "every", words):
        return Reference(tuple(choices))
    if (number := dialogue_words.ordinal(language, words)) is not None:
        return pick(choices, number)
    if len(choices) == 1 and dialogue_words.whole(language, "yes", words):
        return Reference(tuple(choices))
    return _by_words(words, choices, language)


def points(words: str, language: Language) -> bool:
    """Return whether words only point at something: “it”, “that”."""
    return dialogue_words.whole(language, "it", words) is not None


def pick(things: Sequence[Thing], number: int) -> Reference:
    """Return the one of that number, -1 for the last; nothing where there are not so many."""
    if number == -1:
        return Reference(tuple(things[-1:]))
    return Reference(tuple(things[number - 1 : number])) if number else Reference()


def _single(things: tuple[Thing, ...]) -> Reference:
    return Reference(things) if len(things) == 1 else Reference((), things)


def _by_words(words: str, things: Sequence[Thing], language: Language) -> Reference | None:
    """Return the ones whose names hold all the words, by “the milk one” or by the words alone."""
    if not things:
        return None
    found = dialogue_words.whole(language, "the_one", words)
    for wanted in dict.fromkeys(filter(None, (found and found["words"], words))):
        rows = [{"title": one.title, "thing": one} for one in things]
        fitting = tuple(row["thing"] for row in resolve_reference.fitting_rows(wanted, rows))
        if fitting:
            return Reference(fitting) if len(fitting) == 1 else Reference((), fitting)
    return None


def _of(trace: Trace, kinds: Collection[ThingKind]) -> tuple[Thing, ...]:
    """Return what a turn was about, or else what it listed, or asked about."""
    asked_about = trace.asks.choices if trace.asks else ()
    return _kept(trace.about, kinds) or _kept(trace.shown, kinds) or _kept(asked_about, kinds)


def _kept(things: Sequence[Thing], kinds: Collection[ThingKind]) -> tuple[Thing, ...]:
    return tuple(one for one in things if one.kind in kinds)
