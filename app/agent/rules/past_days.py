"""What was on a day that has been: what notes of it say, what was done and written on it."""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import msgspec

from app.agent.rules.answers import calendar_answers, list_answers
from app.agent.rules.dialogue import said_days
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import Phrases, Pieces, Times
from app.agent.rules.languages.quickadd_tables import Dates
from app.agent.rules.passages import answer_passages, found_texts, questions, told_passages
from app.agent.rules.passages.answer_passages import Ranked, Text
from app.agent.rules.phrases import dates
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Call, Step, Thing, Trace

INTENT = "past_day"
MOST_READ = 3
"""So many notes that are of the day are read."""
MOST_NOTES, MOST_LINES = 200, 40
REPLACED = frozenset(
    {"ask", "list_todos", "list_notes", "events", "changes", "todo_state", "from_person"}
)
"""What a question for a day that has been may seem to be."""
_HEADING = re.compile(r"#{1,6}\s")


def read(asked: Asked, found: Route) -> Route | None:
    """Return that a message asks for what was on a day that has been; None where it does not."""
    written = found.get("written") or found.language
    text = asked.message.lower().replace("’", "'")
    table = language_data.load_table(written, Times)
    if found.intent not in REPLACED or not _holds(table.past, text):
        return None
    day = next(iter(said_days.past_days(asked, asked.message, written)), None)
    if day is None or day == asked.now.date():
        return None
    wrote = "1" if _holds(table.wrote, text) else ""
    arguments = {"day": day.isoformat(), "wrote": wrote}
    return msgspec.structs.replace(found, intent=INTENT, arguments=arguments, is_loose=False)


def tell(asked: Asked, route: Route) -> Step:
    """Return what notes say of the day, what was done and written on it; the step is empty where
    nothing is known of it.
    """
    day = date.fromisoformat(route.get("day"))
    if not asked.results:
        return Step(calls=_looks(asked, route, day))
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    ids = [] if route.get("wrote") else _of_day(asked, day)
    read = {one.arguments.get("noteId"): one for one in asked.of("get_note_content")}
    unread = [one for one in ids if one not in read and "get_note_content" in asked.tools]
    if unread:
        return Step(calls=tuple(("get_note_content", {"noteId": one}) for one in unread))
    notes = [note for one in ids if one in read and (note := found_texts.read_note(read[one]))]
    passages = [one for note in notes for one in _passages(note, day)]
    quotes = tuple(map(answer_passages.as_quote, passages))
    parts = [told_passages.quoted(one.text, one.note_id, one.title) for one in quotes]
    lists, shown = _lists(asked, route, day)
    about = tuple({one.note_id: Thing("note", one.note_id, one.title) for one in quotes}.values())
    if not (parts or lists):
        told = dates.day(route.language, day, asked.now)
        return Step(route.phrase("nothing_on", day=told), empty=True)
    trace = Trace(about=about, shown=shown)
    return Step("\n\n".join([*parts, *lists]), quotes=quotes, trace=trace)


def _looks(asked: Asked, route: Route, day: date) -> tuple[Call, ...]:
    """Return the calls that tell of a day."""
    zone = list_answers.zone_argument(asked)
    newest = {"sort": "updatedAt", "order": "desc"}
    calls: list[Call] = [("list_notes", {"recursive": True, "limit": MOST_NOTES, **newest})]
    if not route.get("wrote"):
        pattern = {"pattern": _pattern(day, "").pattern, "mode": "regex", "limit": MOST_LINES}
        done = {"completed": True, "limit": MOST_NOTES, **newest, **zone}
        last = (day + timedelta(days=1)).isoformat()
        span = {"timeRange": f"{day.isoformat()}/{last}", **zone}
        calls += [("grep_notes", pattern), ("search_todos", done), (calendar_answers.TOOL, span)]
    return tuple(one for one in calls if one[0] in asked.tools)


def _of_day(asked: Asked, day: date) -> list[int]:
    """Return the notes whose titles or lines are of a day, those of that title first."""
    titled = [row["id"] for row in _rows(asked, "list_notes", "notes") if _is_of(row["title"], day)]
    lines = [
        row["noteId"]
        for row in _rows(asked, "grep_notes", "results")
        if any(_is_of(match["text"], day) for match in row["matches"])
    ]
    return list(dict.fromkeys([*titled, *lines]))[:MOST_READ]


