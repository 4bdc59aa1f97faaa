"""What the properties of a todo or journal mean.

Moments in their zones, rules, priorities, and what has no place here.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, BinaryIO, cast

import msgspec

from app.errors import Invalid
from app.portability.content.clean_text import (
    clean_line,
    decode_base64,
    stored_moment,
    web_address,
    zone_named,
)
from app.portability.formats.ics.ics_lines import Component

_COMMA = re.compile(r"(?<!\\),")
_MORE = tuple(
    (
        "DUE DTSTART DESCRIPTION RRULE PRIORITY CATEGORIES LOCATION URL COMMENT ATTACH "
        "RECURRENCE-ID ATTENDEE"
    ).split()
)
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError)


class When(msgspec.Struct):
    """When a todo is due and how it comes again.

    Lines about what could not be understood, and sentences for the report.
    """

    due: str | None = None
    rule: str | None = None
    about: list[str] = msgspec.field(default_factory=list)
    lost: list[str] = msgspec.field(default_factory=list)


def when(component: Component, zones: Mapping[str, str]) -> When:
    """Return the due date: DUE, else DTSTART with DURATION, else the start of what recurs.

    A start beside it becomes a line.
    """
    found = When(due=moment(component, "DUE", zones))
    start = moment(component, "DTSTART", zones)
    if found.due is None and start is not None:
        found.due = _after(component, zones) or (start if "RRULE" in component else None)
    if start is not None and start != found.due:
        found.about.append(f"Start: {start}")
    for name in ("DUE", "DTSTART"):
        value, parameters = component.first(name)
        if value and moment(component, name, zones) is None:
            found.about.append(f"{name}: {clean_line(value, 60)}")
            found.lost.append(
                f"its {name} “{clean_line(value, 60)}” is not a date; it was added to the "
                "description"
            )
        elif _unknown_zone(value, parameters, zones):
            found.lost.append(
                f"its time zone “{clean_line(parameters['TZID'], 60)}” is unknown; your own was "
                "used"
            )
    _add_rule(component, found)
    return found


def moment(component: Component, name: str, zones: Mapping[str, str]) -> str | None:
    """Return a day, a moment in UTC, or a wall time where there is no zone.

    None for what is no date.
    """
    value, parameters = component.first(name)
    found = _parse_value(value, parameters, zones)
    return None if found is None else stored_moment(found)


def priority(component: Component) -> int | None:
    """Return ours for 1, the highest, to 9; 0 and what is no number are none."""
    # Not int() alone, which takes " ٣ " and numbers of a million digits too.
    value = component.text("PRIORITY")
    return (
        {1: 5, 2: 5, 3: 4, 4: 4, 5: 3, 6: 2, 7: 2, 8: 1, 9: 1}.get(int(value))
        if value.isascii() and value.isdecimal() and len(value) < 3
        else None
    )


def categories(component: Component) -> list[str]:
    """Return the categories of all lines."""
    return [
        name.strip().replace("\\,", ",").replace("\\;", ";")
        for value, _ in component.all("CATEGORIES")
        for name in _COMMA.split(value)
    ]


def extra_lines(
    component: Component, zones: Mapping[str, str], titles: Mapping[str, str]
) -> list[str]:
    """Return lines of the description for what a todo has no field for."""
    rows = [f"List: {component.calendar}"] if component.calendar else []
    rows += (
        [f"Tags: {', '.join(found)}"]
        if (found := [name for name in categories(component) if name])
        else []
    )
    rows += [
        f"{word}: {clean_line(component.text(name), 1_000)}"
        for name, word in (("LOCATION", "Place"), ("URL", "Link"))
        if component.text(name)
    ]
    rows += [f"Comment: {text.strip()}" for text in component.texts("COMMENT") if text.strip()]
    rows += [
        f"File: {page}" for value, _ in component.all("ATTACH") if (page := web_address(value))
    ]
    if (status := component.text("STATUS").upper()) in ("CANCELLED", "IN-PROCESS"):
        rows.append("Status: cancelled" if status == "CANCELLED" else "Status: begun")
    if (share := component.text("PERCENT-COMPLETE")).isdecimal() and share not in ("0", "100"):
        rows.append(f"Done: {share[:3]} %")
    if parent := titles.get(parent_of(component)):
        rows.append(f"Part of: {parent}")
    if "RECURRENCE-ID" in component and (day := moment(component, "RECURRENCE-ID", zones)):
        rows.append(f"Instead of: {day}")
    return rows


def is_done(component: Component) -> bool:
    """Return whether a todo is closed, be it completed or cancelled."""
    closed = component.text("STATUS").upper() in ("COMPLETED", "CANCELLED")
    return closed or "COMPLETED" in component or component.text("PERCENT-COMPLETE") == "100"


def has_only_a_title(component: Component) -> bool:
    """Return whether a step can hold all that a todo has."""
    return not component.inside and not any(name in component for name in _MORE)


def lost_reasons(component: Component) -> Iterator[str]:
    """Yield sentences about what does not come along at all."""
    if "VALARM" in component.inside:
        yield "its reminders were not imported"
    if component.name == "VTODO" and any(
        not web_address(value) for value, _ in component.all("ATTACH")
    ):
        yield "its attached files were not imported, because todos have no attachments"
    if "EXDATE" in component or "RDATE" in component:
        yield "dates added to or left out of its series were not imported"
    if component.name == "VJOURNAL" and "RRULE" in component:
        yield "its recurrence was not imported, because notes do not repeat"
    if "ATTENDEE" in component:
        yield "its attendees were not imported"


def parent_of(component: Component) -> str:
    """Return the UID of the todo that this one is a part of; empty if there is none."""
    for value, parameters in component.all("RELATED-TO"):
        if parameters.get("RELTYPE", "PARENT").upper() == "PARENT":
            return value.strip()
    return ""


def decoded(value: str, parameters: Mapping[str, str]) -> bytes:
    """Return the bytes of a file that stands in the calendar itself; none if it does not."""
    return decode_base64(value) if parameters.get("ENCODING", "").upper() == "BASE64" else b""


def opener(content: bytes) -> Callable[[], BinaryIO]:
    """Return what opens bytes as a stream."""
    return lambda: io.BytesIO(content)


def _add_rule(component: Component, found: When) -> None:
    from app.workspace.todos import recurrence

    for value, _ in component.all("RRULE")[:1]:
        try:
            rule = str(recurrence.parse_rule(value))
            if found.due is not None:
                recurrence.require_dates(rule, date.fromisoformat(found.due[:10]))
                found.rule = rule
                continue
            reason = "it repeats, but has no due date"
        except (ValueError, Invalid) as error:
            reason = f"its recurrence rule is not supported: {error}".removesuffix(".")
        found.about.append(f"Repeats: {clean_line(value, 500)}")
        found.lost.append(f"{reason}; the rule was added to the description")


def _parse_value(
    value: str, parameters: Mapping[str, str], zones: Mapping[str, str]
) -> date | datetime | None:
    from icalendar.prop import vDDDTypes

    try:
        found = cast(Any, vDDDTypes).from_ical(value.strip())
    except _BROKEN:
        return None
    if isinstance(found, datetime):
        return (
            found
            if found.tzinfo
            else found.replace(tzinfo=_zone(parameters.get("TZID", ""), zones))
        )
    return found if isinstance(found, date) else None


def _after(component: Component, zones: Mapping[str, str]) -> str | None:
    """Return the end of a todo that has a start and a duration."""
    from icalendar.prop import vDuration

    start = _parse_value(*component.first("DTSTART"), zones)
    try:
        length = cast(Any, vDuration).from_ical(component.first("DURATION")[0].strip())
        return (
            stored_moment(start + length)
            if start is not None and isinstance(length, timedelta)
            else None
        )
    except _BROKEN:
        return None


def _zone(name: str, zones: Mapping[str, str]) -> tzinfo | None:
    """Return a zone by its own name, by the end of a longer one, by Windows' name for it, or by
    what the calendar says of it.
    """
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    parts = name.strip("/").split("/")
    # Mozilla writes /mozilla.org/20050126_1/Europe/Berlin, and some zones have three parts.
    candidates = (
        name,
        zones.get(name, ""),
        WINDOWS_TO_OLSON.get(name, ""),
        "/".join(parts[-2:]),
        "/".join(parts[-3:]),
    )
    return next(filter(None, map(zone_named, candidates)), None)


def _unknown_zone(value: str, parameters: Mapping[str, str], zones: Mapping[str, str]) -> bool:
    return (
        "TZID" in parameters
        and "T" in value
        and not value.strip().endswith("Z")
        and _zone(parameters["TZID"], zones) is None
    )
