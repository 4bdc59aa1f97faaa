"""Clauses that only tell why, how somebody feels or how things are, beside what is wished."""

import functools
import re
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import msgspec

from app.agent.rules.changes import days, readings, texts
from app.agent.rules.changes.marked import Marked, Words, words_of
from app.agent.rules.dialogue import dialogue_words, references, repairs, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language, Pieces
from app.agent.rules.languages.plain_letters import plain_letters
from app.agent.rules.phrases import phrases
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked
from app.core.process.caches import keep_latest

Understand = Callable[[Asked, Language], Route]
NO_WISH = frozenset(
    "ask cannot leave mean help greet thanks nothing_asked bye one_at_a_time".split()
)
"""What is no sure wish."""
WRITES = frozenset({"add_todo", "append_note", "add_step", "make_folder", "tick_item"})
"""The wishes of which what tells something may be the text."""
DATED = frozenset({"change_todo", "add_todo"})
"""The wishes that a day belongs to."""
NO_TEXT = frozenset({"change_todo", "delete", "pin_note"})
"""The changes that need no turn before where they name their thing."""
NAMES = frozenset({"rename", "change_note", "rename_folder"})
"""The changes that give a new name."""
HARMLESS: frozenset[ChangeKind] = frozenset({"reschedule", "message", "move"})
"""The kinds of change whose words tell about a thing, too."""
MOST = 8
"""So many clauses has a message at most that is looked through."""
_TEXT = re.compile('["“«「]|:(?!\\d)|：')
_AFTER_QUESTION = re.compile(r"(?<=\?)\s+")
_LINK = re.compile(r"\W*q(?:ue)?\W*")
_DIGIT = re.compile(r"\d")


class Kind(IntEnum):
    """How surely a clause is beside the wish."""

    WISH = 0
    STATES = 1
    """It states something of whatever it names."""
    TELLS = 2
    """It tells something of somebody, or of what was spoken of."""
    SAYS_WHY = 3
    """It begins with a word for a reason, or says nothing but what somebody feels."""


class _Words(NamedTuple):
    """The patterns by which a language tells clauses from wishes, compiled."""

    reason: re.Pattern[str]
    reason_within: re.Pattern[str]
    teller: re.Pattern[str]
    feeling: re.Pattern[str]
    of_me: re.Pattern[str]


class Clause(NamedTuple):
    """A clause: from where to where it stands, and where what parts it from the next ends."""

    start: int
    end: int
    after: int
    kind: Kind = Kind.WISH


def without(asked: Asked, language: Language, understand: Understand) -> Asked:
    """Return what is asked without the clauses that only tell something beside its wish: “delete
    the optician, they called it off”; as it is where what is left is no sure wish, and where no
    spaces part words.
    """
    message = _without(msgspec.structs.replace(asked, results=()), language, understand)
    return asked if message == asked.message else msgspec.structs.replace(asked, message=message)


@keep_latest  # each step of a turn begins from the message anew
def _without(asked: Asked, language: Language, understand: Understand) -> str:
    message = asked.message
    if language not in phrases.alphabetic_languages() or len(message) > readings.LONGEST:
        return message
    if "\n" in message.strip() or _TEXT.search(message):
        return message
    clauses = _clauses(asked, language)
    if not 1 < len(clauses) <= MOST:
        return message
    judged = _judged(asked, clauses, language)
    for least in sorted({one.kind for one in judged} - {Kind.WISH}):
        kept = [one for one in judged if one.kind < least]
        told = [one for one in judged if one.kind >= least]
        text = _joined(message, kept) if kept else ""
        part = msgspec.structs.replace(asked, message=text)
        if kept and _is_all(part, understand(part, language), asked, kept, told, language):
            return text
    return message


def shorter(asked: Asked, route: Route) -> Route | None:
    """Return a change with the part of its text that it is surely about: “call it Apiary, sounds
    posher”; None where that is all.
    """
    language = route.get("written") or route.language
    if route.intent in NAMES:
        field, text = "title", texts.first_clause(route.get("title"), asked.message)
        text = text if text == route.get(field) else routing.without_courtesy(text)
    elif route.intent == "append_note" and language_data.has_table(language, Changes):
        field, text = "text", _without_told(asked, route.get("text"), language)
    else:
        return None
    if text == route.get(field):
        return None
    return msgspec.structs.replace(route, arguments={**route.arguments, field: text})


