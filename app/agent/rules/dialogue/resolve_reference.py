"""Which one is meant: the notes, todos and folders that fit the words somebody used for one."""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.rules.dialogue import reports
from app.agent.rules.languages import language_data
from app.agent.rules.languages.dialogue_tables import Dialogue
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.languages.question_tables import Questions
from app.agent.rules.passages import questions
from app.agent.rules.passages.sentences import are_alike, fold_text, split_words, stem
from app.agent.rules.phrases import phrases
from app.agent.turn.steps import Thing
from app.workspace.index import name_text

SHOWN = 8
_LINKS = ("", "s", "es", "n", "en", "-")
_SPELLED_OUT = re.compile("([aou])e")
"""An umlaut of those who have none to type."""
MISTYPED = 6
"""The least letters of a word of which one may be wrong."""
SHORTEST_PART = 3
"""The least letters of the beginning of a compound that is asked for."""
SHORTEST = 3
SEARCHED = 5
"""So many words are searched for one by one."""
LONG, BEGINNING = 8, 6
COMPOUND = 5
"""The least letters of a word that begins or ends another, as in “Stromrechnung”."""
ENDING = 2
"""The most letters of the ending of a verb."""
REST = 4
"""The least letters of what such a word is put together with: not an ending."""


def name_query(target: str) -> str:
    """Return the words to search for a note by its name."""
    return " ".join(questions.read_question(target).terms) or target[:1000]


def word_stems(target: str) -> list[str]:
    """Return the beginnings of the words that matter, as they stand in all their forms."""
    return [stem(term) for term in questions.read_question(target).terms]


def fitting_rows(
    target: str, rows: Sequence[Mapping[str, Any]], *, strictly: bool = False
) -> list[Mapping[str, Any]]:
    """Return the rows with that very title, else those with all its words in the title.

    Then first those that hold them as they are, and `strictly` no others.
    """
    exact = [row for row in rows if fold_text(row["title"]).strip() == fold_text(target).strip()]
    if exact or questions.little().issuperset(re.findall(r"\w+", fold_text(target))):
        return exact  # “to” is in many a title
    # “Zahnarzttermin” means “Termin beim Zahnarzt” sooner than “Zahnarzt anrufen”.
    surely = [row for row in rows if _named(target, row["title"], strictly=True)]
    return surely if surely or strictly else [row for row in rows if _named(target, row["title"])]


