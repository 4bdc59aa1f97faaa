"""How a message says that something is written into the description of a todo, or asks for it."""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import dialogue_words
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import Changes
from app.agent.rules.languages.description_tables import DescriptionWords
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import split_words
from app.agent.rules.routing import routing

OUTRIGHT = frozenset({"described", "todo"})
"""How a message says outright that a todo is meant: by its description, or by the word."""
_QUOTED = re.compile(r"[\"“„«「『]\s*([^\"“”„«»「」『』]+?)\s*[\"”“»」』]")
_STOPS = " .!。！"
_EDGES = " \t\n,，、;；:：–-"


class Said(NamedTuple):
    """A text that a message writes, the name of what it is for, and how it says that; no text
    where it asks.
    """

    how: str
    name: str
    text: str
    asks: bool = False


class _Shape(NamedTuple):
    how: str
    pattern: re.Pattern[str]


def read(message: str, language: Language) -> list[Said]:
    """Return the ways in which a message may write into a description or ask for it, the surest
    first.
    """
    if not language_data.has_table(language, DescriptionWords):
        return []
    marked = Marked(message)
    begins = routing.begins_politely(message) or words_of(language).courtesy.match(marked.text)
    is_question = message.rstrip().endswith(("?", "？"))
    found: list[tuple[Said, re.Match[str]]] = []
    for shape in _shapes(language):
        if (fit := shape.pattern.fullmatch(marked.text)) is None:
            continue
        name = _name(message, fit, language)
        asks = "text" not in fit.groupdict()
        if name is None or (is_question and not asks and not begins):
            continue
        text = "" if asks else _text(message, fit, language, is_question=is_question)
        if text or asks:
            found.append((Said(shape.how, name, text, asks), fit))
    named = [fit for one, fit in found if one.name and one.how == "described"]
    kept = [
        one
        for one, fit in found
        if not _is_open(marked.text, fit, language)
        # “of the dentist” is no text where it may name the todo
        and (one.name or not any(_goes_on(fit, of) for of in named))
    ]
    return list(dict.fromkeys(kept))


def _goes_on(plain: re.Match[str], named: re.Match[str]) -> bool:
    """Return whether a description that is named is that without a name and more."""
    if "place" not in plain.groupdict():
        return False
    start, end = plain.span("place")
    return named.start("place") == start and named.end("place") > end


def is_denied(message: str, language: Language) -> bool:
    """Return whether a message says that something is not to be written into a description."""
    if not language_data.has_table(language, DescriptionWords) or not words_of(language).spaced:
        return False
    text = Marked(message).text
    return any(
        fit is not None and said.start() <= min(fit.start("place"), fit.start("text"))
        for said in _negates(language).finditer(text)
        for shape in _shapes(language)
        if shape.how in OUTRIGHT and "text" in shape.pattern.groupindex
        for fit in [shape.pattern.fullmatch(f"{text[: said.start()]}{text[said.end() :].lstrip()}")]
    )


def writes_all(message: str, language: Language, *, before: bool = False) -> bool:
    """Return whether all that follows the description, or the todo, that a message names outright
    is what it writes there: “note on the dentist task: bring the card and the x-rays”; or all that
    stands `before`: “he needs the card, put that in the description”.
    """
    if not language_data.has_table(language, DescriptionWords):
        return False
    text = Marked(message).text
    fits = (one.pattern.fullmatch(text) for one in _shapes(language) if one.how in OUTRIGHT)
    return any(
        one is not None
        and "text" in one.groupdict()
        and (one.end("place") <= one.start("text")) is not before
        for one in fits
    )


@functools.cache
def todo(language: Language) -> re.Pattern[str]:
    """Return the words for a todo or its description."""
    table = language_data.load_table(language, DescriptionWords)
    return _compiled(table.todo, table, language)


def _name(message: str, fit: re.Match[str], language: Language) -> str | None:
    """Return the name of a todo without the words for one; None for a name that is no name."""
    if not fit.groupdict().get("name"):
        return ""
    name = message[slice(*fit.span("name"))].strip(f'{_EDGES}"“”„«»「」『』')
    words = todo(language)
    plain = Marked(name).text
    for cut in words.finditer(plain):
        if cut.end() == len(plain):
            name = name[: cut.start()].rstrip(f"{_EDGES}の的")
        elif cut.start() == 0:
            name = name[cut.end() :].lstrip(_EDGES)
    if dialogue_words.whole(language, "it", name):
        return ""
    is_no_name = dialogue_words.is_list_word(name) or set(split_words(name)) <= questions.little()
    is_of_note = words_of(language).note.search(Marked(name).text)  # “the dentist note”
    return None if not name or is_no_name or is_of_note else name


