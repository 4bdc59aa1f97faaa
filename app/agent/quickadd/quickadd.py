"""Quick add: a typed line read as title, due date, priority and recurrence.

“Call mum tomorrow at 5pm p1” is such a line; what was found is told with its place. Precision comes
before recall: whatever is not unmistakably one of these stays in the title. Each folder of
`agent/rules/languages` brings a language's words and patterns, and the language that finds most
wins.
"""

import functools
import re
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta

import msgspec
from msgspec import structs

from app.agent.quickadd import find_dates, folded_text
from app.agent.quickadd.folded_text import Folded
from app.agent.quickadd.language_words import Language
from app.agent.quickadd.meaning import Found, Kind, Meaning, combine_clock
from app.agent.rules.languages import language_data
from app.workspace.todos import recurrence
from app.workspace.todos.recurrence import Recurrence

LONGEST = 1000
"""Only so many characters are read for dates; the rest of a text stays in the title as it is."""


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
    no_such_day: str = ""
    """A date in the line that does not exist, such as 31 April; then the line has no due date."""
    no_such_date: str = ""
    """The same date as the wire would have it, such as 2026-04-31."""
    too_often: str = ""
    """How often it should come again, such as every 2 hours, where that is more than daily."""
    remainder: str = ""
    """The line without the day that does not exist, or without what comes too often."""

    @property
    def due_date(self) -> str | None:
        """The due date as a todo takes it: a date, or a moment with its offset."""
        if isinstance(self.due, datetime):
            return _moment_text(self.due)
        return self.due.isoformat() if self.due else None

    def without(self, span: Span) -> "QuickAdd":
        """Return the line read again with this span left in the title."""
        return read_line(self.text, now=self.now, locale=self.locale, ignore=(*self.ignored, span))


def read_line(
    text: str, *, now: datetime, locale: str | None = None, ignore: Collection[Span | Kind] = ()
) -> QuickAdd:
    """Read a typed line at the moment `now`, whose zone is the user's.

    `locale` such as "de" or "en-GB" settles the order of day and month and what several
    languages could say. `ignore` names spans, or kinds of spans, that stay in the title. Nothing
    raises; a title is never empty unless the text is. Text beyond `LONGEST` is not read.
    """
    return _read_line(text, now if now.tzinfo else now.replace(tzinfo=UTC), locale, tuple(ignore))


