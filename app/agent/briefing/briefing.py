"""Briefings: how things stand, by todos, notes, e-mails and events.

They are made by rules and kept.
"""

import sqlite3
from typing import Annotated

import msgspec
from msgspec import Meta

from app.account.users import TimeZone
from app.agent.briefing import briefing_rows
from app.agent.briefing.mail import Email
from app.agent.calendar.free_time import CalendarEvent
from app.agent.memory import episode_sources
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, Tool, operation
from app.core.process.lazy_import import lazy_import
from app.core.schema import Id, Line, Most, Record, json_column
from app.errors import NotFound
from app.workspace.folders import access
from app.workspace.todos import due

USUAL = "last 24 hours"
_ITEM = {
    "type": "object",
    "properties": {
        name: {"type": "string"} for name in ("title", "description", "action", "suggestionId")
    },
    "required": ["title", "description", "action", "suggestionId"],
}

Duration = Annotated[
    str,
    Meta(
        description="`last N minutes`, `hours`, `days` or `weeks`; anything else is a label for "
        "the last 24 hours"
    ),
    Line(0, 64),
]
Emails = Annotated[list[Email], Meta(max_length=200)]
Events = Annotated[list[CalendarEvent], Meta(max_length=200)]


class TokenUsage(Record):
    """The tokens that a model took; 0 where the rules alone wrote it."""

    total: int


class Briefing(Record):
    """A whole briefing; the summaries are HTML fragments."""

    id: int
    briefing_id: int
    status_quo_summary: str
    todo_summary: str
    calendar_summary: str
    notes_summary: str
    email_attention_summary: str
    suggestions: json_column({"type": "array", "items": _ITEM})  # type: ignore[valid-type]
    token_usage: TokenUsage
    time_duration: str
    generated_at: str


class BriefingAnswer(Record):
    briefing: Briefing


class BriefingItem(Record):
    """A briefing in a list."""

    id: int
    briefing_id: int
    status_quo_summary: str
    time_duration: str
    generated_at: str


class BriefingList(Record):
    briefings: list[BriefingItem]


@operation(
    "POST /briefing",
    scope="agent.chat:run",
    http=Http(refuses={"calendarEvents": "one ends before it begins"}),
    tool=Tool(risk="W"),
)
async def briefing(
    app: App,
    me: Caller,
    *,
    time_duration: Duration | None = None,
    emails: Emails | None = None,
    calendar_events: Events | None = None,
    user_timezone: TimeZone | None = None,
) -> Briefing:
    """Make and keep a briefing of due todos, changed notes, and the e-mails and events given.

    Without `calendarEvents` it takes the events of the connected calendars.

    Of the workspace it tells what the credential may read.
    """
    zone = app.quick(due.request_zone, me, user_timezone)
    # The notes that steer the agent are no news to its owner.
    me = app.quick(access.hide_policy_notes, me)
    making = await lazy_import("app.agent.briefing.make_briefing")
    draft = await making.make_briefing(
        app, me, time_duration or USUAL, zone, emails or [], calendar_events
    )
    return await app.write(_store_briefing, me, draft)


@operation("GET /briefings", scope="agent.chat:read")
def list_briefings(
    tx: Tx, me: Caller, *, limit: Annotated[int, Meta(ge=1), Most(50)] = 10
) -> BriefingList:
    """List the last briefings, newest first."""
    rows = briefing_rows.list_newest(tx, me.user, limit)
    return BriefingList([BriefingItem(row["id"], *row) for row in rows])


@operation("GET /briefings/{id}", scope="agent.chat:read", quick=True)
def get_briefing(tx: Tx, me: Caller, *, id: Id) -> BriefingAnswer:
    """Read one briefing."""
    found = briefing_rows.find(tx, me.user, id)
    if found is None:
        raise NotFound("There is no such briefing.")
    return BriefingAnswer(_briefing_record(found))


def _store_briefing(tx: Tx, me: Caller, draft: briefing_rows.Draft) -> Briefing:
    row = briefing_rows.insert(tx, me.user, draft)
    episode_sources.add_briefing(tx, row)
    return _briefing_record(row)


def _briefing_record(row: sqlite3.Row) -> Briefing:
    return copy_fields(
        Briefing,
        row,
        briefing_id=row["id"],
        status_quo_summary=row["status_summary"],
        email_attention_summary=row["email_summary"],
        suggestions=msgspec.Raw(row["suggestions"].encode()),
        token_usage=TokenUsage(row["tokens"]),
    )
