"""The list of notes, with the folders beside it, and where a `[[link]]` leads."""

from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.home_page import Person, for_person, see
from app.interfaces.home.notes.desk import ALL, desk, listing_of
from app.interfaces.pages.visit import Visit
from app.interfaces.reading.headings import fragment_of, last_heading

PARTS = ["notes"]


def routes() -> list[Route]:
    """Give the routes."""
    return [
        Route("/notes", show_all),
        Route("/notes/folder/{id}", show_folder),
        Route("/notes/named", follow),
    ]


@for_person
async def show_all(visit: Visit, person: Person) -> Response:
    """Show the list of all notes, of those under a tag, or of those in no folder."""
    found = await desk(person, listing_of(visit, ALL))
    return await person.show("notes", place="notes", parts=PARTS, **found)


@for_person
async def show_folder(visit: Visit, person: Person) -> Response:
    """Show the notes of a folder and of those below it."""
    folder = visit.number_in_path()
    found = await desk(person, listing_of(visit, str(folder)))
    if found["folder"] is None:
        raise NotFound(person.words("notes.no_folder"))
    return await person.show("notes", place="notes", parts=PARTS, **found)


@for_person
async def follow(visit: Visit, person: Person) -> Response:
    """Go to the note that `[[…]]` names; one that is not there can be begun."""
    target = visit.query_params.get("to", "")[:600]
    path, _, headings = target.partition("#")
    title = path.rpartition("/")[2].strip()
    if title:
        asked = {"q": path.strip()[:1000], "kinds": "note", "limit": 20}
        found = await person.call("find_by_name", **asked)
        wanted = title.casefold().removesuffix(".md")
        named = [one for one in found.results if wanted == one.title.casefold().removesuffix(".md")]
        called = [one for one in found.results if wanted == (one.alias or "").casefold()]
        if named or len(called) == 1:
            note = (named or called)[0].id
            return see(f"/notes/{note}{fragment_of(last_heading(headings))}")
    return see(f"/notes/new?title={quote(title, safe='')}")