def _without_told(asked: Asked, text: str, language: Language) -> str:
    """Return a text to write down without the clauses at its end that only tell why: “eggs and
    flour, she wants pancakes”.
    """
    part = msgspec.structs.replace(asked, message=text, results=())
    clauses = _clauses(part, language)
    if len(clauses) < 2 or _TEXT.search(asked.message):
        return text
    judged = _judged(part, clauses, language)
    kept = [one for one in judged if one.kind < Kind.TELLS]
    return _joined(text, kept) if kept and kept == judged[: len(kept)] else text


def _is_all(
    part: Asked,
    route: Route,
    asked: Asked,
    kept: list[Clause],
    told: list[Clause],
    language: Language,
) -> bool:
    """Return whether what is kept of a message is its wish, and nothing of that is lost."""
    is_yes = dialogue_words.whole(language, "yes", part.message) is not None
    is_little = not is_yes and slots.only_little(part.message, language)
    if route.intent in routing.VERBATIM or is_little:
        return False  # “No, it was the other one” is all about what follows.
    least = min(one.kind for one in told)
    if least is Kind.SAYS_WHY:
        return True
    question = asked.earlier[0].asks if asked.earlier else None
    if question and question.lacks == "thing":
        return False  # whose answer may be anything
    leads = any(one.start < kept[0].start for one in told if one.kind < Kind.SAYS_WHY)
    is_text = least is Kind.STATES and route.intent in WRITES
    unsure = route.is_loose or route.intent in NO_WISH or is_text
    text = " , ".join(asked.message[one.start : one.end] for one in told)
    if route.intent == "undo" and asked.earlier and references.some_of(asked.earlier[0], text):
        return False  # “no, the bike is not done”
    changes = _changes_of(part, language)
    dated = changes[:1] in (["move"], ["reschedule"]) if unsure else route.intent in DATED
    if dated and days.find(text, part, language):
        if not days.find(part.message, part, language):
            return False  # “push the call, she's back on Friday”
        if route.get("day") and not route.get("target"):
            return True  # “Tuesday I'm away, make it Friday”
    if unsure:
        return is_yes or (least is Kind.TELLS and not leads and bool(changes))
    # What stands before a wish may name its thing: “the trip is off, delete it”.
    corrects = repairs.without_correction(asked.message, language) != asked.message
    return not leads or (corrects and route.intent == "undo") or _names_its_own(route, language)


def _changes_of(part: Asked, language: Language) -> list[ChangeKind]:
    """Return the changes of which a text has a word, and which its names may tell."""
    kinds = readings.kinds_of(part, language)
    return [one for one in kinds if one in readings.PLAIN or one == "move"]


def _names_its_own(route: Route, language: Language) -> bool:
    """Return whether a change is of what it names itself."""
    target = route.get("target") or route.get("words")
    return route.intent in NO_TEXT and bool(target and Marked(target).left(words_of(language)))


def _clauses(asked: Asked, language: Language) -> list[Clause]:
    """Return the clauses of a message: by its marks, and before words for a reason."""
    message, words = asked.message, words_of(language)
    text = Marked(message).text
    reasons = [*_words(language).reason_within.finditer(text)]
    # “Al lunes que viene a las 12” gives no reason.
    dated = days.find(message, asked, language) if reasons else []
    reasons = [one for one in reasons if not any(start < one.start() < end for start, end in dated)]
    marks = [found for one in (words.join, _AFTER_QUESTION) for found in one.finditer(text)]
    places = [*marks, *reasons]
    ends = sorted((found.span() for found in places), key=lambda one: (one[0], -one[1]))
    clauses, start = [], 0
    for end, after in (*ends, (len(message), len(message))):
        # “… que si no me olvido” is one clause.
        if re.search(r"\w", message[start:end]) and not _LINK.fullmatch(text[start:end]):
            clauses.append(Clause(start, end, after))
            start = after
    return clauses


def _joined(message: str, kept: list[Clause]) -> str:
    """Return these clauses of a message, as they were parted there."""
    *first, last = kept
    return "".join(
        [*(message[one.start : one.after] for one in first), message[last.start : last.end]]
    )


