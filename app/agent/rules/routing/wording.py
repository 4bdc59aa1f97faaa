"""A wish in plain words: without greetings and courtesy, and in the form that patterns expect."""

import functools
import re
from typing import NamedTuple

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.wording_tables import Wording
from app.agent.rules.phrases import phrases

LONGEST = 300
"""What is longer is a text to keep, and stays as it is."""
_SPACE = r"[\s,;:.!–—，、。！：；～~-]"
_MARKS = " \t,;:.!?–—-，、。！？：；～~"

QUOTES = "\"'“”„‘’‚«»「」『』"
_QUOTE = re.compile(rf"(?<!\w)[{QUOTES}]|[{QUOTES}](?!\w)")
"""A quotation mark, and no apostrophe within a word."""
_PAIR = re.compile(r"[\"“„«»「『]([^\"“”„«»「」『』\n]+)[\"”“»«」』]")


class _Rules(NamedTuple):
    before: re.Pattern[str]
    after: re.Pattern[str]
    words: re.Pattern[str]
    spellings: dict[str, str]
    rewrites: tuple[tuple[re.Pattern[str], str], ...]
    verbs: tuple[tuple[re.Pattern[str], str], ...]
    begins: re.Pattern[str]
    """How what is a wish already begins, or what is none."""


# Asked six times a turn of the same message: keeping it takes a tenth off a turn's CPU time.
@functools.lru_cache(maxsize=64)
def plain_wording(text: str, language: Language) -> str:
    """Return a message in the plain words of a language; as it is where there is no other form."""
    if not language_data.has_table(language, Wording) or len(text) > LONGEST or "\n" in text:
        return text
    rules = _rules(language)
    found = _rewritten(_spelled(text, rules), rules)
    first = _with_verb_first(found, rules)
    return found if first == found else _rewritten(first, rules)


def spelled(text: str, language: Language) -> str:
    """Return a message with the usual spellings of words that people type otherwise."""
    known = language_data.has_table(language, Wording) and len(text) <= LONGEST
    return _spelled(text, _rules(language)) if known else text


def as_written(text: str, message: str, language: Language) -> str:
    """Return a text that was taken from a message in its usual spellings as it stands there: in a
    title “fürs Konzert” stays what it is.
    """
    known = language_data.has_table(language, Wording) and len(message) <= LONGEST
    if not known or not text or text in message:
        return text
    rules = _rules(language)
    usual, places, last = "", list[tuple[int, int]](), 0
    for found in rules.words.finditer(plain_letters(message)):
        usual += message[last : found.start()] + (word := rules.spellings[found[0].lower()])
        places += [(at, at + 1) for at in range(last, found.start())] + [found.span()] * len(word)
        last = found.end()
    usual += message[last:]
    places += [(at, at + 1) for at in range(last, len(message))]
    at = usual.find(text)
    return message[places[at][0] : places[at + len(text) - 1][1]] if at >= 0 else text


def with_opening(text: str, language: Language) -> str:
    """Return a message that begins a duty in short, or with words that say nothing, in the form
    that patterns expect: “gotta call Ben”, “muss noch zur Bank”.
    """
    if len(text) > LONGEST or re.search(r"[?？]\s*$", text):
        return text
    for pattern, becomes in _openings(language):
        if place := pattern.search(plain_letters(text)):
            text = rewritten_at(text, place, becomes)
    return text


def unquoted(text: str) -> str:
    """Return a text without the quotation marks around all of it."""
    inner = text[1:-1].strip()
    ends = text[:1], text[-1:]
    quoted = len(text) > 2 and (ends == ("'", "'") or all(one in QUOTES for one in ends))
    return inner if quoted and inner and not _QUOTE.search(inner) else text


def hide_quoted(text: str) -> str:
    """Return a text with what stands in quotation marks as one word each, as long as it was: “to”
    and “:” in a title are no part of the wish. One that is quoted whole stays.
    """
    return _PAIR.sub(
        lambda found: (
            found[0] if found[0] == text else f"{found[0][0]}{'x' * len(found[1])}{found[0][-1]}"
        ),
        text,
    )


def says_no_duty(text: str, language: Language) -> bool:
    """Return whether a message has the words of a duty and is none: “I must say …”."""
    return _no_duty(language).search(plain_letters(text)) is not None


