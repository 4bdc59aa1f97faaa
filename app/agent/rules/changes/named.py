"""What a wish to change something names: the user's todos, notes, folders and contacts."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.agent.rules.changes import days
from app.agent.rules.changes.marked import Marked, Words
from app.agent.rules.dialogue import dialogue_words, references, resolve_reference
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.plain_tables import PlainWords
from app.agent.rules.mentions import mentions, parts
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import stem
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Thing, ThingKind

NAME = "n"
_PARTICLES = "をにのがはへでと的把给"
_NEXT = re.compile(rf"[{_PARTICLES}]?([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")
"""The next letter of a name, with a particle before it."""
_QUOTED = re.compile(r"[“„«「『][^“”„«»「」『』]+[”“»」』]")


class Named(NamedTuple):
    """What is named somewhere in a message: one thing, or several of which one may be meant."""

    things: tuple[Thing, ...]
    start: int
    end: int

    @property
    def words(self) -> str:
        """The names of what may be meant."""
        return ", ".join(one.title for one in self.things)


def find(
    asked: Asked,
    marked: Marked,
    things: Sequence[Thing],
    kinds: Sequence[ThingKind],
    language: Language,
    but: tuple[int, int] = (0, 0),
    *,
    first: bool = False,
) -> list[Named]:
    """Return where free places name things of these kinds, or point at one, the surest first;
    those in `but` only where no others do. With `first`, what stands first: the other may be part
    of a text.
    """
    row = [
        part
        for part in parts.split(marked.message)
        if marked.marks[part.start] == " " and not part.slot
    ]
    mine = [one for one in things if one.kind in kinds]
    find_names = mentions.named_unspaced if questions.is_asian(marked.message) else mentions.named
    outside = [part for part in row if part.end <= but[0] or but[1] <= part.start]
    places = [
        _widest(marked, Named(_fitting(marked, one, end, part.things, mine), one, end))
        for part in find_names(outside, mine, kinds[0]) or find_names(row, mine, kinds[0])
        for one, end in [part[:2]]
        if set(marked.marks[one:end]) == {" "}
    ]
    if places and questions.is_asian(marked.message):
        # “Saturday” names no note “Saturday course”.
        spans = days.find(marked.message, asked, language)
        places = [
            one
            for one in places
            if not any(start <= one.start and one.end <= end for start, end in spans)
        ]
    said = [one for one in places if one.end <= but[0] or but[1] <= one.start]
    pointed = _pointed(asked, row, kinds, language) if first or not said else []
    if said and pointed and pointed[0].start < min(one.start for one in said):
        return pointed
    return said or pointed or places


def _widest(marked: Marked, one: Named) -> Named:
    """Return a name that several have as that of the one whose next letters follow: “テスト作り”
    of “テストを作る” and “テストの採点”.
    """
    if len(one.things) < 2:
        return _widened(marked, one)
    wide = [_widened(marked, one._replace(things=(thing,))) for thing in one.things]
    end = max(each.end for each in wide)
    best = [each for each in wide if each.end == end]
    return best[0] if len(best) == 1 else one


def settled(intent: str, language: Language, named: Named, **arguments: str) -> Route:
    """Return a change of the one thing that is named; of several it will be asked which."""
    if len(named.things) == 1:
        return Route(intent, language, arguments, named.things)
    return Route(intent, language, {**arguments, "target": named.words})


def _widened(marked: Marked, one: Named) -> Named:
    """Return a name with the letters of the title after it that its particles part from it:
    “図面送る” of “図面を送る”.
    """
    if len(one.things) != 1 or not questions.is_asian(one.things[0].title):
        return one
    title = plain_letters(one.things[0].title).lower()
    at = title.find(marked.text[one.start : one.end]) + one.end - one.start
    end = one.end
    while found := _NEXT.match(marked.text, end):
        where = title.find(found[1], at)
        if where < 0 or title[at:where].strip(_PARTICLES):
            break
        at, end = where + 1, found.end()
    return one._replace(end=end) if set(marked.marks[one.end : end]) <= {" "} else one


def _fitting(
    marked: Marked, start: int, end: int, best: tuple[Thing, ...], things: Sequence[Thing]
) -> tuple[Thing, ...]:
    """Return all things that fit what was said of one: several leave it open which is meant, where
    nothing else in a text without spaces tells them apart.
    """
    rows, said = [{"title": one.title, "thing": one} for one in things], marked.message[start:end]
    every = tuple(row["thing"] for row in resolve_reference.fitting_rows(said, rows, strictly=True))
    if not set(best) <= set(every):
        return best
    apart = questions.is_asian(said) and mentions.told_apart(marked.text, start, end, every)
    return apart or every


def _pointed(
    asked: Asked, row: Sequence[parts.Part], kinds: Sequence[ThingKind], language: Language
) -> list[Named]:
    it = frozenset(language_data.load_table(language, PlainWords).it.split())
    slot = "note" if tuple(kinds) == ("todo", "note") else kinds[0]
    found = mentions.pointed(asked, row, slot, it, language)
    return [Named(one.things, one.start, one.end) for one in found if one.things]


def beside(marked: Marked, one: Named, shape: str, words: Words) -> bool:
    """Mark a name with the words around it that say what it is to the wish; return whether they
    are there.
    """
    name = re.escape(marked.text[one.start : one.end])
    edges = (r"(?<!\w)", r"(?!\w)") if words.spaced else ("", "")
    pattern = re.compile(f"{edges[0]}(?:{shape.replace('{name}', name)}){edges[1]}")
    found = next(
        (fit for fit in pattern.finditer(marked.text) if fit.start() <= one.start < fit.end()), None
    )
    if found is not None and _is_quoted_in_part(marked, found):
        return False
    return found is not None and marked.mark([found.span()], NAME)


def has_word(message: str, one: Named) -> bool:
    """Return whether a name is told by a word of it, and not by “it” or “the second one”."""
    said = {part.word for part in parts.split(message[one.start : one.end])}
    held = {part.word for thing in one.things for part in parts.split(thing.title)}
    return bool({stem(word) for word in said} & {stem(word) for word in held})


def _is_quoted_in_part(marked: Marked, fit: re.Match[str]) -> bool:
    """Return whether a name is only part of a text in quotation marks: “add 「buy the list's ink」”
    names no list.
    """
    quotes = (one.span() for one in _QUOTED.finditer(marked.text))
    return any(start <= fit.start() and fit.end() < end - 1 for start, end in quotes)


def folder_there(asked: Asked, marked: Marked, language: Language) -> Thing | None:
    """Return the folder that was spoken of last, where the message says “there”."""
    there = dialogue_words.tables(language)[0].there
    folder = references.last_folder(asked)
    found = dialogue_words.find_in(there, marked.text) if folder else None
    if found is None or not marked.mark([found.span()], NAME):
        return None
    return folder
