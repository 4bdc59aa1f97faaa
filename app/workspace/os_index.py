"""The index of all endpoints: GET /os."""

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import ListedRoute, operation
from app.core.schema import Record


class Route(Record):
    """One row of the index."""

    method: str
    path: str
    scope: str | None
    summary: str
    maturity: str = "ga"


class Index(Record):
    description: str
    total_endpoints: int
    by_category: dict[str, list[Route]]


@operation("GET /os")
async def os_index(app: App, me: Caller) -> Index:
    """List every endpoint, by category."""
    by_category: dict[str, list[Route]] = {}
    # the document of the service is no part of it
    served = [
        one
        for one in app.catalog.listed()
        if not (one.operation.http.bare and one.operation.public)
    ]
    for one in served:
        by_category.setdefault(one.category, []).append(_route_record(one))
    return Index(
        "Workspace and Agent Service API, served by Hearth. Paths are relative to /api/v1.",
        len(served),
        by_category,
    )


def _route_record(listed: ListedRoute) -> Route:
    found = listed.operation
    return Route(listed.method, listed.path, found.asks_for, found.summary)
