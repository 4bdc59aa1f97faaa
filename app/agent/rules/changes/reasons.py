"""A wish without the clauses beside it that only say why: “delete the optician, they called it
off”, “push that to tomorrow. I'm out tonight”.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from app.agent.rules.changes import days, readings
from app.agent.rules.changes.marked import Marked, words_of
from app.agent.rules.dialogue import continued, followup_questions, references, slots
from app.agent.rules.languages import language_data
from app.agent.rules.languages.change_tables import ChangeKind, Changes
from app.agent.rules.languages.language_tables import Language
from app.agent.rules.routing import routing
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked
from app.core.process.caches import keep_latest

NO_TEXT = frozenset({"change_todo", "delete", "pin_note"})
"""The changes that a reason may stand beside, as they take no text."""
OF_BEFORE = NO_TEXT | {"undo", "leave", "rename", "move_note", "change_note", "complete_todo"}
"""The wishes about what was spoken of that a reason may stand beside."""
UNSURE = frozenset({"ask", "cannot"})
"""What a wish may seem to be whose words stand in another order."""
HARMLESS: frozenset[ChangeKind] = frozenset({"reschedule", "message", "move"})
"""The kinds of change whose words tell about a thing, too."""
WISHES = ("undo", "pin", "unpin", "priority", "tag")
"""The classes of words by which a clause may wish what no kind of change has a word for."""
LEAST = 8
"""By so many of its first letters a wish is found in its message."""
MOST = 7
"""So many clauses has a message at most that is a wish with its reasons."""


class Clause(NamedTuple):
    """A clause of a message, and whether it `begins` as a reason does: “because …”."""

    start: int
    end: int
    begins: bool


def without_reason(asked: Asked, message: str, language: Language) -> str:
    """Return a message without the clauses that only say why, where the rest is surely a wish by
    itself, or about what the turns before spoke of.
    """
    if not language_data.has_table(language, Changes):
        return message
    return _without(msgspec.structs.replace(asked, message=message, results=()), language)


# Each step begins from the message anew.
@keep_latest
def _without(asked: Asked, language: Language) -> str:
    message = asked.message
    clauses = list(_clauses(message, language))
    if not 1 < len(clauses) <= MOST:
        return message
    may = [_may_be_reason(message[one.start : one.end], one, language) for one in clauses]
    for left_out in _choices(may):
        kept = _joined(message, clauses, left_out)
        reasons = [clauses[at] for at in left_out]
        if not all(_is_reason(asked, one, kept, language) for one in reasons):
            continue
        if slots.only_little(kept, language):
            continue
        first = min(at for at in range(len(clauses)) if at not in left_out)
        leads = [clauses[at] for at in left_out if at < first and not clauses[at].begins]
        if _is_wish(asked, kept, leads, language):
            return kept
    return message


def _clauses(message: str, language: Language) -> Iterator[Clause]:
    """Yield the clauses of a message: they end with a mark or before a word that joins another, or
    begins a reason.
    """
    if (
        len(message) > readings.LONGEST
        or "\n" in message.strip()
        or re.search(r'["“«「]|:\s', message)
    ):
        return
    words, text = words_of(language), Marked(message).text
    ends = [(one.start(), one.end()) for one in words.join.finditer(text)]
    ends += [(one.start(), one.start()) for one in words.because.finditer(text)]
    start = 0
    for end, after in [*sorted(ends), (len(text), len(text))]:
        if end == after < len(text) and words.because.fullmatch(text[start:end].strip()):
            continue  # “sinon je …” is one reason
        if re.search(r"\w", text[start:end]):
            yield Clause(start, end, words.because.match(text, start) is not None)
            start = after
        elif end >= start:
            start = max(start, after)


def _choices(may: Sequence[bool]) -> Iterator[frozenset[int]]:
    """Yield which clauses may be left out: all that may be reasons, those at the end, those at the
    beginning, or one of them.
    """
    every = [at for at, one in enumerate(may) if one]
    last = [at for at in every if all(may[at:])]
    first = [at for at in every if all(may[: at + 1])]
    tried = [every, last, first, *([one] for one in every)]
    yield from dict.fromkeys(frozenset(one) for one in tried if 0 < len(one) < len(may))


def _joined(message: str, clauses: Sequence[Clause], left_out: frozenset[int]) -> str:
    """Return a message without some of its clauses, with the marks between those that stay."""
    kept = [at for at in range(len(clauses)) if at not in left_out]
    pieces = []
    for at, following in itertools.pairwise([*kept, len(clauses)]):
        one = clauses[at]
        beside = following == at + 1 and following < len(clauses)
        gap = message[one.end : clauses[following].start] if beside else ", "
        pieces.append(message[one.start : one.end].strip() + gap)
    return "".join(pieces).rstrip(" ,")


def _may_be_reason(text: str, clause: Clause, language: Language) -> bool:
    """Return whether a clause tells something by its words alone."""
    words, text = words_of(language), Marked(text).text.lstrip()
    if "?" in text or clause.begins:
        return clause.begins
    tells = (words.states, words.denies, words.subject)
    return not words.asks.search(text) and any(one.search(text) for one in tells)


def _is_reason(asked: Asked, clause: Clause, wish: str, language: Language) -> bool:
    """Return whether a clause tells something, and neither wishes nor asks."""
    text = asked.message[clause.start : clause.end]
    if clause.begins:
        return True
    words, part = words_of(language), msgspec.structs.replace(asked, message=text)
    plain = Marked(text).text.lstrip()
    kinds = set(readings.kinds_of(part, language))
    if words.courtesy.match(plain) or words.must.search(plain):
        return False
    if slots.only_little(text, language, "not_"):
        return False
    if slots.has_kind(text, language, *WISHES) and not words.states.search(plain):
        return False
    has_subject = words.subject.search(plain)
    its_own = _names_its_own(asked, wish, language)
    if _names_a_day(asked, text, its_own, language):
        # “Sonntag kommt Besuch” moves nothing.
        first = days.find(plain, asked, language)[:1]
        moves = "reschedule" in kinds and not (first and not first[0][0])
        if moves or not has_subject:
            return False
    same = readings.kinds_of(msgspec.structs.replace(asked, message=wish), language)
    begun = any(words.cues[one].match(plain) for one in kinds)
    follows = asked.message.find(wish[:LEAST]) < clause.start
    if not kinds <= {*same, *HARMLESS} and (begun or not has_subject or not follows):
        return False
    found = routing.route_message(text, before=language)
    # “The neighbour did it” names nothing that is done.
    is_it = references.points(text.split()[-1], language)
    reports = found.intent == "complete_todo" and (found.is_loose or is_it)
    return found.intent in UNSURE or (reports and not (its_own and its_own.is_loose))


def _names_a_day(asked: Asked, text: str, wish: Route | None, language: Language) -> bool:
    """Return whether a clause names a day that may be of the wish beside it: not one that it only
    tells of, where the wish has its own or needs none.
    """
    found = days.find(text, asked, language)
    needs = wish is None or (
        wish.intent == "change_todo" and not (wish.get("day") or wish.get("reopen"))
    )
    if not found or words_of(language).spaced or needs:
        return bool(found)
    marked = Marked(text)
    marked.mark(found, "d")
    marked.fit(words_of(language).denies, "p")
    return not marked.left(words_of(language))


def _names_its_own(asked: Asked, text: str, language: Language) -> Route | None:
    """Return the change that a clause surely is of what it names itself, or of “it”; None where it
    is none.
    """
    found = routing.route_message(text, before=language)
    spaced = words_of(language).spaced
    if found.intent in UNSURE:
        part = msgspec.structs.replace(asked, message=text, earlier=asked.earlier if spaced else ())
        kinds = [one for one in readings.kinds_of(part, language) if one in readings.PLAIN]
        found = next(iter(readings.read(part, kinds, (), language)), found)
    reports = not spaced and found.intent == "complete_todo" and found.is_loose
    sure = (found.intent in NO_TEXT and not found.is_loose) or reports
    return found if sure and (found.get("target") or found.get("words")) else None


def _is_wish(asked: Asked, text: str, leads: Sequence[Clause], language: Language) -> bool:
    """Return whether a text is surely a change of what it names itself, or of what was spoken of;
    a clause that `leads` it may name that as well, but for one that corrects.
    """
    found = _names_its_own(asked, text, language)
    target = (found.get("target") or found.get("words")) if found else ""
    if target and Marked(target).left(words_of(language)):
        return True
    if target and asked.earlier and not leads:
        return True  # “move both to Saturday”, be it that it is asked which
    part = msgspec.structs.replace(asked, message=text)
    after = continued.continue_from(part, language) if asked.earlier else None
    if after is None or after.intent not in OF_BEFORE:
        return False
    takes_back = after.intent in ("undo", "leave")
    if takes_back and not slots.has_kind(text, language, "undo", "delete"):
        return False
    before = [asked.message[one.start : one.end] for one in leads]
    recent = references.recent(asked, readings.THINGS)
    return all(
        (takes_back or _corrects_day(asked, one, language))
        and all(followup_questions.without_name(one, thing.title) == one for thing in recent)
        for one in before
    )


def _corrects_day(asked: Asked, text: str, language: Language) -> bool:
    """Return whether a clause says no to a day: “no, on Tuesday I'm out”."""
    says_no = slots.has_kind(text, language, "no", "bad")
    return says_no and bool(days.find(text, asked, language))
