"""The agent: conversations, what it says, and a line to say something."""

import functools
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.operator import is_alone
from app.interfaces.home.rendered import html_of
from app.interfaces.languages.said import said_lines
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

AGENT = "/agent"
HEARTBEAT = "Heartbeat"
"""The title of the conversation in which the heartbeat tells what it has to tell."""
MOST_TALKS = 30
MOST_MESSAGES = 60


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route(AGENT, start),
        Route(AGENT + "/say", say, methods=["POST"]),
        Route(AGENT + "/talks/{id}", talk),
        Route(AGENT + "/talks/{id}/delete", delete, methods=["POST"]),
        Route(AGENT + "/talks/{id}/answer/{message}", answer),
    ]


@for_person
async def start(visit: Visit, person: Person) -> Response:
    """Show where a conversation begins, and those that there were."""
    offset = visit.number_asked("from")
    page = await person.call("page_conversations", own=True, limit=MOST_TALKS, offset=offset)
    return await _shown(
        visit,
        person,
        talks=page.conversations,
        offset=offset,
        earlier=offset + MOST_TALKS if page.more else 0,
        later=max(0, offset - MOST_TALKS),
        draft=visit.query_params.get("say", "")[:4000],
    )


@for_person
async def talk(visit: Visit, person: Person) -> Response:
    """Show a conversation: its newest messages, or those before one."""
    before = visit.number_asked("before")
    found = await person.call(
        "read_conversation",
        id=visit.number_in_path(),
        limit=MOST_MESSAGES,
        **({"before": before} if before else {}),
    )
    if found.conversation.unread_count and not before:
        await person.call("mark_read", id=found.conversation.conversation_id)
    return await _shown(visit, person, found=found, draft="")


async def _shown(visit: Visit, person: Person, **values: Any) -> Response:
    models = (await person.call("list_models")).models
    return await person.show(
        "agent/agent",
        place="agent",
        parts=["agent"],
        models=models,
        alone=await is_alone(visit),
        excerpt=excerpt,
        speaks=any(each.name != "offline" for each in models),
        html_of=html_of,
        heard=functools.partial(_heard, person),
        **{"found": None, "talks": [], **values},
    )


def _heard(person: Person, talk: Any, text: str) -> str:
    """Return what stands in a conversation: that of the heartbeat in the person's language."""
    return said_lines(person.words, text) if talk.title == HEARTBEAT else text


@for_person
async def answer(visit: Visit, person: Person) -> Response:
    """Give one message as the page shows it, once it is whole."""
    number = visit.number_in_path("message")
    found = await person.call(
        "read_conversation", id=visit.number_in_path(), limit=1, before=number + 1
    )
    await person.call("mark_read", id=found.conversation.conversation_id, messageId=number)
    return await person.piece(
        "agent/messages",
        messages=found.messages,
        html_of=html_of,
        found=found,
        heard=functools.partial(_heard, person),
    )


@for_person
async def say(visit: Visit, person: Person) -> Response:
    """Say something without a script, and wait for the whole answer."""
    form = await form_of(visit)
    talk_id, model = as_number(value_of(form, "talk")), value_of(form, "model")
    told = await person.call(
        "chat",
        message=value_of(form, "message"),
        stream=False,
        **({"conversationId": talk_id} if talk_id else {}),
        **({"model": model} if model else {}),
    )
    return see(f"{AGENT}/talks/{told.conversation_id}#m{told.message_id}")


@for_person
async def delete(visit: Visit, person: Person) -> Response:
    """Delete a conversation for good."""
    await person.call("delete_conversation", id=visit.number_in_path())
    return see(AGENT, did="talk_deleted")
