"""Quick add: a typed line such as "Call mum tomorrow at 5pm p1" read as title, due date, priority
and recurrence, with what was found and where.

Precision comes before recall: whatever is not unmistakably one of these stays in the title.
English, German, French, Spanish, Chinese and Japanese are read; each language brings its words
and patterns, and the language that finds most wins.
"""

import re
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

import msgspec
from msgspec import structs

from app.agent.quickadd import folded_text
from app.agent.quickadd.folded_text import Folded
from app.agent.quickadd.languages import language_spec
from app.agent.quickadd.languages.chinese import CHINESE
from app.agent.quickadd.languages.english import BRITISH, ENGLISH
from app.agent.quickadd.languages.french import FRENCH
from app.agent.quickadd.languages.german import GERMAN
from app.agent.quickadd.languages.japanese import JAPANESE
from app.agent.quickadd.languages.language_spec import Language, Rule
from app.agent.quickadd.languages.spanish import SPANISH
from app.agent.quickadd.match_meaning import Kind, Meaning, clock_of, meaning_of
from app.core.process.lazy_regex import regex
from app.workspace.todos import recurrence
from app.workspace.todos.recurrence import Recurrence

LONGEST = 1000
"""Only so many characters are read for dates; the rest of a text stays in the title as it is."""
LATIN = (ENGLISH, GERMAN, FRENCH, SPANISH)
MONTH_FIRST_PLACES = ("US", "PH", "FM", "MH", "PW", "AS", "GU", "PR", "VI")
OWN = 5
"""What the user's own language counts beside a point for each letter that was read, and three
for each common word, at most nine.
"""
NAME_LIKE = ("named", "today", "part")
"""What can be part of a title of something."""
_NEAR = regex(r"[\s,;、，]{0,4}")
_APART = regex(r"\s*(?:$|[,;:!?()\]\[|…、。，]|[-–—](?:\s|$)|\.(?:\s|$)|[#@]\S)")