def _judged(asked: Asked, clauses: list[Clause], language: Language) -> list[Clause]:
    """Return the clauses with what they are; what a word joins to another belongs to that unless it
    surely is something else: “they called and cancelled”, “I've got the bread and the milk is in”.
    """
    judged: list[Clause] = []
    for one in clauses:
        kind = _kind(asked, one, language)
        last = judged[-1] if judged else one
        text = asked.message[one.start : one.end]
        if re.search(r"\w", asked.message[last.end : last.after]) and (
            (kind is Kind.WISH and not _wishes(text, language))
            or (last.kind is Kind.WISH and kind is not Kind.SAYS_WHY)
        ):
            kind = last.kind
        judged.append(one._replace(kind=kind))
    return judged


def _wishes(text: str, language: Language) -> bool:
    """Return whether a clause may be a wish: it begins as one, or a pattern takes it for one."""
    words, plain = words_of(language), Marked(text).text
    begins = any(one.match(plain) for one in (*_wishing(words), words.put))
    return begins or words.must.search(plain) is not None or not _is_told(text, False, language)


def _kind(asked: Asked, clause: Clause, language: Language) -> Kind:
    """Return what a clause is: a wish unless it surely is none."""
    words, own = words_of(language), _words(language)
    text = asked.message[clause.start : clause.end]
    bare = repairs.without_correction(text, language)
    # “No, he's away. Monday”, but “make it Monday. No, he's away”
    corrects, text = bare != text, text if clause.start else bare
    marked = Marked(text.strip())
    if own.feeling.match(marked.text):
        return Kind.SAYS_WHY if clause.start or not corrects else Kind.STATES
    why = own.reason.match(marked.text)
    body = marked.message[why.end() :].strip(" ,") if why else marked.message
    plain = Marked(body).text
    tells = own.teller.match(plain)
    states = words.states.search(plain)
    if (
        not (why or tells or states)
        or not re.search(r"\w", body)
        or "?" in plain
        or (corrects and clause.start)
    ):
        return Kind.WISH
    # “Ist verkauft” begins as a question does.
    if not (why or tells) and words.asks.search(plain):
        return Kind.WISH
    if any(one.match(plain) for one in _wishing(words)):
        return Kind.WISH
    if not why and (words.must.search(plain) or _DIGIT.search(plain)):
        return Kind.WISH
    if not (why or tells) and _changes(asked, clause, language):
        return Kind.WISH
    if not _is_told(body, why is not None, language, refuses=bool(tells)):
        return Kind.WISH
    return Kind.SAYS_WHY if why else Kind.TELLS if tells else Kind.STATES


def _is_told(body: str, is_reason: bool, language: Language, *, refuses: bool = False) -> bool:
    """Return whether no pattern takes a clause for a wish, or for a report of what was done; “I
    don't need it” may only seem to refuse something.
    """
    found = routing.route_message(body, before=language)
    if found.intent == "complete_todo" and found.is_loose:
        said = _words(language).of_me.match(Marked(body).text)
        return not (said and Marked(found.get("words")).left(words_of(language)))
    # “Because I have to work” is no todo.
    seems = {"add_todo"} if is_reason else {"leave"} if refuses else set()
    return found.intent in {"ask", "cannot"} | seems


def _changes(asked: Asked, clause: Clause, language: Language) -> bool:
    """Return whether a clause has a day, or a word of another change than the rest."""
    body = asked.message[clause.start : clause.end]
    rest = f"{asked.message[: clause.start]} {asked.message[clause.end :]}"
    other, own = (
        set(readings.kinds_of(msgspec.structs.replace(asked, message=one), language))
        for one in (rest, body)
    )
    return not own <= {*other, *HARMLESS} or bool(days.find(body, asked, language))


def _wishing(words: Words) -> tuple[re.Pattern[str], ...]:
    """Return what a clause begins with that wishes something, or names what is wished."""
    return (
        words.titled,
        words.courtesy,
        words.cues["todo"],
        words.cues["delete"],
        words.cues["complete"],
    )


@functools.cache
def _words(language: Language) -> _Words:
    table = language_data.load_table(language, Changes)

    def compiled(pattern: Pieces, shape: str = r"^\W*…(?!\w)") -> re.Pattern[str]:
        text = plain_letters(language_data.join_pattern(pattern)) or "(?!)"
        return re.compile(shape.replace("…", f"(?:{text})"))

    return _Words(
        compiled(table.reason),
        compiled(table.reason_within, r"\s+(?=…(?!\w))"),
        compiled(table.teller),
        compiled(table.feeling, r"^\W*(?:…(?!\w)\W*)+$"),
        compiled(table.of_me),
    )
