"""The agent's memory: search what was said, done and noted, and write facts into notes."""

import math
import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account.users import Name
from app.agent.memory import recall
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.fit_types import copy_fields
from app.core.operation import Http, Taint, Tool, operation
from app.core.schema import Most, Record, Text
from app.core.text import fold_name
from app.errors import Invalid, PayloadTooLarge, RateLimited
from app.workspace.folders import create_folder, folder_rows
from app.workspace.notes import note_edits, note_rows
from app.workspace.todos import due

DAILY, SELF, RELATIONSHIPS = "Daily", "Self", "Relationships"
LONG_TERM = "MEMORY.md"
USUAL_LIMIT = 10
LONGEST_FACT = 4_000
LARGEST_NOTE = 256 << 10
BEFORE_WRITE = "auto: before memory write"
HEARTBEAT_HOURLY = 1
HEARTBEAT_DAILY: dict[str, int] = {"daily": 4, "long_term": 3}
_BULLET = re.compile(r"^[-*+][ \t]+(?:(?:\d{4}-\d\d-\d\d|\d\d:\d\d):[ \t]+)?")

HitKind = Literal["conversation", "memory_note", "heartbeat", "briefing"]
WriteKind = Literal["daily", "long_term", "relationship"]
Limit = Annotated[int, Meta(ge=1), Most(50)]


class MemoryHit(Record):
    """Something that was found; `path` is a note's path, else the address where it can be read.

    A higher `score`, up to 1, fits better.
    """

    title: str
    snippet: str
    path: str
    kind: HitKind
    score: float
    at: str
    note_id: int | UnsetType = UNSET
    conversation_id: int | UnsetType = UNSET


class MemoryResults(Record):
    results: list[MemoryHit]


class MemoryFound(Record):
    results: list[MemoryHit]
    result: MemoryResults


# A class and no field, since the contract's record has none for it.
class MemoryOfOthers(MemoryFound):
    """What was found, with something among it that others or their agents wrote."""


def _memory_taint(found: MemoryFound) -> Taint | None:
    """Return whose words a result holds besides the user's own."""
    return "agent" if isinstance(found, MemoryOfOthers) else None


class MemoryNote(Record):
    """The note that holds a fact."""

    id: int
    title: str
    path: str
    revision: int


class Remembered(Record):
    """Where a fact stands; `written` is false where it stood there already."""

    note: MemoryNote
    written: bool


class Place(msgspec.Struct, frozen=True):
    """The note that a fact goes to.

    The folders above it, its title, and what its line begins with.
    """

    folders: tuple[str, ...]
    title: str
    mark: str


@operation(
    "POST /os/memory/search",
    scope="os.memory:read",
    effect="read",
    http=Http(stoppable=True),
    tool=Tool(risk="R", taint=_memory_taint),
)
async def memory_search(
    app: App,
    me: Caller,
    *,
    query: Annotated[str, Meta(min_length=1, max_length=1000)],
    limit: Limit | None = None,
    max_results: Limit | None = None,
) -> MemoryFound:
    """Search what was said and done before, and the notes below Memory/.

    That is own conversations, briefings, runs of the heartbeat, and facts. They are found by words
    and, with a model, by meaning; what is older counts less, facts never fade. `limit` is 10
    unless it is given, `maxResults` the same by another name. `updated:"last week"`,
    `after:2026-11-01` and `before:2026-11-08` narrow the days; alone they list the newest of them.
    """
    found = await recall.recall(app, me, query, limit or max_results or USUAL_LIMIT)
    hits = [_hit_record(one) for one in found]
    others = app.quick(
        _is_with_others,
        me,
        [one.conversation_id for one in found if one.conversation_id is not None],
    )
    return (MemoryOfOthers if others else MemoryFound)(hits, MemoryResults(hits))


