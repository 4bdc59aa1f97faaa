"""Make a briefing.

Facts are gathered, told by rules, and put into better words where there is a model.
"""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.account import users
from app.agent.briefing import (
    briefing_facts,
    briefing_html,
    briefing_rows,
    mail,
    rewriting,
    suggestions,
)
from app.agent.briefing.briefing_html import Fragment, Material
from app.agent.briefing.mail import Email
from app.agent.briefing.model_rewriter import rewriter_for
from app.agent.briefing.suggestions import Suggestion
from app.agent.calendar import free_time
from app.agent.calendar.free_time import CalendarEvent, Event
from app.agent.quickadd import time_ranges
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import stamp
from app.core.markdown.html_fragments import fit_line
from app.core.rewriter import Draft, Piece
from app.core.schema import encode
from app.tools.calendars import calendar_rows, calendars
from app.tools.calendars.calendars import Occurrence

USUAL_HOURS = 24
CALENDAR_DAYS = 4
MOST_EVENTS = 200
LONGEST_DAYS = 36_500
_DURATION = re.compile(r"(?:the )?(?:last|past)\s+(?:(\d{1,6})\s+)?(minute|hour|day|week)s?")


async def make_briefing(
    app: App,
    me: Caller,
    label: str,
    zone: ZoneInfo,
    emails: Sequence[Email],
    given: Sequence[CalendarEvent] | None,
) -> briefing_rows.Draft:
    """Return a briefing to be kept.

    Of the stretch that `label` names, with the events that are given or else those of the
    connected calendars.
    """
    now = app.clock()
    facts = await app.read(briefing_facts.gather_facts, me, zone, stamp(now - label_window(label)))
    events = (
        free_time.events_of(given, zone)
        if given is not None
        else await _calendar_events(app, me, now.astimezone(zone))
    )
    material = Material(now.astimezone(zone), facts, mail.mail_items(emails, zone), events)
    # Hundreds of mails are weighed by patterns: too long for the loop.
    fragments = await asyncio.to_thread(briefing_html.fragments_of, material)
    ideas = await asyncio.to_thread(suggestions.suggest, material, me.user_id)
    fragments, ideas, used = await _rewrite_by_model(app, me, fragments, ideas)
    html = {name: fragment.html for name, fragment in fragments.items()}
    return briefing_rows.Draft(
        label,
        html["status"],
        html["todo"],
        html["calendar"],
        html["notes"],
        html["email"],
        encode(ideas).decode(),
        used,
        stamp(now),
    )


def label_window(label: str) -> timedelta:
    """Return the stretch of time that a label names, a day for one that names none."""
    match = _DURATION.fullmatch(label.strip().lower())
    if match is None:
        return timedelta(hours=USUAL_HOURS)
    # A label may say 999999 weeks, which no date reaches back to.
    return min(timedelta(**{f"{match[2]}s": int(match[1] or 1)}), timedelta(days=LONGEST_DAYS))


async def _calendar_events(app: App, me: Caller, now: datetime) -> list[Event]:
    """Return what the caller's calendars hold for these days, as far as the credential may read
    it.
    """
    if not me.may(("os.todos:read",)) or not app.quick(calendar_rows.any_of, me):
        return []
    ahead = time_ranges.day(now.date(), now, CALENDAR_DAYS)
    found = await app.read(
        calendars.occurrences_between, me, ahead.start, ahead.end, most=MOST_EVENTS
    )
    return free_time.mark_conflicts(
        [
            Event(one.start, one.end, one.title or "(no title)", _beside_event(one), one.whole_day)
            for one in found
        ]
    )


def _beside_event(one: Occurrence) -> str:
    return ". ".join(fit_line(text, 200) for text in (one.words, one.place) if text)


async def _rewrite_by_model(
    app: App, me: Caller, fragments: dict[str, Fragment], ideas: list[Suggestion]
) -> tuple[dict[str, Fragment], list[Suggestion], int]:
    """Let a model, where there is one, rewrite the sentences and order the suggestions.

    Lists and actions stay as they are.
    """
    rewriter = rewriter_for(app, me)
    if rewriter is None:
        return fragments, ideas, 0
    pieces = [Piece(name, "", fragment.lead) for name, fragment in fragments.items()]
    pieces += [Piece(idea.suggestion_id, idea.title, idea.description) for idea in ideas]
    locale = app.quick(users.settings_of, me.user).locale
    said = await rewriting.rewrite_draft(rewriter, Draft("briefing", locale, pieces))
    actions = {idea.suggestion_id: idea.action for idea in ideas}
    leads = {piece.id: piece.text for piece in said.pieces}
    # Only sentences are a model's: numbers and lists stay those of the rules.
    reworded = {name: fragment._replace(lead=leads[name]) for name, fragment in fragments.items()}
    reordered = [
        Suggestion(piece.title, piece.text, actions[piece.id], piece.id)
        for piece in said.pieces
        if piece.id in actions
    ]
    return reworded, reordered, said.tokens