def _passages(note: Text, day: date) -> Iterator[Ranked]:
    """Yield what a note says of a day: its beginning where it is titled so, what stands below a
    heading that names the day, and the lines that do.
    """
    if _is_of(note.title, day):
        start = len(note.content) - len(note.content.lstrip())
        end = min(len(note.content.rstrip()), start + answer_passages.LONGEST)
        if start < end:
            yield Ranked(note, start, end, 1.0, 0)
        return
    start, reach = 0, 0
    for line in note.content.splitlines(keepends=True):
        end = start + len(line)
        if start >= reach and _is_of(line, day):
            is_heading = _HEADING.match(line)
            reach = _section_end(note.content, end) if is_heading else end
            reach = min(reach, start + answer_passages.LONGEST)
            yield Ranked(note, start, start + len(note.content[start:reach].rstrip()), 1.0, 0)
        start = end


def _section_end(text: str, start: int) -> int:
    """Return where what stands below a heading ends."""
    following = re.compile(r"^#{1,6}\s", re.MULTILINE).search(text, start)
    return following.start() if following else len(text)


def _lists(asked: Asked, route: Route, day: date) -> tuple[list[str], tuple[Thing, ...]]:
    """Return the lists of what was on a day, was completed and was written on it, and what they
    show.
    """
    told = dates.day(route.language, day, asked.now)
    events = [
        calendar_answers.line_of(asked, route, row)
        for row in _rows(asked, calendar_answers.TOOL, "events")
        if row["source"] == "calendar"
    ]
    done = [
        row
        for row in _rows(asked, "search_todos", "todos")
        if _day_of(row.get("completedAt"), asked.now) == day
    ]
    notes = [
        row
        for row in _rows(asked, "list_notes", "notes")
        if day in (_day_of(row["updatedAt"], asked.now), _day_of(row.get("createdAt"), asked.now))
    ]
    if questions.read_question(asked.message).kind in ("who", "where"):
        done, notes = [], []
    named = {
        "was_on": events,
        "done_on": [f"- {row['title']}" for row in done[: list_answers.TODOS]],
        "written_on": list_answers.note_lines(notes[: list_answers.NOTES]),
    }
    lists = [
        "\n".join([route.phrase(name, day=told), *lines]) for name, lines in named.items() if lines
    ]
    return lists, (*list_answers.things("todo", done), *list_answers.things("note", notes))


def _rows(asked: Asked, tool: str, field: str) -> Sequence[Mapping[str, Any]]:
    return [row for one in asked.of(tool)[:1] for row in one.content.get(field, ())]


def _day_of(moment: str | None, now: datetime) -> date | None:
    return datetime.fromisoformat(moment).astimezone(now.tzinfo).date() if moment else None


def _is_of(text: str, day: date) -> bool:
    """Return whether a text names a day, without its year or with the same."""
    found = _pattern(day, r"(?:,? ?(?:de )?(?P<year{n}>\d{{4}})\b)?").finditer(text)
    return any(all(int(year) == day.year for year in one.groups() if year) for one in found)


@functools.lru_cache(maxsize=8)
def _pattern(day: date, year: str) -> re.Pattern[str]:
    """Return a pattern for how notes write a day, with one for the year that may follow."""
    number, month = f"0?{day.day}", day.month
    tables = language_data.of_all(Dates)
    named = (name for one in tables for name in one.months.get(month, ()) if len(name) > 2)
    names = "|".join(sorted({*named, *_accented(month)}, key=lambda name: (-len(name), name)))
    forms = (
        day.isoformat(),
        rf"\b{number}\.\s?0?{month}\." + year.format(n=1),
        rf"{month}月{day.day}[日号]",
        rf"\b{number}(?:\.|st|nd|rd|th|er)? (?:of |de )?(?:{names})\b\.?" + year.format(n=2),
        rf"\b(?:{names})\.? (?:the )?{number}(?:st|nd|rd|th)?\b" + year.format(n=3),
    )
    return re.compile(f"(?i)(?:{'|'.join(forms)})")


def _accented(month: int) -> Iterator[str]:
    """Yield the names of a month as they are written, with their accents."""
    for table in language_data.of_all(Phrases):
        if table.dates:
            yield table.dates.months[month - 1].lower()


def _holds(pattern: Pieces, text: str) -> bool:
    joined = language_data.join_pattern(pattern)
    return bool(joined) and re.search(joined, text) is not None
