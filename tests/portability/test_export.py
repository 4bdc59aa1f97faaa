"""Exports, and that they come back as they were.

Export, import into an empty account, export gives the same bytes.
"""

import asyncio
import json
import random
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.errors import AlreadyExists
from app.portability.transfer_jobs import Cancelled
from tests.conftest import Client, MovableClock, Served
from tests.support.moving import files, plant, read_in, write_out

pytestmark = pytest.mark.anyio

HOSTILE = (
    "CON",
    "con.txt",
    "aux ",
    "a.",
    "a..",
    "..",
    "...",
    ".hidden",
    "a:b",
    'q"?*<>|',
    "back\\slash",
    "sla/sh",
    "tab",
    "É",
    "é",
    "e\u0301",
    "Straße",
    "STRASSE",
    "ﬁn",
    "fin",
    "x" * 255,
    "日本語" * 60,
    "emoji 👩‍👩‍👧",
    "\u202egnp.exe",
    "same",
    "SAME",
    "Same.md",
    "same.MD",
    "~tilde",
    "-dash",
    "title: yes",
    "---",
    "#tag",
    "[[x]]",
    "'quoted'",
    "null",
    "%2e%2e",
    "a  b",
    "LPT¹",
    "notes",
    "_deep",
    "_",
)
TEXTS = (
    "",
    "plain",
    "---\ntitle: inner\n---\nbody",
    "\ufeffmark",
    "crlf\r\nlines\r\n",
    "no end",
    "a\n\n\n",
    "[link](Other.md) and [[Wiki|shown]] #tag",
    "```\n](/os/notes/1)\n```",
    "note:abc attachment:def",
    "\u2028 \x85 \x0b",
    "x" * 300_000,
    "日本\n" * 50,
    "[a](./same.md) [b](<a b.md>) [c](../up.md)",
)


async def fill(client: Client, served: Served, clock: MovableClock, seed: int) -> None:
    """Put a random workspace together, with all that is hard to carry."""
    chance = random.Random(seed)
    folders: list[int | None] = [None]
    for name in chance.sample(HOSTILE, 14):
        parent = chance.choice(folders)
        response = await client.post(
            "/os/folders", json={"name": name, **({"parentId": parent} if parent else {})}
        )
        if response.status_code == 200:
            folders.append(response.json()["folder"]["id"])
            if chance.random() < 0.3:
                await client.ok("PATCH", f"/os/folders/{folders[-1]}", json={"icon": "🌱"})
    files_ = [
        (
            await client.ok(
                "POST",
                "/os/attachments",
                status=201,
                params={"name": name},
                content=chance.randbytes(chance.choice([1, 900, 1_200_000])),
            )
        )
        for name in chance.sample(HOSTILE, 3)
    ]
    notes: list[int] = []
    for name in [*chance.sample(HOSTILE, 25), *chance.sample(HOSTILE, 8)]:
        clock.forward(seconds=1)
        text = chance.choice(TEXTS)
        if notes:
            text += (
                f"\n[n](/os/notes/{chance.choice(notes)}) hearth:note/{chance.choice(notes)} "
                f"[m](hearth:note/{chance.choice(notes)})"
            )
            text += (
                f" ![p](/os/attachments/{chance.choice(files_)['attachment']['id']}) "
                f"/api/v1/os/notes/{chance.choice(notes)} /os/notes/999999"
            )
        tags = chance.sample(["a", "B c", "ü", "true", "2024"], chance.randint(0, 3))
        body = {"title": name, "content": text, "folderId": chance.choice(folders), "tags": tags}
        response = await client.post(
            "/os/notes", json={key: value for key, value in body.items() if value is not None}
        )
        if response.status_code != 201:
            continue
        notes.append(response.json()["result"]["note"]["id"])
        for number in range(chance.choice([0, 0, 1, 3])):
            clock.forward(minutes=1)
            await client.ok(
                "PATCH",
                f"/os/notes/{notes[-1]}",
                json={"content": f"{text} {number}", "contentFormat": "markdown"},
            )
        if chance.random() < 0.2:
            await client.ok("POST", f"/os/notes/{notes[-1]}/pin", json={"pinned": True})
            await client.ok(
                "POST", f"/os/snapshots/{notes[-1]}", json={"label": "mine", "message": "kept"}
            )
    await fill_todos(client, chance, clock, notes)
    chat = await client.ok(
        "POST", "/chat", json={"message": f"Hello, about hearth:note/{notes[0]}", "stream": False}
    )
    clock.forward(minutes=5)
    await client.ok(
        "POST",
        "/chat",
        json={"message": "Thank you", "stream": False, "conversationId": chat["conversationId"]},
    )
    await client.ok(
        "PATCH",
        "/account/settings",
        json={"name": "Alice A.", "timezone": "Asia/Kolkata", "agentName": "Botte"},
    )
    await client.ok("DELETE", f"/os/notes/{notes[-1]}")


