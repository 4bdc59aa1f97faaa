"""The five summaries of a briefing.

Written with the facts of each item in its entry, and read back from whatever a client posts.
"""

import functools
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

from msgspec import Meta

from app.agent.priorities import expiring_mail, quadrants
from app.agent.priorities.items import Item, Source
from app.agent.priorities.quadrants import Scored
from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ThingWords
from app.core.markdown import html_fragments
from app.core.markdown.html_fragments import Row
from app.core.schema import Text
from app.workspace.todos.todo_records import TOP_PRIORITY
from app.workspace.todos.todo_rows import fold_text

MOST_CHARACTERS = 100_000
LONGEST = 300
Summary = Annotated[
    str,
    Meta(description=f"HTML or plain text of at most {MOST_CHARACTERS} characters"),
    Text(MOST_CHARACTERS),
]
SOURCES: dict[str, Source] = {
    "todo": "todo",
    "calendar": "calendar",
    "notes": "note",
    "email": "email",
    "status": "other",
}
_PRIORITY = re.compile(r"\bpriority:?\s*(10|[0-9])\b|\bp(?:riority )?\s?([0-5])/5\b")
_TOP = re.compile(r"(?<!\w)p1(?!\w)|!!!")


def item_entry(item: Item, aside: str = "") -> str:
    """Return an item as a list entry from which `read` makes the same item again."""
    when = (
        item.moment.isoformat(timespec="minutes")
        if item.moment
        else item.day.isoformat()
        if item.day
        else None
    )
    return html_fragments.list_entry(
        item.title,
        aside,
        id=item.id,
        title=item.title,
        hint=item.words,
        due=when,
        end=item.end.isoformat(timespec="minutes") if item.end else None,
        sent=item.sent.isoformat() if item.sent else None,
        priority=None if item.priority is None else f"{item.priority:g}",
        level=item.level,
        reply=None if item.needs_reply is None else str(int(item.needs_reply)),
        sender=item.sender,
        kind=item.kind,
        pinned="1" if item.pinned else None,
        conflict="1" if item.conflict else None,
    )


def items_of(summaries: Mapping[str, str | None], zone: ZoneInfo) -> list[Item]:
    """Return the items of the summaries, each once.

    The status is prose about the others: only without them are its sentences items.
    """
    found: dict[tuple[object, ...], Item] = {}
    for name in ("todo", "calendar", "email", "notes"):
        for row in html_fragments.read_entries(summaries.get(name) or ""):
            _add_row(found, row, SOURCES[name], zone)
    # Read last: its sentences count what stands in the others.
    status = [
        row
        for row in html_fragments.read_entries(summaries.get("status") or "")
        if row.listed or not found
    ]
    for row in status:
        _add_row(found, row, "other", zone)
    return list(found.values())


def weigh_items(summaries: Mapping[str, str | None], now: datetime, zone: ZoneInfo) -> list[Scored]:
    """Return the items of the summaries with their points, the weightiest first."""
    local = now.astimezone(zone)
    return quadrants.rank_items(expiring_mail.join_mail(items_of(summaries, zone), local), local)


def source_of(word: str) -> Source:
    """Return the source that a word names; `other` for what is none."""
    plain = fold_text(word.strip()[:40])
    known: tuple[Source, ...] = get_args(Source)
    meant = [source for source in known if source == plain]
    meant += [source for source, names in _source_names().items() if names.fullmatch(plain)]
    return meant[0] if meant else "other"


def _add_row(
    found: dict[tuple[object, ...], Item], row: Row, source: Source, zone: ZoneInfo
) -> None:
    if not is_empty_row(row):
        named = (
            source_of(row.facts["source"])
            if source == "other" and "source" in row.facts
            else source
        )
        item = _row_item(row, named, zone)
        # The same thing may stand in two lists; the first one knows it best.
        found.setdefault((named, item.title.casefold(), item.id, item.day, item.moment), item)


def is_empty_row(row: Row) -> bool:
    """Return whether a row only says that there is nothing, or how many there are."""
    # Our own sentences carry a mark, those of other clients are known by their words.
    if html_fragments.LEAD in row.facts or not html_fragments.fit_line(
        row.facts.get("title", row.text)
    ):
        return True
    plain = fold_text(row.text[:200])
    if "title" in row.facts:
        return False
    if not re.search(r"\w", plain) or _nothing().fullmatch(plain):
        return True
    return not row.listed and _counts().fullmatch(plain) is not None


