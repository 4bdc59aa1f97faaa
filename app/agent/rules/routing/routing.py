"""Which intent a message has.

Ordered patterns, the refusals first, in the language of the message and then in the others.
"""

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from app.agent.quickadd import quickadd
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import IntentPattern, Language, Routing
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import wording
from app.agent.rules.routing.spoken_tasks import SpokenTask
from app.agent.turn.steps import Thing
from app.core.process.caches import keep_short

READ = 600
"""Only so many characters of a message decide what it asks for.

What a note or a todo is to hold goes on to its end.
"""
VERBATIM = frozenset({"message", "ask_agent", "make_note", "remember", "leave"})
"""The intents whose message is never put into plainer words: what is to be kept or sent holds them
to the letter, and a refusal is the surest reading.
"""
OPEN_ENDED = ("content", "whole", "text", "task", "rest")
EXACT = ("day", "by", "step", "title", "tag", "priority", "sum", "did")
"""Arguments that are no name of a thing, and lose no word."""
ACCENTED = "accented"
"""The group of what only counts with an accent."""
LISTED_FLAGS = {
    "today": ("date", "today"),
    "tomorrow": ("date", "tomorrow"),
    "week": ("date", "week"),
    "overdue": ("date", "overdue"),
}
_MARKS = r"[\s.!?,;:。！？、]*"
_HOLDS_QUOTED = re.compile(r"(?:\w+\s+)?[\"“„«「『]([^\"“”„«»「」『』]+)[\"”“»」』](?:\s+\w+)?")


class Route(msgspec.Struct, frozen=True):
    """What a message asks for: the intent, the language to answer in, and what the intent is
    about.

    `things` are those that earlier turns settled; then no words need to be looked for. `said` is
    the message in plain words, where they are others. What `is_loose` is only likely meant. A todo
    that a message as a whole is about is `spoken`.
    """

    intent: str
    language: Language
    arguments: dict[str, str]
    things: tuple[Thing, ...] = ()
    said: str = ""
    is_loose: bool = False
    spoken: SpokenTask | None = None

    def __hash__(self) -> int:
        return hash((self.intent, self.language, self.said, self.is_loose, len(self.arguments)))

    def get(self, name: str) -> str:
        """Return an argument; empty where the message has none."""
        return self.arguments.get(name, "")

    def phrase(self, name: str, *, owner: str = "", **values: object) -> str:
        """Return a fixed sentence in the language to answer in."""
        return phrases.phrase(self.language, name, owner=owner, **values)


