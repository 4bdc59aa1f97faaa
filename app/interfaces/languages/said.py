"""What operations say in English sentences of their own, in the language of whoever reads.

`en/said.toml` holds these sentences as they are made, `refused.toml` those of what is
refused, with holes for what changes, and each other language what they are there. A hole `{said}`
is itself such a sentence or a list of them, `{field}` the name of a field, which `field.toml` has
in words, `{n}` and the like are numbers, any other holds what somebody wrote and stays. What is
not found, such as the words of a person or a model, stays as it is.
"""

import functools
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from app.interfaces.languages.words import DEFAULT, Words, words_of

PARTS = ("said.", "refused.")
LONGEST = 2_000
DEEPEST = 8
HOLE = re.compile(r"\{(\w+)\}")
WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z“\d])")
HOLES = {
    "n": r"\d+",
    "day": r"\d+",
    "year": r"\d{4}",
    "date": r"[\d-]+",
    "time": r"[\d:–]+",
    "title": r"[^\u201c\u201d]+",
    "field": r"[\w.\[\]-]+",
}
"""What stands in a hole of this name; in any other, whatever there is."""
JOINTS = (", and ", " and ", ", ", "; ", "\n")


class Pattern(NamedTuple):
    """A sentence as a pattern, by the name of the words that it has in each language.

    `needs` is the longest piece of it that is always there, and `word` the longest word: looking
    for them takes a tenth of the time of the pattern, and most sentences of people hold none.
    """

    name: str
    word: str
    needs: str
    found: re.Pattern[str]


def said_by(words: Words) -> Callable[[str], str]:
    """Return what gives sentences of operations in the language of these words."""
    return functools.partial(said, words)


def said(words: Words, text: object) -> str:
    """Return a text of an operation in the language of these words."""
    english = str(text or "")
    if words.language == DEFAULT or len(english) > LONGEST:
        return english
    return _kept(words.language, english)


def said_lines(words: Words, text: str) -> str:
    """Return a message of the heartbeat, line by line, each of which may be in a list."""
    lines = (("- ", line[2:]) if line.startswith("- ") else ("", line) for line in text.split("\n"))
    return "\n".join(sign + said(words, line) for sign, line in lines)


# 40 microseconds a sentence, and the same few are said on every page.
@functools.lru_cache(maxsize=4096)
def _kept(language: str, text: str) -> str:
    words = words_of(language)
    if (whole := _translated(words, text)) is not None:
        return whole
    # sentence by sentence, so that one that is not known leaves the others be
    return " ".join(_translated(words, each) or each for each in SENTENCE.split(text))


def _translated(words: Words, text: str, depth: int = 0) -> str | None:
    """Return a sentence, or a list of phrases, in another language; None for what is unknown."""
    if depth > DEEPEST or not text:
        return None
    for pattern in _likely(text):
        if (
            pattern.needs in text
            and (match := pattern.found.fullmatch(text))
            and (filled := _filled(words, pattern.name, match.groupdict(), depth))
        ):
            return filled
    if text[0].isupper() and (small := _translated(words, text[0].lower() + text[1:], depth + 1)):
        return small[0].upper() + small[1:]
    if text.endswith(".") and (bare := _translated(words, text[:-1], depth + 1)):
        return f"{bare}."
    return _listed(words, text, depth)


def _filled(words: Words, name: str, holes: Mapping[str, str], depth: int) -> str | None:
    values: dict[str, object] = {}
    for hole, value in holes.items():
        filled: str | None = value
        if hole.startswith("said"):
            filled = _translated(words, value, depth + 1)
        elif hole == "field":
            filled = _field(words, value)
        if filled is None:
            return None
        values[hole] = int(value) if hole == "n" else filled
    return words(name, **values)


def _field(words: Words, name: str) -> str:
    """Return what a field of the API, such as dueDate, is called on the pages."""
    known = f"field.{name.replace('.', '_')}"
    return words(known) if words.has(known) else name


def _listed(words: Words, text: str, depth: int) -> str | None:
    """Return a list of phrases; None unless each of them is known."""
    for joint in JOINTS:
        first, found, rest = text.partition(joint)
        if not found:
            continue
        parts = [_translated(words, part, depth + 1) for part in (first, rest)]
        if all(parts):
            comma = words("said.and") if "and" in joint else joint
            return f"{parts[0]}{comma}{parts[1]}"
    return None


@functools.cache
def _patterns() -> list[Pattern]:
    """Return the sentences, those with the most words of their own first, and of two that are alike
    the one that tells more of what it holds.
    """
    english = words_of(DEFAULT)
    found: list[tuple[int, int, Pattern]] = []
    for name, sentence in english.of_parts(*PARTS):
        forms = sentence.values() if isinstance(sentence, Mapping) else (sentence,)
        found += [
            (
                -len(HOLE.sub("", form)),
                -form.count("{said"),
                Pattern(name, _word(form), _needs(form), _pattern(form)),
            )
            for form in forms
        ]
    return [pattern for *_, pattern in sorted(found, key=lambda each: each[:2])]


def _likely(text: str) -> list[Pattern]:
    """Return the patterns whose word is in a text: of hundreds, a few."""
    known = _by_word()
    found = [each for word in {"", *WORD.findall(text)} for each in known.get(word, ())]
    return [pattern for _, pattern in sorted(found, key=lambda each: each[0])]


@functools.cache
def _by_word() -> dict[str, list[tuple[int, Pattern]]]:
    """Return the patterns, with their places, by the longest word that each always has."""
    found: dict[str, list[tuple[int, Pattern]]] = {}
    for place, pattern in enumerate(_patterns()):
        found.setdefault(pattern.word, []).append((place, pattern))
    return found


def _word(form: str) -> str:
    """Return the longest whole word of a sentence; none that goes on in a hole."""
    ends = {at for hole in HOLE.finditer(form) for at in hole.span()}
    inside = {at for hole in HOLE.finditer(form) for at in range(*hole.span())}
    words = [
        word[0]
        for word in WORD.finditer(form)
        if not ({word.start(), word.end()} & ends or word.start() in inside)
    ]
    return max(words, key=len, default="")


def _needs(form: str) -> str:
    return max(re.split(r"\{\w+\}|[“”]", form), key=len)


def _pattern(form: str) -> re.Pattern[str]:
    pieces, at = [], 0
    for hole in HOLE.finditer(form):
        pieces.append(re.escape(form[at : hole.start()]))
        pieces.append(f"(?P<{hole[1]}>{HOLES.get(hole[1], '.+')})")
        at = hole.end()
    whole = "".join(pieces) + re.escape(form[at:])
    # the titles of actions quote with plain marks, so that no title can end its quote
    return re.compile(whole.replace("“", "[“']").replace("”", "[”']"))
