"""Notes: listing, reading, writing, copying, moving, pinning, deleting."""

import pytest

from tests.conftest import Client

pytestmark = pytest.mark.anyio


async def test_a_note_is_created_and_read_back(alice: Client) -> None:
    note = await alice.note("Groceries", "- milk\n- bread", tags=["#home", "Home", "list"])
    assert note["title"] == "Groceries"
    assert note["markdown"] == "- milk\n- bread"
    assert note["tags"] == ["home", "list"]
