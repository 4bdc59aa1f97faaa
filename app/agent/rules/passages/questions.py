"""Reading a question: the words that matter in it, and what kind of thing answers it."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Pieces
from app.agent.rules.languages.question_tables import Kind, Questions
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.phrases.phrases import language_of
from app.core.process.caches import keep_short

MOST_TERMS = 12
_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u309f]+")
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-ZÀ-Ý][^\W\d_]+")
_OWNER = re.compile(r"\b([^\W\d_]{2,})['’]s\b")
EXACT: frozenset[Kind] = frozenset(
    {"email", "phone", "price", "weight", "age", "often", "forbidden"}
)
"""The kinds that only a text answers which holds such a thing."""
COUNTED: frozenset[Kind] = frozenset({"number", "price", "weight", "duration"})
"""The kinds that a number answers, be it a sum or a cell of a table."""
_KNOWN_BY: Mapping[Kind, str] = {
    "email": r"[^\s@]+@[^\s@]+\.\w",
    "phone": r"(?<![\w.,-])\+?\(?\d(?:[ ()/.-]*\d){5,}(?![\w])",
    "price": r"[€$£¥] ?\d|\d ?(?:[€$£¥]|euros?\b|eur\b|usd\b|dollars?\b|pounds\b|chf\b)",
    "weight": r"\d ?(?:kg|g|lbs?|oz)\b",
    "when": r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\.(?:\s|\d)|\b\d{1,2}/\d{1,2}\b",
    "number": r"\d",
    "who": r"(?<![.!?]\s)(?<!^)\b[A-ZÄÖÜÉÀÇÑ][\w'’-]+",
}
"""What things are known by in every language."""


class Question(NamedTuple):
    """A question: its terms as they were written and as stems, the kind of answer wanted, what
    must stand in it, the names it asks about, whether it is of who asks, whether it points back,
    what in it is written with a capital, be it a name or not, and whether it says no more than
    what kind of thing is wanted: “from where?”
    """

    terms: tuple[str, ...]
    stems: tuple[str, ...]
    kind: Kind | None
    focus: frozenset[str]
    names: frozenset[str]
    own: bool = False
    points_back: bool = False
    capitals: frozenset[str] = frozenset()
    is_bare: bool = False


@functools.cache
def little() -> frozenset[str]:
    """Return the words that say nothing of what is asked about."""
    return frozenset(
        fold_text(" ".join(one.little for one in language_data.of_all(Questions))).split()
    )


@functools.cache
def general() -> frozenset[str]:
    """Return the stems of words that name a thing only roughly."""
    texts = (one.general for one in language_data.of_all(Questions))
    return frozenset(stem(word) for word in split_words(" ".join(texts)))


@keep_short  # asked of the same words 13 times a step
def read_question(message: str) -> Question:
    """Return what matters in a question; every message is one."""
    text = fold_text(message[:1000])
    kind = next((kind for kind, pattern in _asks().items() if pattern.search(text)), None)
    terms = tuple(dict.fromkeys(_terms(text, kind)))[:MOST_TERMS]
    # What stands between “what is the” and “of” must be in the answer.
    asked_for = _asked_for().search(text)
    return Question(
        terms,
        tuple(stem(term) for term in terms),
        kind,
        _focus(asked_for) if kind not in EXACT else frozenset(),
        _names(message[:1000]) | owners(text) | _of_what(text, asked_for),
        is_own(text),
        _pronoun().search(text) is not None,
        _capitals(message[:1000]),
        not any(map(says_something, _kept(text, kind))),
    )


def is_own(text: str) -> bool:
    """Return whether a text is of who wrote it: “my”, “I”."""
    return _own().search(fold_text(text)) is not None


def points_back(text: str) -> bool:
    """Return whether a sentence begins with a word for what was named before: “his”, “it”."""
    return _pronoun().match(fold_text(text)) is not None


def is_open(text: str) -> bool:
    """Return whether a sentence only says what is not known yet, as a question does."""
    return text.rstrip("*_ ").endswith(("?", "？")) or _open().search(fold_text(text)) is not None


@functools.cache
def alternatives(one: str) -> tuple[str, ...]:
    """Return a stem and those that may stand for it: of like words, and of participles."""
    found = {one, *(other for group in _groups("alike") if one in group for other in group)}
    # “Gekauft” is of “kaufen”.
    if len(one) >= 4 and one.isalpha() and not is_asian(one):
        found.add(one[2:] if one.startswith("ge") and len(one) >= 7 else f"ge{one}")
    return tuple(sorted(found, key=lambda other: (other != one, other)))


def kin(one: str) -> frozenset[str]:
    """Return the stems that have to do with one, “wear” with “clothes”."""
    return frozenset(other for group in _groups("kin") if one in group for other in group)


@functools.cache
def _groups(field: Literal["alike", "kin"]) -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset(stem(word) for word in split_words(line))
        for one in language_data.of_all(Questions)
        for line in getattr(one, field)
    )


def _of_what(text: str, asked_for: re.Match[str] | None) -> frozenset[str]:
    """Return the stem of what the thing asked for is of: “the password of the office”."""
    rest = split_words(text[asked_for.end() :]) if asked_for else []
    words = [word for word in rest if word not in little() and len(word) > 1]
    return frozenset(stem(word) for word in words[-1:] if not _ASIAN.search(word))


def owners(text: str) -> frozenset[str]:
    """Return the stems of whose thing a text names, as “Sam's”."""
    return frozenset(stem(word) for word in _OWNER.findall(fold_text(text)) if word not in little())


