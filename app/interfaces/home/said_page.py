"""Why the API refused a script something, in the language of the person whose page it is."""

from starlette.responses import Response
from starlette.routing import Route

from app.interfaces.home.home_page import Person, for_script
from app.interfaces.languages.said import said
from app.interfaces.pages.pages import json_response
from app.interfaces.pages.visit import Visit


def routes() -> list[Route]:
    """Give the routes."""
    return [Route("/said", translate)]


@for_script
async def translate(visit: Visit, person: Person) -> Response:
    """Tell what a sentence of the API is in this person's language."""
    return json_response({"said": said(person.words, visit.query_params.get("text", ""))})
