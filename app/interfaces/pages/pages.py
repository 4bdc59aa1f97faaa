"""Answers outside the API: the first page, the server's health, and JSON in two forms."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import encode, encode_enveloped
from app.interfaces.pages.render_page import page
from app.interfaces.pages.visit import Visit

JSON = "application/json; charset=utf-8"


def routes() -> list[Route]:
    """Return the route that anybody may ask."""
    return [Route("/healthz", healthz)]


async def front(visit: Visit) -> Response:
    """Tell a person who opens the address what is here."""
    return await page(visit, "front")


async def healthz(_: Visit) -> Response:
    """Say that the server is up; no credential."""
    return json_response({"status": "ok"})


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response in the contract's content type."""
    return Response(encode(value), status, headers, media_type=JSON)


def enveloped(value: Any) -> Response:
    """Return an operation's record in the envelope of success."""
    return Response(encode_enveloped(value, None), media_type=JSON)
