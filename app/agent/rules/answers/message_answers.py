"""What others wrote."""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.agent.rules.answers import list_answers, note_answers
from app.agent.rules.dialogue import dialogue_words, references
from app.agent.rules.passages import questions
from app.agent.rules.routing.routing import Route
from app.agent.turn.steps import Asked, Step, Thing, Trace, call_tool

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
    lines: list[str] = []
    people: list[Thing] = []
    for conversation in asked.of(TOOL)[0].content["conversations"]:
        # The chats with one's own agent are no messages of others.
        if conversation["contact"] is None and conversation["group"] is None:
            continue
        unread = conversation["unreadCount"]
        # What an agent answered in between is no message of theirs.
        written = [one for one in conversation["messages"] if one["role"] == "user"]
        lines += [line(one) for one in written[-unread:] if unread]
        if unread and conversation["contact"]:
            people.append(person(conversation["contact"]))
    if not lines:
        return Step(route.phrase("no_unread"))
    text = "\n".join([route.phrase("unread", count=len(lines)), *lines[:SHOWN]])
    return Step(text, trace=Trace(about=tuple(people)))


def tell_last(asked: Asked, route: Route) -> Step:
    """Tell who wrote last, and what: the newest message of each of the others."""
    if not asked.has(TOOL):
        return call_tool(TOOL, limit=20, messageLimit=SHOWN)
    if asked.refusal:
        return list_answers.tell_refusal(asked, route)
    found = [
        (written[-1], conversation["contact"])
        for conversation in asked.of(TOOL)[0].content["conversations"]
        if conversation["contact"] is not None and (written := written_by_contact(conversation))
    ]
    if not found:
        return Step(route.phrase("no_messages"))
    found.sort(key=lambda one: str(one[0]["createdAt"]), reverse=True)
    lines = [line(message) for message, _ in found[:LAST]]
    about = (person(found[0][1]),)
    return Step("\n".join([route.phrase("last_messages"), *lines]), trace=Trace(about=about))


def written_by_contact(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the messages of the contact in a conversation, and not those of its agents."""
    who = conversation["contact"]["userId"]
    return [
        message
        for message in conversation["messages"]
        if message["role"] == "user" and message["senderId"] == who
    ]


def tell_from_person(asked: Asked, route: Route) -> Step:
    """List the last messages of a person; of who wrote none, the notes may say something."""
    who = named_person(asked, route)
    if not asked.has(TOOL) and TOOL in asked.tools:
        return Step(calls=(("search_contact", {"query": who}), (TOOL, {"limit": 20})))
    messages = [
        message
        for result in asked.of(TOOL)
        for conversation in result.content["conversations"]
        if _is_with(conversation, who)
        for message in written_by_contact(conversation)
    ]
    if messages:
        head = route.phrase("from_them", who=who)
        about = tuple(
            person(conversation["contact"])
            for result in asked.of(TOOL)
            for conversation in result.content["conversations"]
            if _is_with(conversation, who)
        )
        text = "\n".join([head, *map(line, messages[-LAST:])])
        return Step(text, trace=Trace(about=about[:1]))
    known = [row for result in asked.of("search_contact") for row in result.content["contacts"]]
    is_known = bool(known)
    about = tuple(map(person, known[:1]))
    none = Step(route.phrase("none_from", who=who), trace=Trace(about=about))
    if is_known and route.get("wrote"):
        return none
    searched = tuple(one for one in asked.results if one.tool not in (TOOL, "search_contact"))
    rest = msgspec.structs.replace(asked, results=searched)
    step = note_answers.answer_question(rest, route)
    return none if is_known and step.empty and not step.calls else step


def named_person(asked: Asked, route: Route) -> str:
    """Return the name of whom a message means; “he” is who was spoken of last."""
    who = route.get("who").lstrip("@")
    tables = dialogue_words.tables(route.language)
    if not who or any(dialogue_words.fits(table.person, who) for table in tables):
        return references.last_person(asked) or who
    return who


def person(contact: Mapping[str, Any]) -> Thing:
    """Return a contact as a person to refer to."""
    return Thing("person", 0, contact["username"])


def _is_with(conversation: Mapping[str, Any], who: str) -> bool:
    contact = conversation["contact"] or {}
    names = {str(contact.get("username", "")).casefold(), str(contact.get("name", "")).casefold()}
    names |= {name.partition(" ")[0] for name in names}
    # Where no spaces part names, the family name begins and the given name ends the whole.
    whole = str(contact.get("name", ""))
    part = questions.is_asian(who) and (whole.startswith(who) or whole.endswith(who))
    return bool(contact) and (who.casefold() in names or part)


def line(message: Mapping[str, Any]) -> str:
    """Return a message, and who wrote it, as a line of a list."""
    text = " ".join(message["content"].split())
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"- {message['senderLabel']}: {shown}"
