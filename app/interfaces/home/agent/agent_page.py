"""The agent: conversations, what it says, and a line to say something."""

import functools
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.marked_text import Piece, marked_words
from app.interfaces.home.operator import is_alone
from app.interfaces.home.rendered import html_of
from app.interfaces.languages.said import said_lines
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

AGENT = "/agent"
HEARTBEAT = "Heartbeat"
"""The title of the conversation in which the heartbeat tells what it has to tell."""
MOST_TALKS = 30
MOST_FOUND = 30
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
    """Show where a conversation begins, and those there were, or what a query finds in them."""
    offset = visit.number_asked("from")
    query = " ".join(visit.query_params.get("q", "").split())
    if query:
        return await _found(visit, person, query, offset)
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


async def _found(visit: Visit, person: Person, query: str, offset: int) -> Response:
    """Show the messages that hold the words of a query."""
    hits = await person.call("search_own_conversations", q=query, limit=MOST_FOUND, offset=offset)
    more = offset + MOST_FOUND < hits.total
    return await _shown(
        visit,
        person,
        query=query,
        hits=hits,
        offset=offset,
        earlier=offset + MOST_FOUND if more else 0,
        later=max(0, offset - MOST_FOUND),
        pieces=functools.partial(_pieces, person),
        draft="",
    )


@for_person
async def talk(visit: Visit, person: Person) -> Response:
    """Show a conversation: its newest messages, those before one, or those around one."""
    number = visit.number_in_path()
    before, at = visit.number_asked("before"), visit.number_asked("at")
    found = await person.call(
        "read_talk",
        id=number,
        limit=MOST_MESSAGES,
        **({"before": before} if before else {"at": at} if at else {}),
    )
    head = found.conversation
    if head.owner_id != person.caller.user_id or head.contact is not None:
        return see(f"/people/c/{number}")  # with a person, and not with one's own agent
    if head.unread_count and not found.has_later:
        await person.call("mark_read", id=number)
    draft = await _words_of(person, number, visit.number_asked("edit"))
    return await _shown(visit, person, found=found, draft=draft)


async def _shown(visit: Visit, person: Person, **values: Any) -> Response:
    models = (await person.call("list_models")).models
    return await person.show(
        "agent/agent",
        place="agent",
        parts=["agent"],
        models=models,
        alone=await is_alone(visit),
        excerpt=excerpt,
        speaks=_speaks(models),
        html_of=html_of,
        heard=functools.partial(_heard, person),
        **{"found": None, "talks": [], "query": "", **values},
    )


def _speaks(models: Any) -> bool:
    """Return whether one of the models is more than the rules."""
    return any(each.name != "offline" for each in models)


def _heard(person: Person, talk: Any, text: str) -> str:
    """Return what stands in a conversation: that of the heartbeat in the person's language."""
    return said_lines(person.words, text) if talk.title == HEARTBEAT else text


def _pieces(person: Person, hit: Any) -> list[Piece]:
    """Return the passage for which a message was found, with the words marked; of what the
    heartbeat says in another language its beginning.
    """
    whole = hit.message.content
    if hit.title == HEARTBEAT and (told := said_lines(person.words, whole)) != whole:
        return [Piece(excerpt(told, 200), marked=False)]
    return marked_words(hit.snippet, hit.marks)


async def _words_of(person: Person, talk_id: int, message: int) -> str:
    """Return what somebody said in a message of a conversation; empty for no such one."""
    if not message:
        return ""
    found = await person.call("read_conversation", id=talk_id, limit=1, before=message + 1)
    said = [each for each in found.messages if (each.id, each.role) == (message, "user")]
    return said[0].content if said else ""


@for_person
async def answer(visit: Visit, person: Person) -> Response:
    """Give an answer as the page shows it, once it is whole."""
    number = visit.number_in_path("message")
    found = await person.call("read_talk", id=visit.number_in_path(), limit=2, before=number + 1)
    models = (await person.call("list_models")).models
    await person.call("mark_read", id=found.conversation.conversation_id, messageId=number)
    return await person.piece(
        "agent/messages",
        messages=found.messages,
        speaks=_speaks(models),
        html_of=html_of,
        found=found,
        heard=functools.partial(_heard, person),
    )


@for_person
async def say(visit: Visit, person: Person) -> Response:
    """Say something without a script, and wait for the whole answer."""
    form = await form_of(visit)
    talk_id, model = as_number(value_of(form, "talk")), value_of(form, "model")
    again = as_number(value_of(form, "again"))
    once_more = await _words_of(person, talk_id, again) if talk_id and again else ""
    told = await person.call(
        "chat",
        message=once_more or value_of(form, "message"),
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