@functools.cache
def _source_names() -> Mapping[Source, re.Pattern[str]]:
    tables = language_data.of_all(ThingWords)
    named = {source for one in tables for source in one.sources}
    return {
        source: re.compile(language_data.either(one.sources.get(source, "") for one in tables))
        for source in sorted(named)
    }


@functools.cache
def _nothing() -> re.Pattern[str]:
    none, all_done = _words("none"), _words("all_done")
    return re.compile(
        rf"(?:(?:{_words('there_is')})\s+)?(?:{none})"
        rf"(?:\W+\w+){{0,3}}?\W+(?:{_words('things')})\b(?:\W+\w+){{0,5}}\W*"
        rf"|(?:{none}|-+|{all_done})\W*"
    )


@functools.cache
def _counts() -> re.Pattern[str]:
    counted = f"{_words('things')}|{_words('pressing')}"
    return re.compile(
        rf"(?:{_words('you_have')})?\W*\d+(?:\W+\w+){{0,3}}?\W+(?:{counted})\b.{{0,120}}"
    )


@functools.cache
def _late_heading() -> re.Pattern[str]:
    return re.compile(_words("late"))


def _words(field: str) -> str:
    return language_data.any_of(ThingWords, lambda one: getattr(one, field))


def _row_item(row: Row, source: Source, zone: ZoneInfo) -> Item:
    facts = row.facts
    day, moment = _parse_when(facts.get("due", ""), zone)
    return Item(
        source=source,
        title=html_fragments.fit_line(facts.get("title", row.text), LONGEST),
        words=html_fragments.fit_line(_words_beside(row, source), LONGEST),
        day=None if moment else day,
        moment=moment,
        end=_parse_when(facts.get("end", ""), zone)[1],
        sent=_parse_when(facts.get("sent", ""), zone)[0],
        priority=_priority_share(row),
        level=_priority_level(facts.get("level", "")),
        needs_reply=_parse_flag(facts.get("reply")),
        sender=facts.get("sender", "")[:LONGEST],
        kind=facts.get("kind", "")[:LONGEST],
        pinned=_parse_flag(facts.get("pinned")) is True,
        conflict=_parse_flag(facts.get("conflict")) is True,
        id=facts.get("id", "")[:LONGEST],
    )


def _words_beside(row: Row, source: Source) -> str:
    """Return what is said beside the title.

    Of our own entries the hint, of others what stands in italics and above the list.
    """
    if "title" in row.facts:
        return row.facts.get("hint", "")
    # A heading such as “Past due” says of each entry what it does not say itself.
    late = source in ("todo", "other") and _late_heading().search(fold_text(row.heading))
    return f"{row.aside} {'overdue' if late else row.heading}".strip()


def _parse_when(text: str, zone: ZoneInfo) -> tuple[date | None, datetime | None]:
    try:
        if len(text) == 10:
            return date.fromisoformat(text), None
        found = datetime.fromisoformat(text)
        moment = found.replace(tzinfo=zone) if found.tzinfo is None else found.astimezone(zone)
    except (ValueError, OverflowError):
        return None, None
    return moment.date(), moment


def _priority_share(row: Row) -> float | None:
    """Return the share of the highest priority.

    As the facts say, else as the text does (5 and above is the highest, P1 too).
    """
    try:
        return max(0.0, min(1.0, float(row.facts["priority"])))
    except (KeyError, ValueError):
        pass
    if "title" in row.facts:
        return None
    plain = fold_text(f"{row.text} {row.aside}"[:LONGEST])
    if match := _PRIORITY.search(plain):
        return min(1.0, int(match[1] or match[2]) / TOP_PRIORITY)
    return 1.0 if _TOP.search(plain) else None


def _priority_level(text: str) -> Literal["high", "low", ""]:
    return "high" if text == "high" else "low" if text == "low" else ""


def _parse_flag(text: str | None) -> bool | None:
    return {"1": True, "true": True, "0": False, "false": False}.get(text or "")