@dataclasses.dataclass(eq=False)
class Rule:
    """A pattern that means an intent, with the language of its table.

    Without one of its `hints` in a message it is not even tried. Neither has accents.
    """

    intent: str
    written: str
    language: Language
    hints: tuple[str, ...] = ()
    is_loose: bool = False

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first tried: those of all languages take 0.3 s."""
        return re.compile(plain_letters(self.written), re.IGNORECASE | re.DOTALL)


@keep_short  # each step of a turn begins from the message anew
def route_message(message: str, *, names: tuple[str, ...] = (), before: Language = "") -> Route:
    """Return what a message asks for.

    Whatever fits no pattern is a question to the notes; nothing raises. `names` are those of the
    agent's owner where somebody else asks, `before` the language of the conversation.
    """
    head = _fold_text(message[:READ])
    language = phrases.language_of(message, before=before)
    polite = _around().polite.match(plain_letters(head))
    bare = head[polite.end() :] if polite else head
    rest = message[READ:]
    # “what have i got marked urgent” would be half a German wish
    order = (language,) if phrases.is_surely(message, language) else _order(language)
    rules = (*_rules_of_others(order, names), *_rules(order))
    # First as written: "please" may belong to what is to be said to somebody.
    found = _first_fitting((head, bare), rules, language, rest)
    if found and found.intent in VERBATIM:
        return found
    wordings = [wording.plain_wording(head, table) for table in order]
    plain = [one for one in dict.fromkeys(wordings) if one not in (head, bare)]
    # What is known to be in one language is first put into its words alone.
    if (wordings[0] in plain or phrases.is_known(message, language)) and (
        known := _plainly(plain[: wordings[0] in plain], found, bare, rules, order, rest)
    ):
        return known
    return _plainly(plain, found, bare, rules, order, rest) or Route(
        "ask", language, {"words": trim_name(bare)}, said=wordings[0] if wordings[0] else bare
    )


def _plainly(
    plain: list[str],
    found: Route | None,
    bare: str,
    rules: tuple[Rule, ...],
    order: tuple[Language, ...],
    rest: str,
) -> Route | None:
    """Return what a message asks for in plain words, or as it was `found` to as written; where
    neither says, what it is likely to ask for.
    """
    language = order[0]
    better = _first_fitting(plain, rules, language, rest) if plain else None
    if better is not None:
        return better
    if found is None or found.intent == "cannot":
        loose = _first_fitting(plain or (bare,), _loose_rules(order), language, rest)
        # “Order tiles: done” orders nothing.
        if found is None or (loose and loose.intent == "complete_todo"):
            found = loose
    return found


def _first_fitting(
    texts: Iterable[str], rules: Iterable[Rule], language: Language, rest: str
) -> Route | None:
    """Return what the first of the texts that fits a rule asks for."""
    for text in dict.fromkeys(texts):
        plain = plain_letters(text)
        folded = plain.lower()
        hidden = wording.hide_quoted(plain)
        hinted: dict[tuple[str, ...], bool] = {(): True}
        for rule in rules:
            if rule.hints not in hinted:
                # Substrings cost far less than patterns that cannot fit.
                hinted[rule.hints] = any(hint in folded for hint in rule.hints)
            if not hinted[rule.hints]:
                continue
            if (found := rule.pattern.search(hidden)) and _is_possible(
                found, text, _answer_language(language, rule)
            ):
                # A text to be noted is longer than what decides the intent.
                arguments = {
                    name: _trim_argument(
                        name, text[slice(*found.span(name))], found.end(name) == len(text), rest
                    )
                    for name, value in found.groupdict().items()
                    if value
                }
                return Route(
                    rule.intent,
                    _answer_language(language, rule),
                    _arguments_of_marks(arguments),
                    said=text,
                    is_loose=rule.is_loose,
                )
    return None


def _is_possible(found: re.Match[str], text: str, language: Language) -> bool:
    """Return whether what a rule takes for a day is one, “move it to Home” is no date, and whether
    what would be another word without its accents has them, as “pagué” and “pague”.
    """
    for name, value in found.groupdict().items():
        if value and name == ACCENTED and text[slice(*found.span(name))] == value:
            return False
        kind = name.rstrip("0123456789") if value else ""
        if kind == "folder":
            # “… a las seis” is no folder.
            lead = text[: found.start(name)].split()[-2:]
            if any(_says_a_day(" ".join([*lead[at:], value]), language) for at in (0, 1)):
                return False
        if kind == "day" and not _says_a_day(value, language):
            return False
    return True


def _says_a_day(text: str, language: Language) -> bool:
    # Any moment does, but “Thursday the 10th” is a day in some months only.
    months = range(1, 13) if re.search(r"\d\.?$", text) else (1,)
    return any(_is_a_day(text, language, datetime(2026, one, 1, 12, tzinfo=UTC)) for one in months)


def _is_a_day(text: str, language: Language, moment: datetime) -> bool:
    read = quickadd.read_line(f"x {text.rstrip(' .!?')}", now=moment, locale=language)
    title = read.title.replace(read.no_such_day, "")
    return bool(read.no_such_day or read.due) and title.strip(" .,!?") == "x"


@functools.cache
def _rules(order: tuple[Language, ...]) -> tuple[Rule, ...]:
    """Return every rule that a message can meet which may be in those languages."""
    return tuple(rule for table in order for rule in rules_of(table))


def _order(language: Language) -> tuple[Language, ...]:
    """Return the languages whose rules a message in that language can meet: its own first.

    A message with letters of an alphabet may be in any language that has one.
    """
    alphabetic = phrases.alphabetic_languages()
    others = alphabetic if language in alphabetic else (phrases.DEFAULT,)
    return tuple(dict.fromkeys((language, *others)))


@functools.lru_cache(maxsize=64)
def _rules_of_others(order: tuple[Language, ...], names: tuple[str, ...]) -> tuple[Rule, ...]:
    """Return the rules by which others ask about the owner of those names.

    None where it is the owner who asks.
    """
    if not names:
        return ()
    return tuple(
        Rule("free", pattern, table) for table in order for pattern in others_patterns(table, names)
    )


def others_patterns(language: Language, names: tuple[str, ...]) -> Iterator[str]:
    """Yield how others ask in a language whether the owner has time: by “you”, “she” or name."""
    table = language_data.load_table(language, Routing)
    # Else the first name would match and leave the surname standing.
    longest_first = sorted(names, key=len, reverse=True)
    name = f"(?:{_titles()})?(?:{'|'.join(map(re.escape, longest_first))})"
    pronouns = table.others.pronouns
    who = f"(?:{name}|{pronouns})" if pronouns else name
    for pattern in table.others.patterns:
        yield language_data.expand_macros(pattern, {**table.macros, "name": name, "who": who})


@functools.cache
def _titles() -> str:
    return language_data.any_of(Routing, lambda one: one.others.titles)


@functools.cache
def rules_of(language: Language) -> tuple[Rule, ...]:
    """Return the rules of one language.

    First those of what concerns others, which say outright what they are and what is not wanted
    of them; those of the calendar stand where what is asked begins, after what is refused, said
    or written.
    """
    table = language_data.load_table(language, Routing)
    place = [row.intent for row in table.general].index("day")
    own = (*table.general[:place], *table.calendar, *table.general[place:])

    def rule(row: IntentPattern, hints: tuple[str, ...] = ()) -> Rule:
        pattern = language_data.expand_macros(row.pattern, table.macros)
        return Rule(row.intent, pattern, language, hints)

    hints = tuple(map(plain_letters, table.hints))
    return (*(rule(row, hints) for row in table.network), *map(rule, own))


@functools.cache
def _loose_rules(order: tuple[Language, ...]) -> tuple[Rule, ...]:
    """Return the rules that are tried when no other fits."""
    return tuple(rule for table in order for rule in loose_rules_of(table))


@functools.cache
def loose_rules_of(language: Language) -> tuple[Rule, ...]:
    """Return the rules of one language that are tried when no other fits."""
    table = language_data.load_table(language, Routing)
    return tuple(
        Rule(
            row.intent,
            language_data.expand_macros(row.pattern, table.macros),
            language,
            is_loose=True,
        )
        for row in table.loose
    )


def _answer_language(language: Language, rule: Rule) -> Language:
    # English is also what is assumed when nothing speaks for a language; then the rule knows
    # better.
    return rule.language if language == "en" else language


def _fold_text(text: str) -> str:
    return " ".join(
        text.replace("’", "'").replace("\u00a0", " ").replace("\u202f", " ").split(" ")
    ).strip()


def _trim_argument(name: str, value: str, at_end: bool, rest: str) -> str:
    """Return an argument without the marks and words around it.

    What a note is to hold is kept as it is, to the message's end.
    """
    if name.rstrip("0123456789") in OPEN_ENDED:
        return wording.unquoted((value + rest if at_end else value).strip())
    if name.rstrip("0123456789") in EXACT:
        return wording.unquoted(without_courtesy(value))
    return trim_name(value)


class _Around(NamedTuple):
    """What stands around what is asked for and around a name, in any language."""

    polite: re.Pattern[str]
    trailing: re.Pattern[str]
    article: re.Pattern[str]
    kind: re.Pattern[str]
    joined: re.Pattern[str]


@functools.cache
def _around() -> _Around:
    tables = language_data.of_all(Routing)
    polite, polite_end, article, before_name, after_name, joined = (
        language_data.either(getattr(table, field) for table in tables)
        for field in ("polite", "polite_end", "article", "before_name", "after_name", "joined_name")
    )
    patterns = (
        f"(?:{polite})+",
        rf"{_MARKS}(?:,?\s*(?<!\w)(?:{polite_end}))*{_MARKS}$",
        rf"^(?:{article})\s+(?=\S)",
        rf"^(?:{before_name})\s+(?=\S)|\s+(?:{after_name})$",
        rf"(?:(?<=\w{{3}})|(?<=[\u3040-\u9fff]))(?:{joined})$",
    )
    return _Around(*(re.compile(plain_letters(one), re.IGNORECASE) for one in patterns))


def begins_politely(text: str) -> bool:
    """Return whether a text begins as a polite request does: “could you …”."""
    return _around().polite.match(plain_letters(text).lstrip(" ¿")) is not None


def without_courtesy(text: str) -> str:
    """Return a text without what ends it only out of courtesy, or by the way: “please”."""
    return _cut(_around().trailing, text.strip())


def trim_name(value: str) -> str:
    """Return a name without quotation marks, article and the word for what it is."""
    around = _around()
    text = without_courtesy(value)
    if (quoted := _HOLDS_QUOTED.fullmatch(text)) is not None:
        text = quoted[1]  # “"Call mum" then”
    before = None
    # Until nothing changes: “the note "the list"” has several layers.
    while before != text:
        before, text = text, _cut(around.kind, wording.unquoted(text)).strip()
        text = _cut(around.joined, _cut(around.article, text, plain=True)).strip()
    return text


def _cut(pattern: re.Pattern[str], text: str, *, plain: bool = False) -> str:
    """Return a text without what a pattern fits, or only where `plain`: not of “thé” the “the”."""
    letters = plain_letters(text)
    for found in reversed(list(pattern.finditer(letters))):
        if not plain or text[found.start() : found.end()] == found[0]:
            text = text[: found.start()] + text[found.end() :]
    return text


def _arguments_of_marks(arguments: dict[str, str]) -> dict[str, str]:
    """Turn the groups that are only marks, such as `today`, into arguments.

    A number at the end of a group's name is left out.
    """
    named: dict[str, str] = {}
    for name, value in arguments.items():
        key = name.rstrip("0123456789")
        if key in LISTED_FLAGS:
            named.setdefault(*LISTED_FLAGS[key])
        elif value:
            named.setdefault(key, value)
    return named
