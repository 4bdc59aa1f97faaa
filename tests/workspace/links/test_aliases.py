"""Other names of a note, in its front matter: links lead to it by them, and it is found by them."""

import pytest

from app.workspace.index.link_text import aliases_of
from tests.conftest import Client

pytestmark = pytest.mark.anyio
KITCHEN = "---\naliases: [Küche, kitchen]\n---\n\nTiles"


@pytest.mark.parametrize(
    ("above", "names"),
    [
        ("aliases: [Küche, kitchen]", ["Küche", "kitchen"]),
        ("aliases:\n  - The big plan\n  - B", ["The big plan", "B"]),
        ("alias: The big plan, B", ["The big plan", "B"]),
        ("aliases: One plan", ["One plan"]),
        ("aliases: [1, {a: b}, [c], '']", ["1"]),
        ("aliases:", []),
        ("title: alias", []),
        ("aliases: [a\nb", []),
    ],
)
def test_names_are_read_as_people_write_them(above: str, names: list[str]) -> None:
    assert aliases_of(f"---\n{above}\n---\ntext") == names
    assert aliases_of(f"text\n---\n{above}\n---\n") == []


async def links(client: Client, note: int) -> list[tuple[str, int | None]]:
    found = await client.ok("GET", f"/os/notes/{note}/links")
    return [(link["target"], link["noteId"]) for link in found["links"]]


async def test_links_lead_by_an_alias_and_are_known_where_they_lead(alice: Client) -> None:
    folder = await alice.folder("Home")
    kitchen = (await alice.note("Kitchen renovation", KITCHEN, folderId=folder))["id"]
    text = "[[küche]] [[Küche#Tiles|so]] [[Home/Kitchen]] [[Work/kitchen]] [[Bath]]"
    plan = (await alice.note("Plan", text))["id"]
    assert await links(alice, plan) == [
        ("küche", kitchen),
        ("Küche#Tiles", kitchen),
        ("Home/Kitchen", kitchen),
        ("Work/kitchen", None),
        ("Bath", None),
    ]
    back = (await alice.ok("GET", f"/os/notes/{kitchen}/links"))["backlinks"]
    assert [(link["noteId"], link["line"]) for link in back] == [(plan, 1)]
    await alice.ok("PATCH", f"/os/notes/{kitchen}", json={"content": "Tiles"})
    assert (await links(alice, plan))[0] == ("küche", None)
    assert (await alice.ok("GET", f"/os/notes/{kitchen}/links"))["backlinks"] == []


async def test_a_title_wins_over_an_alias_and_an_alias_of_two_leads_nowhere(
    alice: Client, bob: Client
) -> None:
    one = (await alice.note("One", "---\naliases: [Both, Plan, Mine]\n---\n"))["id"]
    await alice.note("Two", "---\naliases: [both]\n---\n")
    titled = (await alice.note("Plan", ""))["id"]
    await bob.note("Bob's", "---\naliases: [Mine, His]\n---\n")
    note = (await alice.note("Links", "[[Both]] [[Plan]] [[Mine]] [[His]]"))["id"]
    assert [to for _, to in await links(alice, note)] == [None, titled, one, None]
    await alice.ok("DELETE", f"/os/notes/{one}")
    assert [to is None for _, to in await links(alice, note)] == [False, False, True, True]


async def test_quick_open_finds_a_note_by_an_alias_and_says_it(alice: Client, bob: Client) -> None:
    kitchen = (await alice.note("Renovation", KITCHEN))["id"]
    await bob.note("Secret", "---\naliases: [kuchen]\n---\n")

    async def found(typed: str) -> list[tuple[int, str | None]]:
        results = (await alice.ok("GET", "/os/find", params={"q": typed}))["results"]
        return [(one["id"], one.get("alias")) for one in results if one["kind"] == "note"]

    assert await found("küc") == await found("kuch") == [(kitchen, "Küche")]
    assert await found("kitch") == [(kitchen, "kitchen")]
    assert await found("reno") == [(kitchen, None)]
    await alice.ok("DELETE", f"/os/notes/{kitchen}")
    assert await found("kuch") == []