@operation("TOOL", scope="os.notes:write", tool=Tool(risk="W"))
def memory_write(
    tx: Tx,
    me: Caller,
    *,
    kind: WriteKind,
    content: Annotated[str, Meta(min_length=1), Text(LONGEST_FACT)],
    username: Name | None = None,
) -> Remembered:
    """Remember something that happened today, a lasting fact, or something about a person.

    `daily` is what happened today, `long_term` a lasting fact, `relationship` something about the
    person `username`. It is added as a dated line to a note below Memory/, whose state before is
    kept as a snapshot; what stands there already is not written twice.
    """
    fact = _as_list_item(content)
    if not fact:
        raise Invalid("content must say something.", field="content")
    place = _place_of_fact(tx, me, kind, username)
    # Nobody watches a heartbeat, so it could fill the memory unseen.
    if me.kind == "heartbeat" and (seconds := seconds_to_wait(tx, me, kind)):
        raise RateLimited(
            "The heartbeat has written into the memory as often as it may for now.",
            retryAfter=seconds,
        )
    folder_id, _ = create_folder.ensure_path(tx, me, me.user, None, list(place.folders))
    note = recall.find_note(tx, me.user, folder_id, place.title)
    # Models remember the same thing again and again.
    if note is not None and _holds_fact(note["content"], fact):
        return Remembered(_memory_note(tx, note["id"]), written=False)
    note_id = _append_fact(tx, me, place, folder_id, note, fact)
    tx.insert("memory_writes", user_id=me.user, kind=kind, by=me.kind, at=tx.now)
    return Remembered(_memory_note(tx, note_id), written=True)


def count_writes(tx: Tx, user: int, *, by: str, since: str, kind: WriteKind | None = None) -> int:
    """Count what callers of one kind, such as `heartbeat`, have written into a user's memory
    since a moment: facts of one kind, or all.
    """
    return int(
        tx.value(
            "SELECT count(*) FROM memory_writes "
            "WHERE user_id = :user AND by = :by AND at >= :since "
            "AND kind = ifnull(:kind, kind)",
            user=user,
            by=by,
            since=since,
            kind=kind,
        )
    )


def note_for_fact(tx: Tx, me: Caller, kind: WriteKind, username: str | None) -> int | None:
    """Return the id of the note to which such a fact would be added now, None where it would be
    made.
    """
    place = _place_of_fact(tx, me, kind, username)
    folder_id = recall.memory_folder(tx, me.user, *place.folders[1:])
    if folder_id is None:
        return None
    note = recall.find_note(tx, me.user, folder_id, place.title, columns="id")
    return None if note is None else int(note["id"])


def seconds_to_wait(tx: Tx, me: Caller, kind: WriteKind) -> int:
    """Return the seconds until a heartbeat of the caller's user may write a fact of that kind; 0
    when it may now. Days are those of the user's zone.
    """
    # Stamps have milliseconds: what is exactly an hour old counts no more.
    within_hour = stamp(tx.moment - timedelta(hours=1) + timedelta(milliseconds=1))
    if count_writes(tx, me.user, by="heartbeat", since=within_hour) >= HEARTBEAT_HOURLY:
        last = tx.value(
            "SELECT max(at) FROM memory_writes WHERE user_id = :me AND by = 'heartbeat'", me=me.user
        )
        return _seconds_until(tx.moment, datetime.fromisoformat(last) + timedelta(hours=1))
    zone = due.request_zone(tx, me)
    today = tx.moment.astimezone(zone).date()
    day = due.days_span(today, today, zone)
    if (
        kind in HEARTBEAT_DAILY
        and count_writes(tx, me.user, by="heartbeat", since=day.since, kind=kind)
        >= HEARTBEAT_DAILY[kind]
    ):
        return _seconds_until(tx.moment, datetime.fromisoformat(day.until))
    return 0


def _hit_record(one: recall.Recalled) -> MemoryHit:
    note_id = UNSET if one.note_id is None else one.note_id
    conversation_id = UNSET if one.conversation_id is None else one.conversation_id
    return copy_fields(
        MemoryHit,
        one,
        kind=cast(HitKind, one.kind),
        note_id=note_id,
        conversation_id=conversation_id,
    )


