"""The inbox: who waits for an answer, and every conversation with others, newest first."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.excerpts import excerpt
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.home.marked_text import Piece, marked_pieces
from app.interfaces.home.people.people_page import show_people
from app.interfaces.home.people.talks import MOST, MOST_BESIDE, list_talks
from app.interfaces.pages.visit import Visit

MOST_FOUND = 50
AROUND = 80
LONGEST = 4_000


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/people", show), Route("/people/talks", talks)]


@for_person
async def show(visit: Visit, person: Person) -> Response:
    """Show the inbox, or the messages that hold the words of a query."""
    query = " ".join(visit.query_params.get("q", "").split())
    told: dict[str, Any] = {"query": query, "found": None, "pieces": _around}
    if query:
        told["found"] = await person.call("list_conversations", q=query, limit=MOST_FOUND)
    requests = await person.call("list_requests")
    offset = visit.number_asked("from")
    talks, more = ([], False) if query else await list_talks(person, MOST, offset)
    return await show_people(
        person,
        "inbox",
        incoming=requests.incoming,
        talks=talks,
        offset=offset,
        earlier=offset + MOST if more else 0,
        later=max(0, offset - MOST),
        here=0,
        **told,
    )


@for_person
async def talks(visit: Visit, person: Person) -> Response:
    """Give the list of conversations as it is now, beside the one that is `here`."""
    here = visit.number_asked("here")
    found, _ = await list_talks(person, MOST_BESIDE if here else MOST, visit.number_asked("from"))
    return await person.piece("people/talks", talks=found, here=here)


def _around(content: str, query: str) -> list[Piece]:
    """Return what stands around the first of the words in a message, with all of them marked."""
    text, words = excerpt(content, LONGEST), query.casefold().split()
    folded = text.casefold()
    if len(folded) != len(text):  # then places in one are not those in the other
        return marked_pieces(text[: 3 * AROUND], ())
    first = min((at for word in words if (at := folded.find(word)) >= 0), default=0)
    start = text.rfind(" ", 0, max(0, first - AROUND)) + 1
    marks = sorted((at, at + len(word)) for word in words if (at := folded[start:].find(word)) >= 0)
    before = [Piece("… ", marked=False)] if start else []
    return [*before, *marked_pieces(text[start : first + 2 * AROUND], marks)]