# The rules read the same words of a message again: 23 times a turn, six different ones. Keeping
# them takes an eighth off the CPU time of a turn.
@functools.lru_cache(maxsize=64)
def _read_line(
    text: str, now: datetime, locale: str | None, ignore: tuple[Span | Kind, ...]
) -> QuickAdd:
    folded = folded_text.fold_text(text[:LONGEST])
    ignored = tuple(one for one in ignore if isinstance(one, Span))
    kinds = {one for one in ignore if isinstance(one, str)}
    visible = folded_text.blank_out(
        folded.text, [*folded_text.literal_parts(folded.text), *_folded_parts(folded, ignored)]
    )
    place = (locale or "").replace("_", "-")
    best = find_dates.best_reading(text[:LONGEST], folded, visible, now, place, kinds)
    found = best.found
    missing = next((one for one in found if one.meaning.impossible), None)
    if missing:  # what else was said of the day would make another one of it
        found = [one for one in found if one.meaning.kind == "priority"]
    due, rule, used = _assemble(found, now)
    spans = tuple(_span_record(text, folded, one, now) for one in sorted(used))
    often = next((part for part in best.closed if part.means == "too_often"), None)
    left_out = missing or often
    return QuickAdd(
        title=_title_without(text, spans, best.language),
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
        no_such_day=_matched_text(text, folded, missing) if missing else "",
        no_such_date=missing.meaning.impossible if missing else "",
        too_often=_written(text, folded, often.start, often.end) if often else "",
        remainder=_without(text, folded, left_out.start, left_out.end) if left_out else "",
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


def _assemble(
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
    # “Until Friday” ends a series; without one it is when the thing is due.
    if rule and ends and ends.day:
        rule += f";UNTIL={ends.day:%Y%m%d}"
    due = _due_date(said, rule, now)
    return due, rule, found


def _due_date(said: dict[str, Meaning], rule: str | None, now: datetime) -> date | datetime | None:
    given = said.get("date")
    if given and given.moment:
        return given.moment
    part = said["part"].part if "part" in said else None
    clock = combine_clock(said.get("clock"), part)
    if given is None and clock is None and rule is None:
        return None
    first = given.day if given and given.day else now.date()
    day = _first_rule_date(rule, first) if rule else first
    if clock is None:
        return day
    moment = _wall_moment(day, clock, now)
    # A time alone that is over today means tomorrow; with a day it was meant so.
    if moment > now or day == date.max or (given is not None and day == given.day):
        return moment
    following = day + timedelta(1)
    return _wall_moment(_first_rule_date(rule, following) if rule else following, clock, now)


def _first_rule_date(rule: str, first: date) -> date:
    """Return the first date of a rule from a day on; a rule that only says how often begins
    there."""
    repetition = recurrence.parse_rule(rule)
    if first == date.min or not (repetition.byday or repetition.numbers):
        return first
    before = first - timedelta(1)
    found = recurrence.next_date(
        # The interval counts from the first one, which is what is looked for.
        structs.replace(repetition, interval=1),
        start=before,
        after=before,
    )
    return found[0] if found else first


def _wall_moment(day: date, clock: time, now: datetime) -> datetime:
    """Return the moment of a wall time.

    Where the clock skips it, as long after the gap as it would have been.
    """
    moment = datetime.combine(day, clock, now.tzinfo)
    try:
        return moment.astimezone(UTC).astimezone(now.tzinfo)
    except OverflowError:
        return moment


def _matched_text(text: str, folded: Folded, one: Found) -> str:
    # Without “on”, “by” and the like.
    return _written(text, folded, one.start + len(one.groups.get("pre") or ""), one.end)


def _written(text: str, folded: Folded, start: int, end: int) -> str:
    return text[folded.places[start] : folded.places[end]].strip()


def _without(text: str, folded: Folded, start: int, end: int) -> str:
    return folded_text.remove_parts(text, [(folded.places[start], folded.places[end])])


def _span_record(text: str, folded: Folded, one: Found, now: datetime) -> Span:
    start, end = folded.places[one.start], folded.places[one.end]
    return Span(one.meaning.kind, start, end, text[start:end], _span_value(one.meaning, now))


def _span_value(meaning: Meaning, now: datetime) -> str | int:
    if meaning.priority is not None:
        return meaning.priority
    if meaning.rule:
        return meaning.rule
    if meaning.moment:
        return _moment_text(meaning.moment)
    clock = combine_clock(meaning if meaning.clock else None, meaning.part)
    if meaning.day is None:
        return clock.isoformat("minutes") if clock else ""
    return f"{meaning.day}T{clock:%H:%M}" if clock else meaning.day.isoformat()


def _moment_text(moment: datetime) -> str:
    """Return a moment as text; in UTC where the zone then kept an offset with seconds, as towns
    did before time zones.
    """
    offset = moment.utcoffset()
    return (moment.astimezone(UTC) if offset and offset.seconds % 60 else moment).isoformat(
        timespec="minutes"
    )


def _title_without(text: str, spans: tuple[Span, ...], language: Language) -> str:
    kept = (
        folded_text.remove_parts(text, [(span.start, span.end) for span in spans])
        if spans
        else text.strip()
    )
    lead = language.lead.match(kept)
    task = kept[lead.end() :].strip() if lead else kept
    if lead:
        infinitive = language_data.join_pattern(language.dates.infinitive)
        task = re.sub(infinitive, lambda verb: "".join(verb.groups("")), task)
    if tail := language.tail.search(task):
        task = task[: tail.start()].strip(" ,")
    if spans and not text.rstrip().endswith(".."):
        task = re.sub(r"[.!?]\.$", lambda stops: stops[0][0], task)  # of two sentences one is left
    # A title may not be empty: then the date is the title.
    return task or kept or text.strip()
