"""Nothing outside of a grant shows.

Two servers that differ only there answer a narrowed caller alike, and no answer holds a word of it.

Compared are whole answers: results, counts, scores, orders, texts of refusals, escalations, and
in turns of the agent its words, tools and quotes.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.catalog import CATALOG
from app.core.caller import Kind
from app.core.grant_scope import (
    CREATE_NOTES,
    CREATE_TODOS,
    EDIT_NOTES,
    READ_NOTES,
    READ_TODOS,
    GrantScope,
)
from tests.support.hostile_prompts import PROMPTS
from tests.support.twins import CANARIES, FOLDERS, WORDS, Twins, World, twins

WORLDS, CALLS = 40, 50
NOWHERE = 2**53 - 1
LISTED = sorted(READ_NOTES | CREATE_NOTES | EDIT_NOTES | READ_TODOS | CREATE_TODOS)
OTHERS = sorted(
    name
    for name, found in CATALOG.operations.items()
    if name not in LISTED and found.method != "COMMAND"
)
READS = [name for name in LISTED if name in READ_NOTES]
QUERIES = (
    *WORDS,
    *CANARIES,
    "kettle garden",
    "kett*",
    "kan*",
    "z*",
    "-kettle garden",
    "kettle OR zeisig",
    '"kettle garden"',
    "title:kettle",
    "tag:kettle",
    "tag:zeisig",
    "tag:z*",
    "folder:Folder",
    'folder:"Folder 0"',
    "folder:Finkenordner",
    "folder:Amselordner",
    "in:pinned",
    "is:todo",
    "updated:today",
    "created:2026",
    "before:yesterday",
    "ketle",
    "kanarienvogl",
    "garden in:pinned -tag:pirol",
    "京",
    "*",
    "tomato plan invoice quiet meeting",
)
PATTERNS = ("kettle", "kanarien", "e", "zeisig|garden", "^t", "(", ".", "more")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Twins]:
    with twins(tmp_path_factory.mktemp("twins"), migrated) as made:
        yield made


def drawn_call(chance: random.Random, world: World) -> tuple[str, dict[str, Any]]:
    """Draw an operation, mostly one that a grant may list, and fields that name anything at all."""
    name = chance.choice(chance.choice([LISTED, LISTED, READS, READS, OTHERS]))
    ids = [
        *world.notes,
        *world.folders,
        *world.todos,
        world.notes[-1] + 1,
        world.notes[0] - 1,
        NOWHERE,
    ]
    named = [f"{name} {number}" for name in ("Folder", *FOLDERS) for number in range(3)]
    folder = [
        ("folderId", chance.choice([*world.folders, *ids])),
        ("folderName", chance.choice([*named, "General", "Folder 0/Folder 1"])),
    ]
    place = dict([chance.choice(folder)]) if chance.random() < 0.4 else {}
    note = chance.choice([*world.notes, *world.notes, *ids])
    words = " ".join(chance.choices(WORDS, k=2))
    fields: dict[str, dict[str, Any]] = {
        "search_notes": {
            "query": chance.choice(QUERIES),
            "limit": chance.choice([1, 3, 50]),
            "history": chance.random() < 0.3,
            **place,
        },
        "grep_notes": {
            "pattern": chance.choice(PATTERNS),
            "mode": chance.choice(["literal", "regex"]),
            "history": chance.random() < 0.3,
            **place,
        },
        "list_notes": {
            "recursive": chance.random() < 0.5,
            "limit": 2,
            "tag": chance.choice([None, "kettle", *CANARIES]),
            **place,
        },
        "list_folders": {"parentId": chance.choice([None, "root", *map(str, ids)])},
        "create_note": {"title": words, "content": words, **place},
        "create_todo": {"title": words},
        "edit_note": {
            "content": words,
            "title": chance.choice([None, words]),
            **chance.choice([{"noteId": note}, {"search": words}]),
        },
        "search_todos": {"q": chance.choice(["", *QUERIES])},
        "get_todo": {"id": chance.choice(ids)},
        "get_note_content": {"id": note},
        "read_snapshot": {"noteId": note, "seq": 1},
        "read_version": {"noteId": note, "versionId": chance.choice([1, 2, *ids])},
        "restore_snapshot": {"noteId": note, "seq": 1},
        "diff_snapshots": {"noteId": note, "from": "1"},
        "save_snapshot": {"noteId": note},
        "list_snapshots": {"noteId": note},
    }
    anything = {
        "id": note,
        "noteId": note,
        "q": chance.choice(QUERIES),
        "tool": "search_notes",
        "message": "kanarienvogel",
        "title": words,
    }
    return name, {
        field: value for field, value in fields.get(name, anything).items() if value is not None
    }


def spoken(name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Give the fields as the tool of that name spells them."""
    return {"noteId": params["id"]} if name == "get_note_content" else params


reaches = st.builds(
    GrantScope,
    notes=st.sampled_from(["folders", "folders", "folders", "note_only", "all", "none"]),
    access=st.sampled_from(["read", "write", "edit"]),
    todos_read=st.booleans(),
    todos_create=st.booleans(),
)


def said_nothing_of_it(answer: str, asked: str) -> bool:
    """Say whether no word of what is outside stands in an answer.

    What was asked for with that word may be said again.
    """
    return not [
        word
        for word in (*CANARIES, *FOLDERS)
        if word.lower() in answer.lower() and word.lower()[:3] not in asked.lower()
    ]


@settings(
    max_examples=WORLDS,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    # even the smallest case asks for many things
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
@given(
    chance=st.randoms(use_true_random=False),
    reach=reaches,
    kind=st.sampled_from(["peer", "guest", "managed_agent"]),
)
def test_what_a_grant_leaves_out_cannot_be_told_apart(
    both: Twins, chance: random.Random, reach: GrantScope, kind: Kind
) -> None:
    worlds = both.both(chance, reach, kind)
    for _ in range(CALLS):
        name, params = drawn_call(chance, worlds[0])
        as_tool = bool(CATALOG.operations[name].tool) and chance.random() < 0.5
        one, other = both.ask(
            worlds, name, spoken(name, params) if as_tool else params, as_tool=as_tool
        )
        assert one == other, (reach, name, params)
        assert said_nothing_of_it(one, str(params)), (reach, name, params, one)
        if name in OTHERS:
            assert one.startswith(("403 ", "404 ")), (name, one)


def test_so_many_cases_are_tried() -> None:
    assert WORLDS * CALLS >= 2_000


@pytest.fixture(scope="module", params=["peer", "guest", "managed_agent"])
def garden(both: Twins, request: pytest.FixtureRequest) -> list[World]:
    """A workspace of which a folder may be read, by a contact or a guest, and all else is the
    Vault's.
    """
    worlds = both.both(random.Random(6), GrantScope("folders", "edit"), request.param)
    both.hide(worlds)
    return worlds


@pytest.mark.parametrize("prompt", PROMPTS, ids=range(len(PROMPTS)))
def test_no_wording_reaches_outside_of_the_grant(
    both: Twins, garden: list[World], prompt: str
) -> None:
    before = both.state(garden[0])
    one, other = both.say(garden, prompt)
    assert one == other
    assert said_nothing_of_it(one, prompt)
    assert both.state(garden[0]) == before


def test_the_hostile_prompts_are_a_hundred() -> None:
    assert len(set(PROMPTS)) == 100