async def fill_todos(
    client: Client, chance: random.Random, clock: MovableClock, notes: list[int]
) -> None:
    for number in range(30):
        clock.forward(seconds=30)
        due = chance.choice(
            [None, "2026-12-01", "2027-01-31T08:30:00+05:30", "0001-01-02", "9999-12-30"]
        )
        rule = (
            chance.choice([None, None, "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;COUNT=5"])
            if due and due.startswith("20")
            else None
        )
        body: dict[str, Any] = {
            "title": f"{chance.choice(HOSTILE).strip()} {number}",
            "priority": chance.randint(0, 10),
        }
        body |= (
            {"description": f"see /os/notes/{notes[0]}\n; , \\"} if chance.random() < 0.4 else {}
        )
        body |= {"steps": [{"title": f"step {step}"} for step in range(chance.randint(0, 4))]}
        body |= {"dueDate": due} if due else {}
        body |= (
            {"recurrence": {"rule": rule, "from": chance.choice(["due", "done"])}} if rule else {}
        )
        todo = (await client.ok("POST", "/os/todos", status=201, json=body))["result"]["todo"]["id"]
        if chance.random() < 0.5:
            clock.forward(hours=1)
            await client.ok("POST", f"/os/todos/{todo}/complete", json={})


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_workspace_that_is_exported_imported_and_exported_gives_the_same_bytes(
    seed: int, served: Served, alice: Client, bob: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await bob.note("In the way", "so that numbers differ")
    await fill(alice, served, clock, seed)
    first = await asyncio.to_thread(write_out, served, "alice", tmp_path / "first")
    clock.forward(days=40)
    await served.person("carol")
    report = await read_in(served, "carol", tmp_path / "first")
    await asyncio.to_thread(write_out, served, "carol", tmp_path / "second.zip")
    with zipfile.ZipFile(tmp_path / "second.zip") as archive:
        archive.extractall(tmp_path / "second")
    assert files(tmp_path / "first") == files(tmp_path / "second")
    assert [line.name for line in first.left if "trash" in line.reason]
    assert (report.notes.created, report.todos.created, report.conversations.created) == (
        first.notes,
        first.todos,
        1,
    )
    assert (report.snapshots, report.files.created, report.left) == (
        first.snapshots,
        first.files,
        [],
    )


async def test_every_name_of_an_export_is_one_that_every_system_takes(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await fill(alice, served, clock, 7)
    deep = "/".join(["a long name of a folder"] * 30)
    await alice.note("Deep", folderId=await alice.folder(deep))
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    names = list(files(tmp_path / "out"))
    reserved = {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(10)),
    }
    for name in names:
        assert len(name.encode("utf-16-le")) // 2 < 248
        for part in name.split("/"):
            assert part == part.rstrip(". ") == part.lstrip(" ")
            assert not set(part) & set('<>:"\\|?*')
            assert part.isprintable() or "\u200d" in part
            assert part.partition(".")[0].strip().lower() not in reserved
            assert len(part.encode()) <= 255
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in names}) == len(names)


async def test_the_same_workspace_gives_the_same_archive_at_any_time(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await fill(alice, served, clock, 11)
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "one.zip")
    clock.forward(days=300)
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


