"""Briefings: how things stand, from todos, notes and what the asker knows of e-mails and events, made by rules and kept."""

import asyncio
import sqlite3
from datetime import timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from app.account import users
from app.account.users import TimeZone
from app.agent import briefing_facts, briefing_html, briefing_rows, calendar, mail, rewriting, suggestions
from app.agent.briefing_html import Fragment, Material
from app.agent.calendar import CalendarEvent
from app.agent.mail import Email
from app.agent.model_rewriter import rewriter_for
from app.agent.rewriting import Rewritten
from app.agent.suggestions import Suggestion
from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.regex import regex
from app.core.rewriting import Draft, Piece
from app.core.shapes import Id, Line, Most, Record, encode, json_column
from app.core.tx import Tx, stamp
from app.errors import NotFound
from app.workspace import due

USUAL = "last 24 hours"
USUAL_HOURS = 24
LONGEST_DAYS = 36_500
_DURATION = regex(r"(?:the )?(?:last|past)\s+(?:(\d{1,6})\s+)?(minute|hour|day|week)s?")
_ITEM = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("title", "description", "action", "suggestionId")},
    "required": ["title", "description", "action", "suggestionId"],
}

Duration = Annotated[
    str, Meta(description="`last N minutes`, `hours`, `days` or `weeks`; anything else is a label for the last 24 hours"), Line(0, 64)
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


@operation("POST /briefing", scope="agent.chat:run", category="agent", tool=True)
async def briefing(
    app: App, me: Caller, *, time_duration: Duration | None = None, emails: Emails | None = None, calendar_events: Events | None = None,
    user_timezone: TimeZone | None = None,
) -> Briefing:  # fmt: skip
    """Say how things stand: todos that are due, notes that changed, and the e-mails and events that are given; the briefing is kept.

    Of the workspace it tells what the credential may read.
    """
    label, now = time_duration or USUAL, app.clock()
    zone = app.quick(due.zone_of, me, user_timezone)
    facts = await app.read(briefing_facts.gather, me, zone, stamp(now - window(label)))
    events = calendar.events_of(calendar_events or [], zone)
    material = Material(now.astimezone(zone), facts, mail.items(emails or [], zone), events)
    fragments, ideas = await asyncio.to_thread(_written, material, me.user_id)
    fragments, ideas, used = await _in_better_words(app, me, fragments, ideas)
    html = {name: fragment.html for name, fragment in fragments.items()}
    draft = briefing_rows.Draft(
        label, html["status"], html["todo"], html["calendar"], html["notes"], html["email"], encode(ideas).decode(), used, stamp(now)
    )
    return await app.write(_keep, me, draft)


@operation("GET /briefings", scope="agent.chat:read", category="agent")
def list_briefings(tx: Tx, me: Caller, *, limit: Annotated[int, Meta(ge=1), Most(50)] = 10) -> BriefingList:
    """List the last briefings, newest first."""
    rows = briefing_rows.newest(tx, me.user, limit)
    return BriefingList([BriefingItem(row["id"], row["id"], row["status_summary"], row["time_duration"], row["generated_at"]) for row in rows])


@operation("GET /briefings/{id}", scope="agent.chat:read", category="agent", since="beyond", quick=True)
def get_briefing(tx: Tx, me: Caller, *, id: Id) -> BriefingAnswer:
    """Read one briefing."""
    found = briefing_rows.get(tx, me.user, id)
    if found is None:
        raise NotFound("There is no such briefing.")
    return BriefingAnswer(_shown(found))


def window(label: str) -> timedelta:
    """Give the stretch of time that a label names, a day for one that names none."""
    match = _DURATION.fullmatch(label.strip().lower())
    if match is None:
        return timedelta(hours=USUAL_HOURS)
    return min(timedelta(**{f"{match[2]}s": int(match[1] or 1)}), timedelta(days=LONGEST_DAYS))


def _written(material: Material, user_id: str) -> tuple[dict[str, Fragment], list[Suggestion]]:
    return briefing_html.fragments_of(material), suggestions.suggest(material, user_id)


async def _in_better_words(
    app: App, me: Caller, fragments: dict[str, Fragment], ideas: list[Suggestion]
) -> tuple[dict[str, Fragment], list[Suggestion], int]:
    """Let a model, where there is one, rewrite the sentences and order the suggestions; lists and actions stay as they are."""
    rewriter = rewriter_for(app, me)
    if rewriter is None:
        return fragments, ideas, 0
    pieces = [Piece(name, "", fragment.lead) for name, fragment in fragments.items()]
    pieces += [Piece(idea.suggestion_id, idea.title, idea.description) for idea in ideas]
    locale = app.quick(users.settings_of, me).locale
    said: Rewritten = await rewriting.rewritten(rewriter, Draft("briefing", locale, pieces))
    actions = {idea.suggestion_id: idea.action for idea in ideas}
    leads = {piece.id: piece.text for piece in said.pieces}
    reworded = {name: fragment._replace(lead=leads[name]) for name, fragment in fragments.items()}
    reordered = [Suggestion(piece.title, piece.text, actions[piece.id], piece.id) for piece in said.pieces if piece.id in actions]
    return reworded, reordered, said.tokens


def _keep(tx: Tx, me: Caller, draft: briefing_rows.Draft) -> Briefing:
    return _shown(briefing_rows.insert(tx, me.user, draft))


def _shown(row: sqlite3.Row) -> Briefing:
    return Briefing(
        row["id"], row["id"], row["status_summary"], row["todo_summary"], row["calendar_summary"], row["notes_summary"], row["email_summary"],
        msgspec.Raw(row["suggestions"].encode()), TokenUsage(row["tokens"]), row["time_duration"], row["generated_at"],
    )  # fmt: skip