def find_folder(name: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the folder of that name; None when there is none, or several only nearly so called."""
    # The last part of a path names the folder.
    name = name.strip("/ ").rpartition("/")[2] or name
    exact = [row for row in rows if fold_text(row["name"]).strip() == fold_text(name).strip()]
    near = exact or [row for row in rows if _named(name, row["name"])]
    # Several of the very same name are in different places; the first is as good as any.
    return near[0] if exact or len(near) == 1 else None


def words_said(title: str, message: str) -> int:
    """Return how many words of a title a message has, in whatever form."""
    return len(set(word_stems(title)) & set(word_stems(message)))


def near_rows(target: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows that share most words with a name, also those within longer ones: nothing to
    act on, but to ask for.
    """
    wanted = word_stems(target)
    shares = [(sum(_is_held(one, row["title"], ends=True) for one in wanted), row) for row in rows]
    most = max((share for share, _ in shares), default=0)
    if most * 2 < len(wanted) or not most:
        return []
    return [row for share, row in shares if share == most]


def mistyped_rows(target: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows that have each word of a name, or a long one with one letter wrong: nothing
    to act on, but to ask for.
    """
    wanted = [fold_text(one) for one in questions.read_question(target).terms]
    if not any(len(one) >= MISTYPED for one in wanted):
        return []
    held = [(split_words(row["title"]), row) for row in rows]
    return [
        row
        for words, row in held
        if all(any(one == word or _is_mistyped(one, word) for word in words) for one in wanted)
    ]


def _is_mistyped(said: str, word: str) -> bool:
    """Return whether a long word is another with one letter wrong, or two that changed places."""
    is_long = min(len(said), len(word)) >= MISTYPED and said.isalpha()
    return is_long and name_text.edit_distance(said, word, 1) is not None


def likest(old: Sequence[Thing], choices: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the one of several that shares most words with what was meant before; else nothing."""
    before = {one for thing in old for one in word_stems(thing.title)}
    shares = [(len(before & set(word_stems(one.title))), one) for one in choices]
    most = max((share for share, _ in shares), default=0)
    best = tuple(one for share, one in shares if share == most)
    return best if most and len(best) == 1 else ()


def search_stems(target: str) -> tuple[str, ...]:
    """Return the stems to search for one by one; a single one also as what may stand for it."""
    # The beginning of a long word is in titles that hold its parts.
    stems = [one[:BEGINNING] if len(one) > LONG else one for one in word_stems(target)[:SEARCHED]]
    return tuple(dict.fromkeys([*stems, *same(stems[0])] if len(stems) == 1 else stems))


def _named(target: str, title: str, *, strictly: bool = False) -> bool:
    """Return whether a title holds all the words, each whole and in whatever form."""
    terms = questions.read_question(target).terms
    words = split_words(title)
    named = bool(terms) and all(
        _is_made_of(one, words)
        or (_is_said(one, words) if strictly else _is_held(stem(one), title))
        for one in terms
    )
    return named or (questions.is_asian(target) and reports.holds_unspaced(title, target))


def _is_said(word: str, words: Sequence[str]) -> bool:
    """Return whether words hold one as it is, at the beginning of a compound, or as another that
    means the same.
    """
    forms = {stem(word), *same(stem(word))}
    joins = _joins_words(" ".join(words))
    return any(
        stem(one) in forms
        or (
            joins
            and one.startswith(word)
            and len(word) >= COMPOUND
            and len(one) - len(word) >= REST
        )
        for one in words
    )


def ends_compound(name: str, title: str) -> bool:
    """Return whether a name is one word at the end of a compound of a title: “Kranz” of
    “Adventkranz”.
    """
    words = split_words(name)
    is_long = len(words) == 1 and len(words[0]) >= COMPOUND and _joins_words(title)
    return is_long and any(
        one.endswith(words[0]) and len(one) - len(words[0]) >= REST for one in split_words(title)
    )


def compound_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return those whose name has a joined word that ends so: “Reifen” of “Winterreifen”."""
    return [row for row in rows if ends_compound(name, str(row["title"]))]


def short_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the one for whose name another is short, where no spaces part words: 取爸妈的药 of
    取药, 修阳台的灯 of 阳台灯, but no 买牛肉和酸奶 of 牛奶.
    """
    short = fold_text(name).strip()
    if not questions.is_asian(short) or len(short) < 2:
        return []
    cuts = [(short[:at], short[at:]) for at in range(1, len(short))]
    found = [row for row in rows if any(_joins(*cut, fold_text(str(row["title"]))) for cut in cuts)]
    return found if len(found) == 1 else []


def _joins(first: str, last: str, title: str) -> bool:
    """Return whether a title has two parts of a name one after the other: both longer than a
    letter, with a particle alone between them, or the first at its beginning and the last at its
    end.
    """
    between = ".*" if min(len(first), len(last)) > 1 else "[的の]"
    parts = re.escape(first), re.escape(last)
    return bool(re.search(between.join(parts), title) or re.fullmatch(".*".join(parts), title))


def is_within(name: str, title: str) -> bool:
    """Return whether the letters of a name stand in a title in their order: “准备演示” in
    “准备项目演示”.
    """
    letters = iter(fold_text(title))
    return all(one in letters for one in fold_text(name).strip())


def begins_compound(name: str, title: str) -> bool:
    """Return whether a name is one word at the beginning of a compound of a title, “Gas” of
    “Gasrechnung”: nothing to act on, but to ask for.
    """
    words = split_words(name)
    is_long = len(words) == 1 and len(words[0]) >= SHORTEST_PART and _joins_words(title)
    return is_long and any(
        one.startswith(words[0]) and len(one) - len(words[0]) >= REST for one in split_words(title)
    )


def _joins_words(title: str) -> bool:
    """Return whether a title may be in a language that joins words: French “passe” is no passport,
    though “passeport” begins so.
    """
    language = phrases.language_of(title)
    table = language_data.load_table(language, Questions)
    return table.capital_nouns or language == phrases.DEFAULT


def _is_made_of(word: str, parts: Sequence[str]) -> bool:
    """Return whether a word is two of others put together: “Zahnarzttermin” of “Termin beim
    Zahnarzt”, “Ölwechsel” of “Öl wechseln”.
    """
    return any(
        _is_form(word.removeprefix(first), last)
        for first in parts
        for last in parts
        if first != last and len(last) >= SHORTEST and len(first) > 1 and word.startswith(first)
    )


def _is_form(rest: str, last: str) -> bool:
    """Return whether the rest of a compound is a word, or a verb without its ending."""
    is_verb = len(rest) >= REST and last.startswith(rest) and len(last) - len(rest) <= ENDING
    return is_verb or rest in (f"{link}{last}" for link in _LINKS)


def _is_held(wanted: str, title: str, *, ends: bool = False) -> bool:
    """Return whether a title holds a word in some form, or as the end of one if that counts."""
    held = {stem(word) for word in split_words(title)}
    forms = (wanted, *same(wanted))
    return any(
        are_alike(one, other) or (ends and len(one) >= COMPOUND and other.endswith(one))
        for other in held
        for one in forms
    )


@functools.cache
def same(one: str) -> tuple[str, ...]:
    """Return the stems that mean the same: “bought” is of “buy”, “buecher” of “Bücher”, and
    “Inventarliste” of “Inventar”.
    """
    plain = _SPELLED_OUT.sub(r"\1", one)
    alike = {other for group in _groups() if one in group for other in group}
    if found := _list_of().fullmatch(plain_letters(one).lower()):
        alike.add(stem(found[1]))
    return tuple(sorted({*alike, plain} - {one}))


@functools.cache
def _list_of() -> re.Pattern[str]:
    """Return the words that are put together with one for a list, in the languages that do so."""
    tables = language_data.of_all(Dialogue)
    words = "|".join(language_data.join_pattern(one.list_end) for one in tables)
    return re.compile(rf"(\w{{{REST},}}?)s?-?(?:{words})")


@functools.cache
def _groups() -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset(stem(word) for word in split_words(line))
        for table in language_data.of_all(Dialogue)
        for line in table.same
    )
