"""The policies of share links are hidden from every narrowed caller, wherever the notes lie.

Their titles hold what opens the links.
"""

from typing import Any

import pytest

from app.core.caller import Caller
from app.core.schema import encode
from app.errors import NotFound
from app.network.grants import share_rows
from tests.conftest import Client, Served
from tests.support import guests

pytestmark = pytest.mark.anyio
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("search_notes", {"query": "policy"}),
    ("search_notes", {"query": "policy", "mode": "words", "history": True}),
    ("search_notes", {"query": "*"}),
    ("search_notes", {"query": "Neighbours"}),
    ("search_notes", {"query": "in:pinned"}),
    ("grep_notes", {"pattern": "Policy"}),
    ("grep_notes", {"pattern": "Policy", "history": True}),
    ("grep_notes", {"pattern": ".", "mode": "regex"}),
    ("list_notes", {}),
    ("list_notes", {"recursive": True}),
    ("list_notes", {"recursive": True, "tag": "secret"}),
    ("list_notes", {"folderName": "links"}),
    ("list_notes", {"folderName": "links", "recursive": True}),
    ("list_folders", {}),
]


async def told(served: Served, caller: Caller, name: str, params: dict[str, Any]) -> str:
    return encode(await served.parts.call(caller, name, params)).decode()


@pytest.mark.parametrize("moved", [False, True], ids=["where it was made", "in the root"])
@pytest.mark.parametrize("access", ["read", "edit"])
async def test_a_guest_of_all_notes_never_sees_what_opens_the_links(
    served: Served, alice: Client, access: str, moved: bool
) -> None:
    await alice.ok("POST", "/os/notes", status=201, json={"title": "Frost", "content": "12 May"})
    made = await guests.link(alice, label="Neighbours", notesAccess=access)
    other = await guests.link(alice, label="Board")
    notes = [made["policyNoteId"], other["policyNoteId"]]
    for note in notes:
        await alice.ok("PATCH", f"/os/notes/{note}", json={"tags": ["secret"]})
        await alice.ok("POST", f"/os/notes/{note}/pin", json={"pinned": True})
        await alice.ok("POST", f"/os/snapshots/{note}", json={})
        if moved:
            await alice.ok("POST", f"/os/notes/{note}/move", json={"folderId": None})
    guest = served.parts.quick(share_rows.guest_caller, made["id"])
    assert guest is not None
    for name, params in ASKED:
        if moved and params.get("folderName") == "links":
            continue
        answer = await told(served, guest, name, params)
        assert not [
            word
            for word in (made["token"], other["token"], "Neighbours_", "Board_")
            if word in answer
        ], (name, params, answer)
    for name in ("get_note_content", "list_snapshots"):
        for note in notes:
            with pytest.raises(NotFound):
                await told(
                    served,
                    guest,
                    name,
                    {"id": note} if name == "get_note_content" else {"noteId": note},
                )


async def test_no_count_tells_how_many_links_there_are(served: Served, alice: Client) -> None:
    made = await guests.link(alice, label="Neighbours")
    before = [await told(served, _guest(served, made), name, params) for name, params in ASKED]
    await guests.link(alice, label="Board")
    await guests.link(alice, label="Club")
    assert [
        await told(served, _guest(served, made), name, params) for name, params in ASKED
    ] == before


def _guest(served: Served, made: dict[str, Any]) -> Caller:
    found = served.parts.quick(share_rows.guest_caller, made["id"])
    assert found is not None
    return found