@functools.cache
def _openings(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    if not language_data.has_table(language, Wording):
        return ()
    table = language_data.load_table(language, Wording)
    return tuple((_compiled(one.pattern, table), one.becomes) for one in table.openings)


@functools.cache
def _no_duty(language: Language) -> re.Pattern[str]:
    table = language_data.load_table(language, Wording)
    return _compiled(table.no_duty or "(?!)", table)


def _compiled(pattern: Pieces, table: Wording) -> re.Pattern[str]:
    text = plain_letters(language_data.expand_macros(pattern, table.macros))
    return re.compile(text, re.IGNORECASE)


def _rewritten(found: str, rules: _Rules) -> str:
    """Return a message without what says nothing, and with other ways of saying replaced."""
    # Until nothing changes: greetings, courtesy and fillers stand one before the other.
    before = None
    while found != before:
        before = found
        while (bare := _without(rules.after, _without(rules.before, found))) != found:
            found = bare
        for pattern, becomes in rules.rewrites:
            if place := pattern.search(plain_letters(found)):
                found = rewritten_at(found, place, becomes)
    return found


def _spelled(text: str, rules: _Rules) -> str:
    for place in reversed(list(rules.words.finditer(plain_letters(text)))):
        word = rules.spellings[place[0].lower()]
        text = text[: place.start()] + word + text[place.end() :]
    return text


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without what a pattern fits of it, unless nothing else is said."""
    place = pattern.search(plain_letters(text))
    if place is None:
        return text
    left = f"{text[: place.start()]} {text[place.end() :]}".strip()
    # “I've paid it, right?” stays a question.
    asks = "?" if re.search(r"[?？]\W*$", place[0]) else ""
    return f"{left}{asks}" if left.strip(_MARKS) else text


def rewritten_at(text: str, place: re.Match[str], becomes: str) -> str:
    """Return a text with the place in its other form; groups are as they were written."""
    said = becomes
    for name in place.groupdict():
        start, end = place.span(name)
        said = said.replace(f"{{{name}}}", text[start:end] if start >= 0 else "")
    return " ".join(f"{text[: place.start()]}{said}{text[place.end() :]}".split())


def _with_verb_first(text: str, rules: _Rules) -> str:
    """Return a wish that ends in an infinitive with its verb in front."""
    plain = plain_letters(text)
    if rules.begins.match(plain):
        return text
    for pattern, form in rules.verbs:
        if place := pattern.match(plain):
            rest = text[slice(*place.span("rest"))].strip(" ,")
            tail = text[slice(*place.span("tail"))] if place["tail"] else ""
            if rest:
                return f"{form.replace('…', rest)}{tail}"
    return text


@functools.cache
def _rules(language: Language) -> _Rules:
    table = language_data.load_table(language, Wording)

    compiled = functools.partial(_compiled, table=table)

    before, after = (
        language_data.expand_macros(one, table.macros) or "(?!)"
        for one in (table.before, table.after)
    )
    # No space parts words where none are written.
    gap = f"{_SPACE}+" if language in phrases.alphabetic_languages() else f"{_SPACE}*"
    heads = {re.escape(form.split(" ")[0].removesuffix("e")) for form in table.verbs.values()}
    begun = "|".join(sorted(heads - {"…"})) or "(?!)"
    no_wish = language_data.join_pattern(table.no_wish)
    words = "|".join(map(re.escape, sorted(table.spellings, key=len, reverse=True))) or "(?!)"
    # The longest first: “umbenennen” before “nennen”.
    verbs = sorted(table.verbs.items(), key=lambda row: -len(row[0]))
    return _Rules(
        compiled(rf"^{_SPACE}*(?:{before})(?:{gap}|$)"),
        compiled(rf"(?:^|{gap})(?:{after})(?:{_SPACE}|[?？])*$"),
        compiled(
            rf"(?<![\w'-])(?:{words})(?![\w'-])"
            if language in phrases.alphabetic_languages()
            else words
        ),
        {plain_letters(name).lower(): word for name, word in table.spellings.items()},
        tuple((compiled(one.pattern), one.becomes) for one in table.rewrites),
        tuple(
            (compiled(rf"^(?P<rest>[^:?]*?)\b{verb}(?P<tail>\s*[,:].*)?[\s.!?]*$"), form)
            for verb, form in verbs
        ),
        compiled(rf"(?:{no_wish}|(?:{begun})e?)\b"),
    )
