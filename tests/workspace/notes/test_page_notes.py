"""Saving as somebody types, as the editor's scripts ask for it."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio
OWN = "http://127.0.0.1:8765"


@pytest.fixture
async def session(served: Served, alice: Client) -> AsyncIterator[httpx.AsyncClient]:
    """Alice's browser."""
    made = await served.command("make_sign_in_code", username="alice")
    transport = httpx.ASGITransport(served.asgi)
    headers = {"Origin": OWN}
    async with httpx.AsyncClient(transport=transport, base_url=OWN, headers=headers) as client:
        assert (await client.post("/api/auth/sign-in", json={"code": made.code})).status_code == 200
        yield client


async def save(session: httpx.AsyncClient, note: Any, **fields: Any) -> httpx.Response:
    return await session.post(
        f"/notes/{note['id']}/save", json={"ifRevision": note["revision"], **fields}
    )


async def text_of(client: Client, note: Any) -> str:
    found = (await client.ok("GET", f"/os/notes/{note['id']}"))["note"]
    return str(found["markdown"])


async def test_only_the_first_of_many_saves_keeps_what_was_before(
    session: httpx.AsyncClient, alice: Client, clock: Any
) -> None:
    note = await alice.note("Plan", "begun", contentFormat="markdown")
    for number in range(4):
        saved = (await save(session, note, content=f"text {number}")).json()
        note["revision"] = saved["revision"]
    listed = await alice.ok("GET", f"/os/snapshots/{note['id']}")
    assert listed["total"] == 1
    saved = (await save(session, note, content="kept", keep=True)).json()
    assert saved["kept"] is True
    await alice.patch(f"/os/notes/{note['id']}", json={"content": "by a key"})
    note["revision"] = saved["revision"] + 1
    saved = (await save(session, note, content="mine again")).json()
    assert saved["kept"] is True
    texts = []
    for row in (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]:
        path = f"/os/snapshots/{note['id']}/seq/{row['seq']}"
        texts.append((await alice.ok("GET", path))["snapshot"]["markdown"])
    assert texts == ["by a key", "kept", "text 3", "begun"]


async def test_a_part_is_replaced_and_found_again_where_it_moved(
    session: httpx.AsyncClient, alice: Client
) -> None:
    note = await alice.note("Long", "one\n\ntwo\n\nthree", contentFormat="markdown")
    saved = (await save(session, note, content="TWO!", start=5, end=8, base="two")).json()
    assert await text_of(alice, note) == "one\n\nTWO!\n\nthree"
    assert (saved["start"], saved["end"]) == (5, 9)
    moved = await save(session, note, content="Two", start=5, end=9, base="TWO!")
    assert moved.status_code == 200  # it stands where it stood, so nobody is in its way
    await alice.patch(
        f"/os/notes/{note['id']}",
        json={"content": "zero\n\none\n\nTwo\n\nthree", "contentFormat": "markdown"},
    )
    saved = (await save(session, note, content="2", start=5, end=8, base="Two")).json()
    assert await text_of(alice, note) == "zero\n\none\n\n2\n\nthree"
    assert (saved["start"], saved["end"]) == (11, 12)
    refused = await save(session, note, content="x", start=5, end=8, base="gone")
    assert (refused.status_code, refused.json()["error"]) == (409, "revision_conflict")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"content": "x", "ifRevision": 7}, 409),
        ({"content": "x", "start": 9, "end": 3}, 400),
        ({"content": "x", "start": 0, "end": 10**6}, 400),
        ({"content": "x" * ((10 << 20) + 1)}, 413),
        ({"title": " "}, 400),
        ({"tags": ["x" * 65]}, 400),
        ({"content": 5}, 400),
    ],
)
async def test_a_bad_save_is_refused_and_changes_nothing(
    session: httpx.AsyncClient, alice: Client, fields: dict[str, Any], status: int
) -> None:
    note = await alice.note("Plan", "begun", contentFormat="markdown")
    refused = await save(session, note, **fields)
    assert refused.status_code == status
    assert refused.json()["success"] is False
    assert await text_of(alice, note) == "begun"


async def test_nobody_else_saves_and_no_other_page(
    session: httpx.AsyncClient, alice: Client, bob: Client, served: Served
) -> None:
    theirs = await bob.note("Bob's", "his")
    assert (await save(session, theirs, content="x")).status_code == 404
    note = await alice.note("Plan", "begun", contentFormat="markdown")
    session.headers["Origin"] = "https://evil.example"
    assert (await save(session, note, content="x")).status_code == 403
    session.cookies.clear()
    session.headers["Origin"] = OWN
    assert (await save(session, note, content="x")).status_code == 401
    assert await text_of(alice, note) == "begun"


async def test_what_only_pages_ask_is_no_tool_and_no_endpoint(alice: Client) -> None:
    tools = await alice.ok("GET", "/tools")
    assert "autosave_note" not in str(tools)
    assert "autosave" not in str(await alice.ok("GET", "/os"))
