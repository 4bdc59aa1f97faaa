"""What others wrote, and what waits for a decision."""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers, note_answers
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, call_tool

TOOL = "list_conversations"
SHOWN = 10
LAST = 5
LONGEST = 300


def tell_unread(asked: Asked, route: Route) -> Step:
    """List the messages of others that are unread, the newest conversation first."""
    if not asked.results:
        return call_tool(TOOL, limit=20, messageLimit=SHOWN)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    lines = []
    for conversation in asked.of(TOOL)[0].content["conversations"]:
        # The chats with one's own agent are no messages of others.
        if conversation["contact"] is None and conversation["group"] is None:
            continue
        unread = conversation["unreadCount"]
        # What an agent answered in between is no message of theirs.
        written = [one for one in conversation["messages"] if one["role"] == "user"]
        lines += [_line(one) for one in written[-unread:] if unread]
    if not lines:
        return Step(route.phrase("no_unread"))
    return Step("\n".join([route.phrase("unread", count=len(lines)), *lines[:SHOWN]]))


def tell_from_person(asked: Asked, route: Route) -> Step:
    """List the last messages of a person; of who wrote none, the notes may say something."""
    who = route.get("who").lstrip("@")
    if not asked.has(TOOL) and TOOL in asked.tools:
        return Step(calls=(("search_contact", {"query": who}), (TOOL, {"limit": 20})))
    messages = [
        message
        for result in asked.of(TOOL)
        for conversation in result.content["conversations"]
        if _is_with(conversation, who)
        for message in conversation["messages"]
        if message["role"] == "user" and message["senderId"] == conversation["contact"]["userId"]
    ]
    if messages:
        head = route.phrase("from_them", who=route.get("who"))
        return Step("\n".join([head, *map(_line, messages[-LAST:])]))
    searched = tuple(one for one in asked.results if one.tool not in (TOOL, "search_contact"))
    return note_answers.answer_question(msgspec.structs.replace(asked, results=searched), route)


def tell_waiting(asked: Asked, route: Route) -> Step:
    """List what waits for a yes or no."""
    if not asked.results:
        return call_tool("list_escalations", limit=SHOWN)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    rows = asked.of("list_escalations")[0].content["escalations"]
    if not rows:
        return Step(route.phrase("none_waiting"))
    lines = [f"- {row['id']}: {row['summary']}" for row in rows]
    head = route.phrase("waiting", count=len(rows))
    return Step("\n".join([head, *lines, route.phrase("how_to_decide")]))


def _is_with(conversation: Mapping[str, Any], who: str) -> bool:
    contact = conversation["contact"] or {}
    names = {str(contact.get("username", "")).casefold(), str(contact.get("name", "")).casefold()}
    names |= {name.partition(" ")[0] for name in names}
    # Where no spaces part names, the family name begins and the given name ends the whole.
    whole = str(contact.get("name", ""))
    part = questions.is_asian(who) and (whole.startswith(who) or whole.endswith(who))
    return bool(contact) and (who.casefold() in names or part)


def _line(message: Mapping[str, Any]) -> str:
    text = " ".join(message["content"].split())
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"- {message['senderLabel']}: {shown}"