class Span(msgspec.Struct, frozen=True):
    """One thing that was found: what kind, where it stands in the text as characters from `start`
    up to `end`, and what it was taken for.

    The value is a date or local datetime, a clock time, an RFC 5545 rule, or the priority's number.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: str | int


class QuickAdd(msgspec.Struct, frozen=True):
    """A line as it was read. `due` is a day or an aware moment in the zone of `now`.

    `priority` is 0 none to 5 top.
    """

    title: str
    due: date | datetime | None
    priority: int
    recurrence: Recurrence | None
    spans: tuple[Span, ...]
    language: str
    text: str
    now: datetime
    locale: str | None
    ignored: tuple[Span, ...]

    @property
    def due_date(self) -> str | None:
        """The due date as a todo takes it: a date, or a moment with its offset."""
        if isinstance(self.due, datetime):
            return _text(self.due)
        return self.due.isoformat() if self.due else None

    def without(self, span: Span) -> "QuickAdd":
        """Give the line read again with this span left in the title."""
        return read(self.text, now=self.now, locale=self.locale, ignore=(*self.ignored, span))


class Found(NamedTuple):
    """A match of a rule in the folded text, and what it means."""

    start: int
    end: int
    order: int
    rule: Rule
    groups: dict[str, str | None]
    meaning: Meaning


class Reading(NamedTuple):
    """What one language made of a text."""

    language: Language
    found: list[Found]
    score: int


def read(
    text: str, *, now: datetime, locale: str | None = None, ignore: Collection[Span | Kind] = ()
) -> QuickAdd:
    """Read a typed line at the moment `now`, whose zone is the user's.

    `locale` such as "de" or "en-GB" settles the order of day and month and what several
    languages could say. `ignore` names spans, or kinds of spans, that stay in the title. Nothing
    raises; a title is never empty unless the text is. Text beyond `LONGEST` is not read.
    """
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    folded = folded_text.fold(text[:LONGEST])
    ignored = tuple(one for one in ignore if isinstance(one, Span))
    kinds = {one for one in ignore if isinstance(one, str)}
    visible = folded_text.hide(
        folded.text, [*folded_text.unread(folded.text), *_folded_parts(folded, ignored)]
    )
    best = _best(text[:LONGEST], folded, visible, now, (locale or "").replace("_", "-"), kinds)
    due, rule, used = _assembled(best.found, now)
    spans = tuple(_span(text, folded, one, now) for one in sorted(used))
    return QuickAdd(
        title=_title(text, spans, best.language),
        due=due,
        priority=next(
            (one.meaning.priority for one in used if one.meaning.priority is not None), 0
        ),
        recurrence=Recurrence(rule) if rule else None,
        spans=spans,
        language=best.language.code,
        text=text,
        now=now,
        locale=locale,
        ignored=ignored,
    )


def _folded_parts(folded: Folded, spans: Iterable[Span]) -> Iterable[tuple[int, int]]:
    for span in spans:
        inside = [
            index
            for index, place in enumerate(folded.places[:-1])
            if span.start <= place < span.end
        ]
        if inside:
            yield inside[0], inside[-1] + 1


def _best(
    text: str, folded: Folded, visible: str, now: datetime, locale: str, kinds: set[Kind]
) -> Reading:
    words = set(language_spec.words_of(visible))
    readings = []
    for language in _languages(text, words, locale):
        found = _swept(text, folded, visible, language, now, kinds)
        known = min(3, len(words & language.common)) + bool(language.signs.search(text))
        own = locale[:2].lower() == language.code
        readings.append(
            Reading(
                language, found, sum(one.end - one.start for one in found) + 3 * known + OWN * own
            )
        )
    return max(readings, key=lambda reading: reading.score)


def _languages(text: str, words: set[str], locale: str) -> list[Language]:
    """Give the languages that may have something to say about the text.

    The first one wins a tie.
    """
    if JAPANESE.signs.search(text):
        return [JAPANESE]
    if re.search("[\u3400-\u9fff]", text):
        return [JAPANESE] if locale[:2].lower() == "ja" else [CHINESE]
    english = (
        ENGLISH
        if locale.lower() in ("", "en") or locale[-2:].upper() in MONTH_FIRST_PLACES
        else BRITISH
    )
    latin = [english, *LATIN[1:]]
    own = [language for language in latin if language.code == locale[:2].lower()] or [english]
    touched = [
        language
        for language in latin
        if language not in own
        and (words & (language.words | language.common) or language.signs.search(text))
    ]
    return [*own, *touched]


def _swept(
    text: str, folded: Folded, visible: str, language: Language, now: datetime, kinds: set[Kind]
) -> list[Found]:
    """Take matches from the left, the longer of those that begin together, each slot once.

    Then what counts only beside another.
    """
    candidates = [
        one
        for one in _candidates(visible, language, now)
        if one.meaning.kind not in kinds
        and not (
            one.rule.meaning in NAME_LIKE
            and language.spaced
            and _is_a_name(one, text, folded, language)
        )
    ]
    starts = {one.start for one in candidates}
    taken: list[Found] = []
    for one in candidates:
        if (
            one.rule.where != "beside"
            and _is_free(one, taken)
            and _stands(one, text, folded, visible, language, starts)
        ):
            taken.append(one)
    waiting = [one for one in candidates if one.rule.where == "beside"]
    for one in waiting + waiting[::-1]:
        if _is_free(one, taken) and _is_beside(one, taken, visible):
            taken.append(one)
    return taken


def _candidates(visible: str, language: Language, now: datetime) -> list[Found]:
    found = []
    for order, (rule, pattern) in enumerate(language.patterns):
        for match in pattern.finditer(visible):
            groups = {**match.groupdict(), **rule.says}
            if match.end() > match.start() and (
                meaning := meaning_of(rule.meaning, groups, language, now)
            ):
                found.append(Found(match.start(), match.end(), order, rule, groups, meaning))
    return sorted(found, key=lambda one: (one.start, -one.end, one.order))


def _is_free(one: Found, taken: list[Found]) -> bool:
    slots = one.meaning.slots - ({"part"} if one.meaning.clock else set())
    return all(
        (one.end <= other.start or other.end <= one.start) and not slots & other.meaning.slots
        for other in taken
    )


def _is_beside(one: Found, taken: list[Found], visible: str) -> bool:
    gaps = (
        visible[one.end : other.start] if other.start >= one.end else visible[other.end : one.start]
        for other in taken
    )
    return any(
        _NEAR.fullmatch(gap)
        for gap, other in zip(gaps, taken, strict=True)
        if other.meaning.kind != "priority"
    )


def _stands(
    one: Found, text: str, folded: Folded, visible: str, language: Language, starts: set[int]
) -> bool:
    """Say whether the words around a match let it be one."""
    introduced = bool(one.groups.get("pre"))
    if not introduced and language_spec.word_before(visible, one.start) in language.before:
        return False
    if (
        one.meaning.kind != "priority"
        and language_spec.word_after(visible, one.end) in language.against
    ):
        return False
    match one.rule.where:
        case "free":
            return True
        case "phrase" if introduced or not visible[: one.start].strip():
            return True
        case "word" if introduced:
            return True
    return _is_apart(one, text, folded, visible, language, starts)


def _is_apart(
    one: Found, text: str, folded: Folded, visible: str, language: Language, starts: set[int]
) -> bool:
    """Say whether a match ends where something else begins, and not a noun."""
    following = one.end + len(visible[one.end :]) - len(visible[one.end :].lstrip())
    if following in starts or _APART.match(visible, one.end):
        return True
    word = language_spec.word_after(visible, one.end)
    is_verb = (
        language.names_capitalised
        and text[folded.places[following]].islower()
        and word not in language.before
    )
    return is_verb or word in language.after


def _is_a_name(one: Found, text: str, folded: Folded, language: Language) -> bool:
    """Say whether capitals make a title of it, as of a film or a show.

    Where nouns have capitals, the word is then another one.
    """
    start, end = folded.places[one.start], folded.places[one.end]
    if not (text[start].isupper() and text[start + 1 : start + 2].islower()):
        return False
    inside = bool(text[:start].strip())
    if language.names_capitalised:
        return inside and one.rule.meaning != "part"
    return not _APART.match(text, end) if inside else text[end:].lstrip()[:1].isupper()


def _assembled(
    found: list[Found], now: datetime
) -> tuple[date | datetime | None, str | None, list[Found]]:
    """Put together what was found: the due date, the rule, and the matches that were needed."""
    said = {slot: one.meaning for one in found for slot in one.meaning.slots}
    rule = said["rule"].rule if "rule" in said else None
    ends = said.get("until")
    if ends and not rule:
        if "date" in said:
            found = [one for one in found if one.meaning is not ends]
        else:
            said["date"] = ends
    if rule and ends and ends.day:
        rule += f";UNTIL={ends.day:%Y%m%d}"
    due = _due(said, rule, now)
    return due, rule, found


def _due(said: dict[str, Meaning], rule: str | None, now: datetime) -> date | datetime | None:
    given = said.get("date")
    if given and given.moment:
        return given.moment
    part = said["part"].part if "part" in said else None
    clock = clock_of(said.get("clock"), part)
    if given is None and clock is None and rule is None:
        return None
    first = given.day if given and given.day else now.date()
    day = _first_of(rule, first) if rule else first
    if clock is None:
        return day
    moment = _at(day, clock, now)
    if moment > now or day == date.max or (given is not None and day == given.day):
        return moment
    following = day + timedelta(1)
    return _at(_first_of(rule, following) if rule else following, clock, now)


def _first_of(rule: str, first: date) -> date:
    """Give the first date of a rule from a day on; a rule that only says how often begins there."""
    repetition = recurrence.parse(rule)
    if first == date.min or not (repetition.byday or repetition.numbers):
        return first
    before = first - timedelta(1)
    found = recurrence.next_date(
        structs.replace(repetition, interval=1), start=before, after=before
    )
    return found[0] if found else first


def _at(day: date, clock: time, now: datetime) -> datetime:
    """Give the moment of a wall time.

    Where the clock skips it, as long after the gap as it would have been.
    """
    moment = datetime.combine(day, clock, now.tzinfo)
    try:
        return moment.astimezone(UTC).astimezone(now.tzinfo)
    except OverflowError:
        return moment


def _span(text: str, folded: Folded, one: Found, now: datetime) -> Span:
    start, end = folded.places[one.start], folded.places[one.end]
    return Span(one.meaning.kind, start, end, text[start:end], _value(one.meaning, now))


def _value(meaning: Meaning, now: datetime) -> str | int:
    if meaning.priority is not None:
        return meaning.priority
    if meaning.rule:
        return meaning.rule
    if meaning.moment:
        return _text(meaning.moment)
    clock = clock_of(meaning if meaning.clock else None, meaning.part)
    if meaning.day is None:
        return clock.isoformat("minutes") if clock else ""
    return f"{meaning.day}T{clock:%H:%M}" if clock else meaning.day.isoformat()


def _text(moment: datetime) -> str:
    """Give a moment as text; in UTC where the zone then kept an offset with seconds, as towns
    did before time zones.
    """
    offset = moment.utcoffset()
    return (moment.astimezone(UTC) if offset and offset.seconds % 60 else moment).isoformat(
        timespec="minutes"
    )


def _title(text: str, spans: tuple[Span, ...], language: Language) -> str:
    kept = (
        folded_text.without(text, [(span.start, span.end) for span in spans])
        if spans
        else text.strip()
    )
    lead = language.lead.match(kept)
    task = kept[lead.end() :].strip() if lead else kept
    return task or kept or text.strip()
