"""The net aliases: the same handler, scope, bucket, idempotency and bytes as the route that each
stands for.
"""

from typing import Any

import pytest

from app.catalog import CATALOG
from app.core.limits import RateLimit
from app.interfaces.openapi import openapi_document
from tests.conftest import ORIGIN, Client, Served

STANDS_FOR = {
    "POST /net/messages": "POST /agent/message",
    "GET /net/conversations": "GET /conversations",
    "GET /net/conversations/{id}": "GET /conversations/{id}",
    "GET /net/contacts": "GET /network/contacts",
    "DELETE /net/contacts/{userId}": "DELETE /network/contacts/{userId}",
    "GET /net/permissions/{userId}": "GET /network/contacts/{userId}/permissions",
    "PUT /net/permissions/{userId}": "PUT /network/contacts/{userId}/permissions",
    "POST /net/contacts/request": "POST /network/request",
    "GET /net/contacts/requests": "GET /network/requests",
    "DELETE /net/contacts/requests/{requestId}": "DELETE /network/requests/{requestId}",
    "POST /net/contacts/accept": "POST /network/accept",
    "POST /net/contacts/connect": "POST /network/connect",
    "GET /net/escalations": "GET /escalations",
    "GET /net/escalations/{id}": "GET /escalations/{id}",
    "POST /net/escalations/{id}/decision": "POST /escalations/{id}/decision",
}
"""Each alias of the contract's section 20 with its route.

One line here, and `also` at the operation.
"""

ROUTES = {f"{method} {path}": found for method, path, found in CATALOG.routes()}

PLACES = ("id", "userId", "requestId")

each_alias = pytest.mark.parametrize(("alias", "route"), STANDS_FOR.items())


def test_the_catalogue_has_these_aliases_and_no_other() -> None:
    assert {route for route in ROUTES if " /net/" in route} == set(STANDS_FOR)


@each_alias
def test_an_alias_is_the_same_operation(alias: str, route: str) -> None:
    assert ROUTES[alias] is ROUTES[route]


@each_alias
def test_the_document_describes_an_alias_as_its_route_under_a_name_of_its_own(
    alias: str, route: str
) -> None:
    described = openapi_document(CATALOG, ORIGIN)["paths"]
    entries = [
        dict(described[path][method.lower()])
        for method, _, path in (one.partition(" ") for one in (alias, route))
    ]
    names, tags = zip(
        *((entry.pop("operationId"), entry.pop("tags")) for entry in entries), strict=True
    )
    assert entries[0] == entries[1]
    assert names[0] == f"net_{names[1]}"
    assert tags[0] == ["net"]


def test_every_operation_of_the_document_has_a_name_of_its_own() -> None:
    names = [
        entry["operationId"]
        for methods in openapi_document(CATALOG, ORIGIN)["paths"].values()
        for entry in methods.values()
    ]
    assert len(names) == len(set(names))


@pytest.mark.anyio
async def test_the_index_lists_the_aliases_under_net_and_no_older_names(alice: Client) -> None:
    index = await alice.ok("GET", "/os")
    assert {f"{row['method']} {row['path']}" for row in index["byCategory"]["net"]} == set(
        STANDS_FOR
    )
    assert "/context" not in str(index)
    assert index["totalEndpoints"] == sum(len(rows) for rows in index["byCategory"].values())


@pytest.mark.anyio
@each_alias
async def test_an_alias_answers_with_the_same_bytes_whatever_is_asked(
    served: Served, alice: Client, bob: Client, alias: str, route: str
) -> None:
    conversation = (
        await alice.ok("POST", "/chat", json={"message": "What is there?", "stream": False})
    )["conversationId"]
    clients = [
        alice,
        bob,
        served.client(),
        served.client(await served.key("alice", ["os.notes:read"])),
    ]
    for number in (conversation, 999, "x", 2**60):
        for query in ({}, {"limit": "1"}, {"limit": "no"}, {"view": "me", "status": "all"}):
            for client in clients:
                told: list[tuple[int, bytes]] = []
                for method, _, path in (one.partition(" ") for one in (alias, route)):
                    body: dict[str, Any] = (
                        {"json": {"decision": "stop"}}
                        if method in ("POST", "PUT")
                        else {"params": query}
                    )
                    response = await client.request(
                        method, path.format_map(dict.fromkeys(PLACES, number)), **body
                    )
                    told.append((response.status_code, response.content))
                assert told[0] == told[1]


@pytest.mark.anyio
async def test_alias_and_route_take_from_one_bucket(served: Served, alice: Client) -> None:
    served.asgi.front.credentials.rates = RateLimit(100)
    left = [
        int((await alice.get(path)).headers["x-ratelimit-remaining"])
        for path in ("/conversations", "/net/conversations", "/escalations")
    ]
    assert left == [99, 98, 97]