async def test_links_of_an_export_lead_to_its_files(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    picture = (
        await alice.ok(
            "POST", "/os/attachments?name=a b.png", status=201, content=b"\x89PNG\r\n\x1a\n"
        )
    )["attachment"]["id"]
    target = await alice.note("Über (us)", "text", folderId=await alice.folder("Far"))
    await alice.note(
        "Near",
        f"[n](/os/notes/{target['id']}) ![p](/os/attachments/{picture})",
        folderId=await alice.folder("Close/By"),
    )
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    text = (tmp_path / "out/notes/Close/By/Near.md").read_text("utf-8")
    assert text.endswith(
        "[n](../../Far/%C3%9Cber%20%28us%29.md) ![p](../../../attachments/a%20b.png)"
    )
    assert (tmp_path / "out/attachments/a b.png").read_bytes() == b"\x89PNG\r\n\x1a\n"


async def test_an_export_goes_nowhere_where_something_is_and_leaves_nothing_when_it_is_cut_off(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    for number in range(70):
        await alice.note(f"Note {number}")
    plant(tmp_path, {"there/mine.txt": "mine"})
    before = [name for name in files(tmp_path) if not name.startswith("data")]
    with pytest.raises(AlreadyExists, match="is there already"):
        await asyncio.to_thread(write_out, served, "alice", tmp_path / "there")

    def stop(done: int, total: int) -> None:
        raise Cancelled

    for name in ("cut", "cut.zip"):
        with pytest.raises(Cancelled):
            await asyncio.to_thread(write_out, served, "alice", tmp_path / name, tell=stop)
    assert set(files(tmp_path)) - set(before) <= {
        name for name in files(tmp_path) if name.startswith("data")
    }


async def test_an_export_holds_one_state_while_others_write(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    for number in range(70):
        await alice.note(f"Note {number}")
    loop = asyncio.get_running_loop()

    def change(done: int, total: int) -> None:
        asyncio.run_coroutine_threadsafe(alice.note(f"Later {done}"), loop).result(30)

    report = await asyncio.to_thread(write_out, served, "alice", tmp_path / "out", tell=change)
    assert report.notes == 70
    assert not list((tmp_path / "out/notes").glob("Later*"))
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 72


async def test_an_export_holds_nothing_of_another_owner_and_no_secret(
    served: Served, alice: Client, bob: Client, tmp_path: Path
) -> None:
    await served.command("connect_users", username="alice", contact="bob")
    folder = await bob.folder("Bobs")
    await bob.note("Bobs note", "bobs words", folderId=folder)
    await bob.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "alice", "role": "editor"}
    )
    await alice.note("Own", "own words")
    report = await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    everything = b"".join(content or b"" for content in files(tmp_path / "out").values())
    assert b"own words" in everything
    assert b"bobs words" not in everything
    assert b"hearth_sk_" not in everything
    assert ("Bobs", "this folder belongs to someone else") in {
        (line.name, line.reason) for line in report.left
    }


async def test_todos_are_there_for_other_programs_too(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    import icalendar

    body = {
        "title": "Pay, the; rent",
        "dueDate": "2026-12-01",
        "priority": 5,
        "steps": [{"title": "Transfer"}],
        "description": "ä" * 100,
    }
    await alice.ok(
        "POST", "/os/todos", status=201, json={**body, "recurrence": {"rule": "FREQ=MONTHLY"}}
    )
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Call", "priority": 9})
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    assert (tmp_path / "out/todo.txt").read_text(
        "utf-8"
    ) == "(A) 2026-11-21 Pay, the; rent due:2026-12-01\n(A) 2026-11-21 Call\n"
    content = (tmp_path / "out/todos.ics").read_bytes()
    assert max(map(len, content.split(b"\r\n"))) <= 75
    todo, other = icalendar.Calendar.from_ical(content).walk("VTODO")
    assert other["PRIORITY"] == 1
    assert (str(todo["SUMMARY"]), todo["DUE"].dt.isoformat(), todo["PRIORITY"]) == (
        "Pay, the; rent",
        "2026-12-01",
        1,
    )
    assert str(todo["DESCRIPTION"]) == f"{'ä' * 100}\n[ ] Transfer"
    assert json.loads((tmp_path / "out/todos.json").read_text("utf-8"))[0]["recurrence"] == {
        "rule": "FREQ=MONTHLY",
        "from": "due",
    }
