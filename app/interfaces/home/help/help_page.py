"""The guide in the browser: its pages, and a search over them."""

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.home.help import guide
from app.interfaces.home.home_page import Person, for_person
from app.interfaces.pages.visit import Visit

HELP = "/help"


def routes() -> list[Route]:
    """Give the routes."""
    return [Route(HELP, index), Route(HELP + "/{topic}", topic)]


@for_person
async def index(visit: Visit, person: Person) -> Response:
    """List the pages of the guide, or those that hold the words of a query."""
    query = visit.query_params.get("q", "").strip()
    return await person.show(
        "help/index",
        place="help",
        query=query,
        found=guide.find_topics(query),
        topics=list(guide.topics().values()),
    )


@for_person
async def topic(visit: Visit, person: Person) -> Response:
    """Show one page of the guide."""
    name = visit.path_params["topic"].removesuffix(".md")
    if name not in guide.topics():
        raise NotFound("There is no such page in the guide.")
    return await person.show(
        "help/topic", place="help", topic=guide.topics()[name], html=guide.page_html(name)
    )