def _text(message: str, fit: re.Match[str], language: Language, *, is_question: bool) -> str:
    """Return the text that is written, as it was typed; empty where it only points at one."""
    text = message[slice(*fit.span("text"))].strip(_EDGES)
    lead, mark, last = text.rpartition(",")
    if mark and not routing.without_courtesy(f"x {last}").strip("x ,.!"):
        text = lead.strip(_EDGES)  # “…, please”
    text = text.rstrip("?？ ") if is_question else text
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1]
    table = language_data.load_table(language, DescriptionWords)
    if _compiled(table.no_text, table, language).fullmatch(Marked(text).text.rstrip(_STOPS)):
        return ""
    return text


def _is_open(text: str, fit: re.Match[str], language: Language) -> bool:
    """Return whether what stands around the text and the name says that nothing is to be written,
    or only maybe, or that somebody else wishes it.
    """
    around = "".join(
        " " if any(fit.start(name) <= at < fit.end(name) for name in fit.groupdict()) else letter
        for at, letter in enumerate(text)
    )
    name = fit.groupdict().get("name") or ""
    first = fit.groupdict().get("text") or ""
    # a name or text that stands first may have what says no: “不要在牙医的备注里写…”
    lead = name if name and text.startswith(name) else ""
    lead = first if first and text.startswith(first) and questions.is_asian(first) else lead
    pattern = _open(language)
    is_denied = words_of(language).spaced and pattern.search(name)  # “the dentist not to eat”
    return bool(is_denied or pattern.search(around) or pattern.match(lead))


@functools.cache
def _negates(language: Language) -> re.Pattern[str]:
    return language_data.whole_words(language_data.load_table(language, Changes).negates, language)


@functools.cache
def _open(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Changes)
    parts = (table.negates, table.perhaps, table.relayed, table.depends, table.asks_others)
    return language_data.whole_words(language_data.either(parts), language)


@functools.cache
def _shapes(language: Language) -> tuple[_Shape, ...]:
    """Return the ways in which a language writes into a description or asks for it."""
    table = language_data.load_table(language, DescriptionWords)
    rows: Sequence[tuple[str, Sequence[Pieces], Sequence[Pieces]]] = (
        ("described", table.fields, table.asked),
        ("pointed", ("",), table.says),
        ("described", table.fields, table.into),
        ("todo", table.todos, table.onto),
        ("pointed", ("",), table.pointed),
        ("named", table.names, table.beside),
        ("more", ("",), table.more),
    )
    return tuple(
        _Shape(how, _compiled(shape, table, language, place))
        for how, places, shapes in rows
        for shape, place in _pairs(places, shapes)
    )


def _pairs(places: Sequence[Pieces], shapes: Sequence[Pieces]) -> Iterator[tuple[Pieces, Pieces]]:
    for place in places:
        for shape in shapes:
            yield shape, place


def _compiled(
    shape: Pieces, table: DescriptionWords, language: Language, place: Pieces = ""
) -> re.Pattern[str]:
    said, link = language_data.join_pattern(place), language_data.join_pattern(table.link)
    has_name = "{name}" in said
    # “of the dentist” is no text
    bare = "(?!{of})" if "of" in table.macros else ""
    macros = {
        **table.macros,
        "place": f"(?P<place>{said})",
        # what stands between a name and the text tells where the name ends
        "link": link if has_name else f"(?:{link}|\\s{bare})",
        "name": "(?P<name>\\S.*?)",
        "text": "(?P<text>\\S.*?)",
        "text_long": "(?P<text>\\S.*)",
    }
    pattern = plain_letters(language_data.expand_macros(shape, macros))
    if "{text}" not in language_data.join_pattern(shape):
        pattern = rf"(?:{pattern})[\s?？.!。！]*"
    return re.compile(pattern, re.DOTALL)