def _names(message: str) -> frozenset[str]:
    """Return the stems of what is written like a name; none where nouns are too, as in German."""
    if language_data.load_table(language_of(message), Questions).capital_nouns:
        return frozenset()
    return _capitals(message)


def _capitals(message: str) -> frozenset[str]:
    return frozenset(
        stem(word)
        for found in _CAPITAL.finditer(message)
        for word in split_words(found[0])
        if word not in little() and len(word) > 1
    )


def _focus(found: re.Match[str] | None) -> frozenset[str]:
    wanted = (
        [stem(word) for word in split_words(found[1]) if word not in little()][-1:] if found else []
    )
    return frozenset(word for word in wanted if word not in general())


def without_filler(text: str) -> str:
    """Return a text in a script without spaces without the words that say nothing in it."""
    return _filler().sub(" ", text)


def _terms(text: str, kind: Kind | None) -> list[str]:
    # “What is it?” has only little words, and yet something must be searched for.
    return _kept(text, kind) or [word for word in _words(text) if len(word) > 1]


def _kept(text: str, kind: Kind | None) -> list[str]:
    """Return the words of a question that say something of what is asked about."""
    return [
        word
        for word in _words(text)
        if word not in little()
        and (len(word) > 1 or word.isdecimal() or _ASIAN.match(word))
        and not (kind and word in _naming()[kind])
    ]


def _words(text: str) -> list[str]:
    return split_words(without_filler(text) if _ASIAN.search(text) else text)


def says_something(word: str) -> bool:
    """Return whether a word is more than an ending or a particle, where no spaces part them."""
    return not _KANA.fullmatch(word)


def is_asian(message: str) -> bool:
    """Return whether a message is written without spaces."""
    return bool(_ASIAN.search(message))


def holds_kind(kind: Kind | None, text: str) -> bool:
    """Return whether a text holds a thing of the kind that a question wants, if it wants one."""
    if kind is None:
        return True
    # a name is known by its capitals
    return _answers()[kind].search(text if kind == "who" else fold_text(text)) is not None


@functools.cache
def _asks() -> Mapping[Kind, re.Pattern[str]]:
    tables = language_data.of_all(Questions)
    return {
        kind: re.compile(language_data.either(one.asks.get(kind, "") for one in tables))
        for kind in get_args(Kind)
    }


@functools.cache
def _answers() -> Mapping[Kind, re.Pattern[str]]:
    tables = language_data.of_all(Questions)
    return {
        kind: re.compile(
            language_data.either(
                [_KNOWN_BY.get(kind, ""), *(one.answers.get(kind, "") for one in tables)]
            )
        )
        for kind in get_args(Kind)
    }


@functools.cache
def _naming() -> Mapping[Kind, frozenset[str]]:
    tables = language_data.of_all(Questions)
    return {
        kind: frozenset(split_words(" ".join(one.naming.get(kind, "") for one in tables)))
        for kind in get_args(Kind)
    }


@functools.cache
def _pronoun() -> re.Pattern[str]:
    return _whole_words(lambda one: one.pronouns)


@functools.cache
def _own() -> re.Pattern[str]:
    return _whole_words(lambda one: one.own)


def _whole_words(pick: Callable[[Questions], Pieces]) -> re.Pattern[str]:
    """Return a pattern for words of any language; where no spaces part them, anywhere."""
    words = language_data.any_of(Questions, pick)
    return re.compile(rf"\b(?:{words})\b|(?:{'|'.join(filter(is_asian, words.split('|')))})")


@functools.cache
def _open() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Questions, lambda one: one.open))


@functools.cache
def _asked_for() -> re.Pattern[str]:
    """Return the pattern whose group is the thing asked for, as in “what is the … of”."""
    focuses = [one.focus for one in language_data.of_all(Questions)]
    asks, article, of = (
        language_data.either(getattr(one, field) for one in focuses)
        for field in ("asks", "article", "of")
    )
    return re.compile(rf"\b(?:{asks})\s+(?:(?:{article}) )?((?:[\w-]+ ){{0,2}}?[\w-]+) (?:{of})\b")


@functools.cache
def _filler() -> re.Pattern[str]:
    return re.compile(language_data.any_of(Questions, lambda one: one.filler))
