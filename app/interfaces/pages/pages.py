"""Answers outside the API: the first page, the server's health, and JSON in two forms."""

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import encode, encode_enveloped
from app.interfaces.pages.visit import Visit

JSON = "application/json; charset=utf-8"
FRONT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Hearth</title>
<h1>Hearth is running</h1>
<p>It keeps notes and todos for the agents, scripts and people that have a key. The interface is
below <code>/api/v1</code>: <a href="/api/v1/openapi.json">its description</a> needs no key, and
<code>GET /api/v1/os</code> lists every endpoint.</p>
</html>
"""


def routes() -> list[Route]:
    """Return the routes that are not operations."""
    return [Route("/", front), Route("/healthz", healthz)]


async def front(_: Visit) -> Response:
    """Tell a person who opens the address what is here."""
    return Response(FRONT, media_type="text/html; charset=utf-8")


async def healthz(_: Visit) -> Response:
    """Say that the server is up; no credential."""
    return json_response({"status": "ok"})


def json_response(value: Any) -> Response:
    """Return a JSON response in the contract's content type."""
    return Response(encode(value), media_type=JSON)


def enveloped(value: Any) -> Response:
    """Return an operation's record in the envelope of success."""
    return Response(encode_enveloped(value, None), media_type=JSON)
