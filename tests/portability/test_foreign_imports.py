"""Exports of other programs, imported into a workspace.

Found by search, their links and pictures resolved, and doubled by no second import.
"""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import Client, Served
from tests.portability.test_foreign import recognised
from tests.support import foreign_exports as exports
from tests.support.foreign_exports import PICTURE
from tests.support.moving import finished

pytestmark = pytest.mark.anyio

FOUND = {
    "notes.jex": ({"prune": "Roses", "bulbs": "Tulips"}, {"soil": "Buy soil"}),
    "raw": ({"prune": "Roses", "bulbs": "Tulips"}, {"soil": "Buy soil"}),
    "takeout.zip": ({"berries": "Jam", "eggs": "Market", "stove": "Packing"}, {}),
    "takeout.tgz": ({"berries": "Jam", "eggs": "Market", "stove": "Packing"}, {}),
    "memos": ({"fire": "Kiln", "glaze": "Glaze recipe, see the kiln", "wheel": "Wheel #tools"}, {}),
    "backup.zip": ({}, {"mayor": "Call the mayor", "beans": "Water the beans"}),
    "Garden.csv": ({}, {"fence": "Paint the fence @home", "beans": "Water the beans"}),
    "todo.txt": ({}, {"cactus": "Water the cactus", "rent": "Pay the rent +house"}),
    "tasks.ics": (
        {"bees": "First swarm"},
        {"gutter": "Clean the gutter, twice", "books": "Return the books"},
    ),
}
"""Words to look for in each export, and the title of the note or todo that must be found."""


async def imported(served: Served, path: Path, **more: Any) -> dict[str, Any]:
    """Import into alice's workspace as the command line does, and give the report."""
    lines = await served.command("import_here", username="alice", path=str(path), **more)
    last: dict[str, Any] = {}
    events: AsyncIterator[Any] = lines.events
    async for event in events:
        last = dict(event)
    assert last["type"] == "report", last
    report: dict[str, Any] = msgspec.json.decode(last["report"])
    return report


async def titles(alice: Client, word: str) -> set[str]:
    return {
        found["title"]
        for found in (await alice.ok("POST", "/os/notes/search", json={"query": word}))["results"]
    }


@pytest.mark.parametrize("file", FOUND)
async def test_an_export_is_imported_once_and_found(
    served: Served, alice: Client, tmp_path: Path, file: str
) -> None:
    path = next(path for _, path in exports.every_export(tmp_path) if path.name == file)
    notes, todos = FOUND[file]
    report = await imported(served, path)
    assert report["notes"]["created"] >= len(notes)
    assert report["todos"]["created"] >= len(todos)
    for word, title in notes.items():
        assert title in await titles(alice, word)
    for word, title in todos.items():
        assert title in {
            todo["title"]
            for todo in (await alice.ok("GET", "/os/todos", params={"q": word}))["result"]["todos"]
        }
    again = await imported(served, path)
    for kind in ("notes", "files", "todos"):
        assert (again[kind]["created"], again[kind]["updated"]) == (0, 0), again
        assert again[kind]["unchanged"] == report[kind]["created"]


@pytest.mark.parametrize(
    ("file", "word", "title"),
    [
        ("notes.jex", "prune", "Roses"),
        ("takeout.zip", "berries", "Jam"),
        ("memos", "fire", "Kiln"),
        ("tasks.ics", "bees", "First swarm"),
    ],
)
async def test_pictures_and_links_of_an_imported_note_lead_somewhere(
    served: Served, alice: Client, tmp_path: Path, file: str, word: str, title: str
) -> None:
    await imported(
        served, next(path for _, path in exports.every_export(tmp_path) if path.name == file)
    )
    found = (await alice.ok("POST", "/os/notes/search", json={"query": word}))["results"]
    note = (
        await alice.ok(
            "GET", f"/os/notes/{next(one for one in found if one['title'] == title)['id']}"
        )
    )["note"]
    assert "attachment:" not in note["markdown"]
    assert "note:" not in note["markdown"].replace("hearth:note", "")
    [picture] = re.findall(r"!\[[^\]]*\]\((/os/attachments/\d+)\)", note["markdown"])
    assert (await alice.get(picture)).content == PICTURE
    for linked in re.findall(r"\]\((/os/notes/\d+)", note["markdown"]):
        await alice.ok("GET", linked)
    assert file not in ("notes.jex", "memos") or "](/os/notes/" in note["markdown"]


