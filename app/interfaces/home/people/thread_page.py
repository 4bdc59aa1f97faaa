"""A thread: its messages, what comes while it is open, and writing into it."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError, NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import talks
from app.interfaces.home.people.people_page import show_people
from app.interfaces.pages.forms import form_of, number_of, value_of
from app.interfaces.pages.visit import Visit

THREAD = "/people/c/{id}"
SHOWN, LOOKED_AT, MOST = 50, 20, 200


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(THREAD, show),
        Route(THREAD + "/new", news),
        Route(THREAD + "/send", send, methods=["POST"]),
        Route(THREAD + "/hide", hide, methods=["POST"]),
    ]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show a thread, and mark as read what is shown."""
    number = visit.number_in_path()
    return await shown(person, number, before=visit.number_asked("before") or None)


async def shown(
    person: Person,
    number: int,
    *,
    before: int | None = None,
    draft: str = "",
    refused: AppError | None = None,
) -> Response:
    """Show a thread; `draft` is what was written and could not be sent, for the `trouble` told."""
    found = await person.call(
        "read_conversation",
        id=number,
        limit=SHOWN,
        **({} if before is None else {"before": before}),
    )
    head, messages = found.conversation, found.messages
    to = talks.recipient_of(person, head, messages)
    if head.owner_id == person.caller.user_id and head.contact is None and not to:
        return see(f"/agent/talks/{number}")
    unread = head.unread_count if before is None else 0
    if unread:
        await person.call("mark_read", id=number, messageId=messages[-1].id)
    return await show_people(
        person,
        "thread",
        talk=talks.talk_of(person, head, messages),
        head=head,
        lines=talks.lines_of(person, messages, owns=_owns(person, head), unread=unread),
        has_more=found.has_more,
        before=before,
        to=to,
        agent=talks.kind_of(person, head) == "agent",
        talks=(await talks.list_talks(person, talks.MOST_BESIDE))[0],
        here=number,
        draft=draft,
        refused=refused,
    )


@for_person
async def news(visit: Visit, person: Person) -> Response:
    """Give the messages after one, and mark them as read."""
    number = visit.number_in_path()
    after = number_of([("after", visit.query_params.get("after", ""))], "after")
    found = await person.call("read_conversation", id=number, limit=LOOKED_AT)
    if found.has_more and found.messages[0].id > after:
        found = await person.call("read_conversation", id=number, limit=MOST)
    messages = found.messages
    new = [each for each in messages if each.id > after]
    if found.conversation.unread_count and new:
        await person.call("mark_read", id=number, messageId=new[-1].id)
    above = next((each for each in reversed(messages) if each.id <= after), None)
    owns = _owns(person, found.conversation)
    return await person.piece(
        "people/messages", lines=talks.lines_of(person, new, owns=owns, before=above)
    )


@for_person
async def send(visit: Visit, person: Person) -> Response:
    """Send what was written; the same form sent twice sends it once."""
    number, form = visit.number_in_path(), await form_of(visit)
    text, after = value_of(form, "message").replace("\r\n", "\n"), number_of(form, "after")
    found = await person.call("read_conversation", id=number, limit=LOOKED_AT)
    if not any(_is_same(person, each, text, after) for each in found.messages):
        to = talks.recipient_of(person, found.conversation, found.messages)
        if not to:
            raise NotFound(person.words("people.read_only"))
        try:
            sent = await person.call("send_message", to=to, message=text)
        except AppError as error:
            return await shown(person, number, draft=text, refused=error)
        return see_sent(sent)
    return see(f"/people/c/{number}#last")


@for_person
async def hide(visit: Visit, person: Person) -> Response:
    """Take a thread out of the inbox until its next message."""
    form = await form_of(visit)
    await person.call("delete_conversation", id=number_of(form, "id"))
    return see("/people", did="talk_hidden", what=value_of(form, "title"))


def see_sent(sent: Any) -> Response:
    """Return the answer that leads to where a message went."""
    waits = getattr(sent, "availability", None) in ("budget_spent", "paused")
    address = f"/people/c/{sent.conversation_id}"
    return (
        see(address, did="agent_later", what=sent.agent_name) if waits else see(address + "#last")
    )


def _owns(person: Person, head: Any) -> bool:
    """Return whether the agent in a thread is one's own."""
    return bool(head.owner_id == person.caller.user_id)


def _is_same(person: Person, message: Any, text: str, after: int) -> bool:
    return bool(
        message.id > after
        and message.sender_id == person.caller.user_id
        and message.content.strip() == text.strip()
    )