def _place_of_fact(tx: Tx, me: Caller, kind: WriteKind, username: str | None) -> Place:
    """Return the note that a fact goes to; a day is one of the user's zone."""
    now = tx.moment.astimezone(due.request_zone(tx, me))
    today = now.date().isoformat()
    match kind:
        case "daily":
            return Place((recall.FOLDER, DAILY), today, f"{now:%H:%M}")
        case "long_term":
            return Place((recall.FOLDER, SELF), LONG_TERM, today)
        case "relationship":
            if username is None:
                raise Invalid(
                    "username must name the person whom a fact of the kind relationship is about.",
                    field="username",
                )
            return Place((recall.FOLDER, RELATIONSHIPS), f"{username}.md", today)


def _append_fact(
    tx: Tx, me: Caller, place: Place, folder_id: int | None, note: sqlite3.Row | None, fact: str
) -> int:
    """Add a fact as the last item of a note, made if it is missing; return the note's id."""
    line = f"- {place.mark}: {fact}\n"
    text = note_rows.measure_text(line if note is None else _append_line(note["content"], line))
    # A note that only grows would be slow to open, and is cut for the agent anyway.
    if text.size > LARGEST_NOTE:
        where = "/".join((*place.folders, place.title))
        raise PayloadTooLarge(
            f"{where} would become larger than {LARGEST_NOTE >> 10} KiB; shorten that note first.",
            field="content",
            limitBytes=LARGEST_NOTE,
        )
    if note is None:
        return note_rows.insert(
            tx, owner=me.user, folder_id=folder_id, title=place.title, text=text
        )
    note_edits.apply_edit(tx, me, note, note_edits.NoteEdit(None, text, None), label=BEFORE_WRITE)
    return int(note["id"])


def _memory_note(tx: Tx, note_id: int) -> MemoryNote:
    row = tx.require_row("SELECT title, folder_id, revision FROM notes WHERE id = :id", id=note_id)
    return MemoryNote(
        note_id,
        row["title"],
        f"{folder_rows.folder_path(tx, row['folder_id'])}/{row['title']}",
        row["revision"],
    )


def _as_list_item(content: str) -> str:
    """Return a fact as one item of a list: without a mark of its own, further lines indented."""
    lines = [line.rstrip() for line in content.splitlines() if line.strip()]
    return (
        "\n  ".join([_BULLET.sub("", lines[0].strip()), *(line.strip() for line in lines[1:])])
        if lines
        else ""
    )


def _append_line(content: str, line: str) -> str:
    kept = content.rstrip()
    if not kept:
        return line
    last = kept.rpartition("\n")[2]
    return (
        # A blank line inside of a list would make two lists of it.
        f"{kept}\n{line}" if _BULLET.match(last) or last.startswith("  ") else f"{kept}\n\n{line}"
    )


def _holds_fact(content: str, fact: str) -> bool:
    """Return whether one of the items or lines of a text says the same, whatever its date, case and
    spaces.
    """
    wanted = _comparison_key(fact)
    items: list[str] = []
    for line in content.splitlines():
        if items and line[:2] in ("  ", "\t"):
            items[-1] += f" {line}"
        else:
            items.append(_BULLET.sub("", line))
    return any(_comparison_key(item) == wanted for item in items)


def _comparison_key(text: str) -> str:
    return " ".join(fold_name(text).split()).rstrip(".!。！ ")


def _seconds_until(now: datetime, until: datetime) -> int:
    return max(1, math.ceil((until - now).total_seconds()))


def _is_with_others(tx: Tx, me: Caller, conversations: Sequence[int]) -> bool:
    """Return whether one of some conversations is with anyone but the caller's own agent."""
    return any(
        tx.one(
            "SELECT 1 FROM conversations "
            "WHERE id = :id AND NOT (type = 'direct' AND owner_id IS :me)",
            id=id_,
            me=me.user,
        )
        is not None
        for id_ in dict.fromkeys(conversations)
    )
