"""What happened while a person was away: the heartbeat's runs, messages, guests, requests."""

from datetime import timedelta
from typing import Any, NamedTuple

import msgspec

from app.core.markdown.shortened import one_line
from app.interfaces.home.home_page import Person
from app.interfaces.languages.said import said

LOOKED_BACK = timedelta(days=1)
RUNS, TALKS, GUESTS, MOST = 3, 20, 5, 8
LONGEST = 120


class Event(NamedTuple):
    """One thing that happened; `why` is what stands beside it."""

    at: str
    kind: str
    text: str
    why: str
    address: str


async def meanwhile(person: Person) -> list[Event]:
    """Return what happened in the last day, and what is unread, the newest first."""
    since = person.dates.now - LOOKED_BACK
    found = [
        *await _runs(person),
        *await _talks(person),
        *await _guests(person),
        *await _requests(person),
    ]
    recent = [
        one for one in found if one.kind != "heartbeat" or person.dates.local(one.at) >= since
    ]
    return sorted(recent, key=lambda one: one.at, reverse=True)[:MOST]


async def _runs(person: Person) -> list[Event]:
    runs = (await person.call("list_heartbeat_runs", limit=RUNS)).runs
    return [
        Event(
            run.started_at,
            "heartbeat",
            _run_said(person, run),
            _run_why(person, run),
            f"/heartbeat/runs/{run.id}",
        )
        for run in runs
    ]


def _run_said(person: Person, run: Any) -> str:
    if run.error is not msgspec.UNSET:
        return person.words("today.run.failed")
    return said(person.words, run.summary)[:300] or person.words("today.run.nothing")


def _run_why(person: Person, run: Any) -> str:
    why = [person.words(f"today.run.{run.source}")]
    if run.dry_run:
        why.append(person.words("today.run.rehearsal"))
    if run.skip_reason:
        name = f"heartbeat.skip.{run.skip_reason}"
        why.append(person.words(name) if person.words.has(name) else run.skip_reason)
    if run.insights:
        why.append(said(person.words, run.insights[0])[:200])
    return " · ".join(why)


async def _talks(person: Person) -> list[Event]:
    talks = await person.call("list_conversations", limit=TALKS, messageLimit=1)
    # One's own agent has not written by itself; what the heartbeat did stands here already.
    unread = [
        talk for talk in talks.conversations if talk.unread_count and (talk.contact or talk.group)
    ]
    return [
        Event(
            talk.updated_at,
            "message",
            person.words("today.wrote", n=talk.unread_count, who=talk.title),
            one_line(talk.messages[-1].content, LONGEST) if talk.messages else "",
            f"/people/c/{talk.conversation_id}",
        )
        for talk in unread
    ]


async def _guests(person: Person) -> list[Event]:
    since = person.dates.now - LOOKED_BACK
    found = await person.call("list_guest_conversations", limit=GUESTS)
    return [
        Event(
            talk.last_active_at,
            "guest",
            person.words(
                "today.guest" if talk.link_label else "today.guest_unnamed",
                n=talk.message_count,
                who=talk.visitor.name or person.words("today.a_guest"),
                link=talk.link_label,
            ),
            "",
            f"/people/guests/{talk.session_id}",
        )
        for talk in found.conversations
        if person.dates.local(talk.last_active_at) >= since
    ]


async def _requests(person: Person) -> list[Event]:
    found = await person.call("list_requests")
    return [
        Event(
            one.created_at,
            "request",
            person.words("today.request", who=one.from_.name),
            one_line(one.note or "", LONGEST),
            "/people",
        )
        for one in found.incoming[:GUESTS]
    ]
