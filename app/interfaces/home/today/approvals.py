"""What waits for a yes or no: the card that asks, and the answer.

A page shows the card by `approval_view` and the macro in `templates/home/approval.html`.
"""

import re
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import encode
from app.interfaces.home.back import back_of
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.languages.said import said
from app.interfaces.languages.words import Words
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit

MOST = 50
MOST_LINES = 60
ABOUT = re.compile(r"\w+ “([^”]*)”")
ADDRESSES = {"note": "/notes/", "todo": "/todos/"}
REMEMBERED = ("once", "session", "tool")


class Line(NamedTuple):
    """A line of what would change: added, taken away, or neither."""

    kind: str
    text: str


class ApprovalView(NamedTuple):
    """What the card says: who wants what, what would change, why it is asked, until when.

    `lasting`: a yes may hold for longer than once.
    """

    id: int
    who: str
    wants: str
    about: str
    address: str
    lines: list[Line]
    cut: bool
    reason: str
    asked: str
    until: str
    careful: bool
    lasting: bool
    state: str


class _Asked(msgspec.Struct, rename="camel"):
    """An escalation as it goes out, of which the card is made."""

    id: int
    status: str
    origin: dict[str, Any]
    requested_by: dict[str, Any]
    tool_name: str
    summary: str
    reason: str
    preview: dict[str, str] | None
    risk: str
    target: dict[str, Any] | None
    created_at: str
    expires_at: str


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/approvals", show),
        Route("/approvals/{id}", show_card),
        Route("/approvals/{id}", decide, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show all that waits, and what was decided last."""
    waiting = await person.call("list_escalations", limit=MOST)
    decided = await person.call("list_escalations", status="decided", limit=20)
    return await person.show(
        "today/approvals",
        place="today",
        parts=["todos"],
        waiting=[approval_view(person, one) for one in waiting.escalations],
        decided=[approval_view(person, one) for one in decided.escalations],
    )


@for_person
async def show_card(visit: Visit, person: Person) -> Response:
    """Show one card for a script to put where it is asked: in a talk with the agent."""
    found = await person.call("read_escalation", id=visit.number_in_path())
    return await person.piece("today/approval_card", view=approval_view(person, found.escalation))


@for_person
async def decide(visit: Visit, person: Person) -> Response:
    """Let what waits go on, or stop it."""
    form = await form_of(visit)
    remember = value_of(form, "remember")
    is_yes = value_of(form, "decision") == "continue"
    done = await person.call(
        "decide_escalation",
        id=visit.number_in_path(),
        decision="continue" if is_yes else "stop",
        remember=remember if is_yes and remember in REMEMBERED else "once",
    )
    view = approval_view(person, done.escalation)
    did = "refused" if not is_yes else "allowed_failed" if view.state == "failed" else "allowed"
    return see(back_of(visit, form, "/approvals"), did=did, what=what_of(view))


def approval_view(person: Person, escalation: Any) -> ApprovalView:
    """Return what the card says of an escalation's record."""
    one = msgspec.json.decode(encode(escalation), type=_Asked)
    t, target = person.words, one.target or {}
    found = ABOUT.match(one.summary)
    wants = f"approval.wants.{one.tool_name}"
    known = t.has(wants)
    lines = _lines(t, (one.preview or {}).get("text", ""), (one.preview or {}).get("kind", ""))
    return ApprovalView(
        id=one.id,
        who=_who(person, one),
        wants=t(wants) if known else t("approval.wants_tool", tool=one.tool_name),
        about=found[1] if found and known else "",
        address=f"{ADDRESSES[target['kind']]}{target['id']}"
        if target.get("kind") in ADDRESSES
        else "",
        lines=lines[:MOST_LINES],
        cut=len(lines) > MOST_LINES,
        reason=said(person.words, one.reason),
        asked=ago(person, one.created_at),
        until=person.dates.full(one.expires_at),
        careful=one.risk == "high",
        lasting=one.risk != "high",
        state=one.status,
    )


def what_of(view: ApprovalView) -> str:
    """Return what is asked for in one line."""
    return f"{view.wants} {view.about}".strip()


def ago(person: Person, moment: str) -> str:
    """Return how long ago a moment was, in words."""
    minutes = int((person.dates.now - person.dates.local(moment)).total_seconds() // 60)
    if minutes < 1:
        return person.words("approval.just_now")
    if minutes < 60:
        return person.words("approval.minutes", n=minutes)
    if minutes < 24 * 60:
        return person.words("approval.hours", n=minutes // 60)
    return person.dates.full(moment)


def _who(person: Person, one: _Asked) -> str:
    """Return who asks, by where the call came from and the name of whoever made it."""
    kind, name = str(one.origin.get("kind", "")), str(one.requested_by.get("name") or "")
    known = f"approval.who.{kind}"
    return person.words(known, asker=name) if person.words.has(known) else name


def _lines(words: Words, text: str, kind: str) -> list[Line]:
    if kind != "diff":
        return [_field_line(words, line) for line in text.splitlines()]
    # The first two name the note before and after, the third says where in it the change begins.
    return [_diff_line(line) for line in text.split("\n")[3:]]


def _field_line(words: Words, line: str) -> Line:
    """Return a line that begins with a field's name, with what people call that field."""
    name, parted, rest = line.partition(": ")
    known = f"approval.field.{name.replace('_', '').lower()}"
    return Line("", f"{words(known)}: {rest}" if parted and words.has(known) else line)


def _diff_line(line: str) -> Line:
    if line.startswith("@@"):
        return Line("at", "⋯")
    kind = {"+": "plus", "-": "minus"}.get(line[:1], "")
    return Line(kind, f"{'−' if kind == 'minus' else line[:1] or ' '} {line[1:]}")
