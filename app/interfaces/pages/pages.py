"""Answers outside the API: the server's health, and one form of refusal for unknown paths."""

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.schema import encode
from app.errors import AppError, Invalid, MethodNotAllowed, NotFound
from app.interfaces.pages.render_page import page


def routes() -> list[Route]:
    """Give the routes that are not operations."""
    return [Route("/", front), Route("/healthz", healthz)]


async def front(_: Request) -> Response:
    """Tell a person who opens the address what is here."""
    return await page("front")


async def healthz(_: Request) -> Response:
    """Say that the server is up; no credential."""
    return json_response({"status": "ok"})


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Give a JSON response in the contract's content type."""
    return Response(encode(value), status, headers, media_type="application/json; charset=utf-8")


async def refuse(_: Request, error: Exception) -> Response:
    """Answer a failure in the one shape of refusal."""
    found = error if isinstance(error, AppError) else _of_starlette(error)
    return json_response(found.body, found.status, found.headers)


def _of_starlette(error: Exception) -> AppError:
    if not isinstance(error, HTTPException):
        return AppError("Something went wrong inside the server.")
    if error.status_code == 405:
        allow = (error.headers or {}).get("Allow", "").split(", ")
        return MethodNotAllowed("This method is not known at this path.", allow=sorted(allow))
    if error.status_code == 404:
        return NotFound("There is nothing at this path; the interface is below /api/v1.")
    return Invalid("The request is not valid.")


ERRORS: dict[Any, Callable[[Request, Exception], Any]] = {HTTPException: refuse, AppError: refuse}
