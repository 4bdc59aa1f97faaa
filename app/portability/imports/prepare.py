"""Makes what a source gives fit to be stored.

Names, times, tags and sizes within their limits, and a line for each thing that had to be
changed.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, time, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from app.core.database.tx import stamp, utc_now
from app.core.schema import is_invisible
from app.core.text import fold_name
from app.errors import Invalid, PayloadTooLarge
from app.portability.content import address_links
from app.portability.content.clean_text import moment_from_epoch
from app.portability.content.source_items import (
    Folders,
    NotCarried,
    SourceFolder,
    SourceNote,
    SourceTodo,
)
from app.workspace.folders import paths
from app.workspace.index import note_tags
from app.workspace.notes import note_rows
from app.workspace.todos import due, recurrence, todo_steps
from app.workspace.todos.todo_records import HIGHEST_PRIORITY

UNTITLED = "Untitled"
LONGEST_DESCRIPTION = 20_000
_TODO_TITLE, _STEP = 500, 255
_IN_HTML = re.compile(r"""\b(href|src)\s*=\s*(["'])(note|attachment):([^"'<>]{1,3000})\2""", 2)
_FROM_HTML = re.compile(r"\]\(<?/_import/(note|attachment)/([^()\s<>]+)>?(?=[)\s])")
_IMAGE = re.compile(
    r"""<img\b[^>]{0,2000}?\bsrc\s*=\s*["'](attachment:[^"'<>]{1,3000})["'][^>]{0,2000}>""", 2
)
Lines = list[NotCarried]


class ReadyNote(NamedTuple):
    """A note as it can be stored; `wants` is what its text refers to."""

    source: SourceNote
    path: Folders
    title: str
    text: note_rows.Text
    tags: str
    created: str | None
    updated: str | None
    wants: frozenset[tuple[address_links.Kind, str]]
    digest: bytes


class ReadyTodo(NamedTuple):
    """A todo as it can be stored."""

    source: SourceTodo
    title: str
    description: str | None
    priority: int
    due_date: str | None
    steps: str
    step_count: int
    recurrence: str | None
    completed_at: str | None
    created: str | None
    updated: str | None
    digest: bytes


class ReadyFolder(NamedTuple):
    """A folder as it can be made."""

    source: SourceFolder
    path: Folders
    created: str | None


Ready = ReadyNote | ReadyTodo | ReadyFolder


def prepare_folder(source: SourceFolder, into: Folders, lines: Lines) -> ReadyFolder:
    """Return a folder with a path that can be one."""
    if source.description:
        lines.append(
            NotCarried("/".join(source.path), "folders have no description; it was left out")
        )
    return ReadyFolder(
        source,
        prepare_path(source.path, into, lines),
        prepare_moment(source.created, "/".join(source.path), "created", lines),
    )


def prepare_note(
    source: SourceNote,
    into: Folders,
    lines: Lines,
    *,
    zone: tzinfo = UTC,
    now: datetime | None = None,
) -> ReadyNote | None:
    """Return a note within all limits, or None, telling why, for one that cannot be carried.

    Times without a zone are of this one.
    """
    name = "/".join([*source.path, source.title])[:500]
    content = storable_text(
        source.text if source.form == "markdown" else _html_to_markdown(source.text), name, lines
    )
    try:
        text = note_rows.measure_text(content)
    except PayloadTooLarge:
        lines.append(NotCarried(name, "it is larger than 10 MiB"))
        return None
    tags = _prepare_tags(source.tags, name, lines)
    created, updated = (
        prepare_moment(source.created, name, "created", lines),
        prepare_moment(source.updated, name, "updated", lines),
    )
    title = clean_name(source.title, name, lines)
    place = prepare_path(source.path, into, lines)
    told = (place, title, tags, source.pinned, created, updated)
    times = _note_times(source, created, updated, zone, now or utc_now())
    return ReadyNote(
        source,
        place,
        title,
        text,
        tags,
        *times,
        frozenset(address_links.referenced_keys(content)),
        state_digest(told, content),
    )


def prepare_todo(source: SourceTodo, zone: ZoneInfo, lines: Lines) -> ReadyTodo:
    """Return a todo within all limits."""
    name = source.title[:300] or "a todo without a title"
    steps = _prepare_steps(source.steps, name, lines)
    description = source.description
    if description is not None:
        description = storable_text(description, name, lines)
        if len(description) > LONGEST_DESCRIPTION:
            lines.append(
                NotCarried(name, f"its description was cut after {LONGEST_DESCRIPTION} characters")
            )
            description = description[:LONGEST_DESCRIPTION]
    due_date = _prepare_due(source.due, name, zone, lines)
    again = _prepare_recurrence(source, name, due_date, zone, lines)
    ready = ReadyTodo(
        source,
        clean_name(source.title, name, lines, most=_TODO_TITLE),
        description,
        min(max(source.priority or 0, 0), HIGHEST_PRIORITY),
        due_date,
        msgspec.json.encode(steps).decode(),
        len(steps),
        again,
        prepare_moment(source.completed_at, name, "completed", lines),
        prepare_moment(source.created, name, "created", lines),
        prepare_moment(source.updated, name, "updated", lines),
        b"",
    )
    return ready._replace(
        source=_check_wall_time(source), digest=state_digest((ready[1:-1], source.completed), "")
    )


def prepare_path(names: Folders, into: Folders, lines: Lines) -> Folders:
    """Return a path whose segments can all be names of folders.

    What would lie too deep lies in the last folder that can be.
    """
    whole = "/".join(names)[:500]
    found = [
        clean_name(
            name.replace("/", "-").replace("\\", "-") if name not in (".", "..") else "_",
            whole,
            lines,
        )
        for name in names
    ]
    found = [*into, *found]
    if len(found) > paths.DEEPEST:
        lines.append(
            NotCarried(whole, f"it was nested deeper than {paths.DEEPEST} folders and was moved up")
        )
        found = found[: paths.DEEPEST]
    return tuple(found)


def clean_name(name: str, whole: str, lines: Lines, *, most: int = 255) -> str:
    """Return the title or folder name that comes closest to a name."""
    text = unicodedata.normalize("NFC", _replace_surrogates(name))
    if not text.isprintable():
        text = "".join(
            " " if unicodedata.category(mark) in ("Cc", "Zl", "Zp") else mark for mark in text
        )
    text = text.strip()
    if len(text) > most:
        lines.append(NotCarried(whole, f"a name was cut after {most} characters"))
        text = text[:most].strip()
    return UNTITLED if is_invisible(text) else text or UNTITLED


def storable_text(text: str, name: str, lines: Lines) -> str:
    """Return a text without what cannot be stored."""
    if "\0" in text:
        lines.append(NotCarried(name, "NUL characters were removed from its text"))
        text = text.replace("\0", "")
    found = _replace_surrogates(text)
    if found is not text:
        lines.append(NotCarried(name, "invalid characters in its text were replaced"))
    return found


def prepare_moment(text: str | None, name: str, what: str, lines: Lines) -> str | None:
    """Return a time of the source as it is stored.

    None, telling why, for what is no time that there can be.
    """
    if text is None or not text.strip():
        return None
    given = text.strip()
    try:
        return _stored_moment(given, UTC)
    except (ValueError, OverflowError):
        lines.append(
            NotCarried(
                name,
                f"its {what} time {given[:60]!r} is not an ISO 8601 time from year 1 to "
                "9999 in ISO 8601",
            )
        )
        return None


def _note_times(
    source: SourceNote, created: str | None, updated: str | None, zone: tzinfo, now: datetime
) -> tuple[str | None, str | None]:
    """Return when a note was made and changed.

    As it says itself, else by the day that it is of, else by its file; never in the future.
    """
    created = _stored_moment_or(source.created, zone, created)
    updated = _stored_moment_or(source.updated, zone, updated)
    present = stamp(now)  # clocks of other machines are wrong at times, and so are files' dates
    if created is None and source.day is not None:
        day = _stored_moment_or(source.day.isoformat(), zone, None)
        created = day if day is None or day <= present else None
    changed = (
        moment_from_epoch(source.modified, 1) if source.modified and source.modified > 0 else None
    )
    if updated is None and changed is not None:
        updated = max(min(changed, present), created or "")
    return created, updated


def _stored_moment_or(text: str | None, zone: tzinfo, otherwise: str | None) -> str | None:
    try:
        return _stored_moment(text.strip(), zone) if text is not None else otherwise
    except (ValueError, OverflowError):
        return otherwise


def _stored_moment(text: str, zone: tzinfo) -> str:
    found = datetime.fromisoformat(text)
    return stamp((found.replace(tzinfo=zone) if found.tzinfo is None else found).astimezone(UTC))


def state_digest(told: Any, text: str) -> bytes:
    """Return what tells one state of a thing from another."""
    summed = hashlib.blake2b(msgspec.json.encode(told), digest_size=16)
    summed.update(text.encode())
    return summed.digest()


def _replace_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _html_to_markdown(html: str) -> str:
    """Return the Markdown of a text in HTML, addresses of the source kept.

    They go through the converter as paths.
    """
    from app.core.markdown.from_html.from_html import from_html

    # The converter drops images without a web address, so ours go through it as links.
    html = _IMAGE.sub(lambda match: f'<a href="{match[1]}">image</a>', html)
    html = _IN_HTML.sub(
        lambda match: f"{match[1]}={match[2]}/_import/{match[3]}/{match[4]}{match[2]}", html
    )
    return _FROM_HTML.sub(lambda match: f"]({match[1]}:{match[2]}", from_html(html))


def _prepare_tags(given: Sequence[str], name: str, lines: Lines) -> str:
    unique: dict[str, str] = {}
    for written in given:
        tag = note_tags.without_hash(_replace_surrogates(written))
        try:
            checked = note_tags.clean_tag(tag)
        except ValueError as error:
            if tag:
                lines.append(NotCarried(name, f"its tag {tag[:80]!r} {error}"))
            continue
        unique.setdefault(fold_name(checked), checked)
    kept = list(unique.values())
    if len(kept) > note_tags.MOST:
        lines.append(
            NotCarried(name, f"it has {len(kept)} tags, of which {note_tags.MOST} were imported")
        )
    return note_tags.pack_tags(kept[: note_tags.MOST])


def _prepare_steps(
    given: tuple[tuple[str, bool], ...], name: str, lines: Lines
) -> list[todo_steps.Step]:
    if len(given) > todo_steps.MOST:
        lines.append(
            NotCarried(name, f"it has {len(given)} steps, of which {todo_steps.MOST} were imported")
        )
    kept = given[: todo_steps.MOST]
    return [
        todo_steps.Step(number, clean_name(title, name, lines, most=_STEP), completed=done)
        for number, (title, done) in enumerate(kept, 1)
    ]


def _check_wall_time(source: SourceTodo) -> SourceTodo:
    """Return a todo without a wall time that is none."""
    if source.wall is not None:
        try:
            time.fromisoformat(source.wall)
        except ValueError:
            return msgspec.structs.replace(source, wall=None)
    return source


def _prepare_due(given: str | None, name: str, zone: ZoneInfo, lines: Lines) -> str | None:
    if given is None or not given.strip():
        return None
    try:
        return due.parse_due(given.strip(), zone)
    except Invalid:
        lines.append(
            NotCarried(name, f"its due date {given[:60]!r} is not a date from year 1 to 9999")
        )
        return None


def _prepare_recurrence(
    source: SourceTodo, name: str, due_date: str | None, zone: ZoneInfo, lines: Lines
) -> str | None:
    if source.rule is None:
        return None
    if due_date is None:
        lines.append(NotCarried(name, f"it repeats ({source.rule[:100]}), but has no due date"))
        return None
    try:
        rule = recurrence.Recurrence(source.rule, source.counted_from)
        if not source.completed:
            recurrence.require_dates(rule.rule, due.local_day(due_date, zone))
    except (ValueError, Invalid) as error:
        lines.append(
            NotCarried(name, f"its recurrence rule {source.rule[:100]!r} is not supported: {error}")
        )
        return None
    return msgspec.json.encode(rule).decode()
