"""Writing to somebody: a person, an agent or a group, with whom there may be no thread yet."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.errors import AppError
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.people import talks
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.thread_page import see_sent
from app.interfaces.pages.forms import form_of, value_of
from app.interfaces.pages.visit import Visit, as_number

NEW = "/people/new"
MOST_OFFERED = 200


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(NEW, show), Route(NEW, send, methods=["POST"])]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show where to write; who is written to already has a thread, which is shown instead."""
    to = visit.query_params.get("to", "").strip().lower()
    if to and (thread := await _find_thread(person, to)):
        return see(f"/people/c/{thread}#write")
    return await _shown(person, to=to)


@for_person
async def send(visit: Visit, person: Person) -> Response:
    """Send the message, and show the thread that it stands in."""
    form = await form_of(visit)
    to, text = value_of(form, "to").strip(), value_of(form, "message")
    try:
        return see_sent(await person.call("send_message", to=to, message=text))
    except AppError as error:
        return await _shown(person, to=to, draft=text, refused=error)


async def _shown(
    person: Person, *, to: str, draft: str = "", refused: AppError | None = None
) -> Response:
    return await show_people(
        person, "new", to=to, draft=draft, refused=refused, offered=await _offered(person)
    )


async def _offered(person: Person) -> list[tuple[str, str]]:
    """Return to whom one can write: what is typed, and who that is."""
    words = person.words
    offered = []
    for each in (await person.call("list_contacts", limit=MOST_OFFERED)).contacts:
        offered.append((each.username, each.name))
        if each.agent_access.received:
            agent = each.username + talks.AGENT_SUFFIX
            offered.append((agent, words("people.agent_of", name=each.name)))
    agents = (await person.call("list_managed_agents", status="active")).agents
    groups = (await person.call("list_groups")).groups
    return [
        *offered,
        *((each.handle, words("people.agent_named", name=each.name)) for each in agents),
        *((f"group:{each.conversation_id}", each.name) for each in groups),
    ]


async def _find_thread(person: Person, to: str) -> int:
    """Return the thread in which a message to somebody would stand; 0 where there is none."""
    if to.startswith("group:"):
        return as_number(to.removeprefix("group:")) or 0
    is_agent = to.endswith(talks.AGENT_SUFFIX)
    found: Any = await person.call(
        "list_conversations",
        view="coo" if is_agent else "me",
        contact=to.removesuffix(talks.AGENT_SUFFIX),
        messageLimit=1,
    )
    for head in found.conversations:
        is_managed = talks.managed_in(person, head, head.messages)
        wanted = "agent" if is_agent else "person"
        if talks.kind_of(person, head) == wanted and not is_managed:
            return int(head.conversation_id)
    return 0