async def test_a_later_export_under_another_name_changes_what_changed_and_doubles_nothing(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    files = exports.joplin_files()
    await imported(served, exports.tar(tmp_path / "may.jex", files))
    files[f"{exports.NOTE}.md"] = files[f"{exports.NOTE}.md"].replace(b"Prune them", b"Water them")
    for path in (
        exports.tar(tmp_path / "june.jex", files),
        exports.folder(tmp_path / "raw", files),
    ):
        report = await imported(served, path)
        assert (
            report["notes"]["created"],
            report["todos"]["created"],
            report["files"]["created"],
        ) == (0, 0, 0)
        assert report["notes"]["updated"] == (path.name == "june.jex")
    assert await titles(alice, "prune") == set()
    [note] = (await alice.ok("POST", "/os/notes/search", json={"query": "water roses"}))["results"]
    assert (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"]


async def test_an_imported_todo_has_its_steps_date_and_rule(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await imported(served, exports.single(tmp_path / "tasks.ics", exports.ICS))
    [todo] = (await alice.ok("GET", "/os/todos", params={"q": "gutter", "includeSteps": True}))[
        "result"
    ]["todos"]
    assert (todo["dueDate"], todo["priority"]) == ("2024-06-03T07:00:00.000Z", 5)
    assert todo["recurrence"]["rule"] == "FREQ=MONTHLY;BYMONTHDAY=3"
    assert [(step["title"], step["completed"]) for step in todo["steps"]] == [
        ("Find the ladder", True)
    ]


@pytest.mark.parametrize(
    "file", ["notes.jex", "takeout.tgz", "takeout.zip", "memos.zip", "tasks.ics"]
)
async def test_an_export_is_imported_over_http_under_any_name(
    served: Served, alice: Client, tmp_path: Path, file: str
) -> None:
    content = next(
        path for _, path in exports.every_export(tmp_path) if path.name == file
    ).read_bytes()
    job = (await alice.ok("POST", "/import?name=upload", status=202, content=content))["job"]
    done = await finished(alice, f"/import/{job['id']}")
    assert (done["status"], done["error"]) == ("completed", None)
    assert done["report"]["notes"]["created"] >= 1


async def test_what_is_not_carried_is_in_the_report_by_name(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    report = await imported(served, exports.single(tmp_path / "tasks.ics", exports.ICS))
    assert {"Dentist", "Clean the gutter, twice"} == {one["name"] for one in report["left"]}


async def test_a_damaged_file_of_an_export_is_told_and_its_note_comes_along(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    files = exports.keep_files()
    path = exports.zipped(tmp_path / "takeout.zip", files)
    content = bytearray(path.read_bytes())
    place = content.index(b"Takeout/Keep/berry.jpg") + len(b"Takeout/Keep/berry.jpg")
    content[place + 20] ^= 0xFF
    path.write_bytes(bytes(content))
    report = await imported(served, path)
    assert report["notes"]["created"] == 3
    [told] = [one["reason"] for one in report["left"] if one["name"] == "berry.jpg"]
    assert "damaged" in told


async def test_every_todo_of_an_export_of_ours_comes_back_through_todo_txt_and_icalendar(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await alice.ok(
        "POST",
        "/os/todos",
        status=201,
        json={
            "title": "Plant, then; water \\ it",
            "dueDate": "2026-12-01",
            "priority": 4,
            "recurrence": {"rule": "FREQ=WEEKLY;BYDAY=TU"},
            "description": "Two\nlines",
        },
    )
    lines = await served.command("export_here", username="alice", path=str(tmp_path / "tree"))
    async for _ in lines.events:
        pass
    assert recognised(tmp_path / "tree") == []
    for name, into in (("todo.txt", "first"), ("todos.ics", "second")):
        [file] = (tmp_path / "tree").rglob(name)
        report = await imported(
            served, exports.single(tmp_path / name, file.read_bytes()), into=into
        )
        assert report["todos"]["created"] == 1
        assert report["left"] == []
    todos = (await alice.ok("GET", "/os/todos", params={"q": "plant"}))["result"]["todos"]
    assert [(todo["title"], todo["dueDate"], todo["priority"]) for todo in todos] == [
        ("Plant, then; water \\ it", "2026-12-01", 4)
    ] * 3
    assert [todo["description"] for todo in todos].count("Two\nlines") == 2
    assert [todo["recurrence"]["rule"] for todo in todos if todo["recurrence"]] == [
        "FREQ=WEEKLY;BYDAY=TU"
    ] * 2
