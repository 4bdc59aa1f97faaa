"""Imports: of Markdown folders and vaults, again, cut off, from hostile archives, over HTTP."""

import asyncio
import errno
import gzip
import io
import os
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.database import disk_reserve
from app.core.markdown import front_matter
from app.errors import Invalid, StorageFull
from app.portability.archives import tar_reader, uploads
from app.portability.archives.zip_reader import ZipTree
from app.portability.content import import_rows, own_front_matter
from app.portability.content.source_items import SourceFile, SourceNote
from app.portability.formats.formats import open_import
from app.portability.imports import prepare, store_files
from app.portability.imports.importer import Importer
from app.portability.transfer_jobs import FULL, Cancelled, Transfers
from tests.conftest import Client, Served
from tests.support.moving import files, finished, person, plant, read_in, write_out

pytestmark = pytest.mark.anyio
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
VAULT: dict[str, str | bytes] = {
    ".obsidian/app.json": "{}",
    ".trash/Old.md": "gone",
    "Home.md": "---\ntags: [start, Big Plan]\naliases: [Index]\n---\nSee [[Trip|the trip]] "
    "and [[Sub/Deep#Part]] ![[pic.png|200]] #inline",
    "Trip.md": "---\ntags: travel, summer\ncreated: 2024-05-06\n---\n![[Sub/doc.pdf]] and "
    "[pic](Sub/pic.png) and [deep](Sub/Deep.md#Part)",
    "Sub/Deep.md": "# Part\n[up](../Home.md) [web](https://example.org/Home.md) "
    "[none](Missing.md)\n\n[ref]: ../Trip.md",
    "Sub/pic.png": PNG,
    "Sub/doc.pdf": b"%PDF-1.4 text",
    "Empty folder/.keep": "",
    "board.canvas": "{}",
}


async def notes_of(client: Client) -> dict[str, Any]:
    """The notes of a workspace by title, whole."""
    listed = (await client.ok("GET", "/os/notes?recursive=true&limit=200"))["notes"]
    return {
        one["title"]: (await client.ok("GET", f"/os/notes/{one['id']}"))["note"] for one in listed
    }


async def test_a_vault_comes_in_with_links_tags_times_and_pictures(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    report = await read_in(served, "alice", plant(tmp_path / "vault", VAULT))
    assert (report.format, report.notes.created, report.files.created) == ("obsidian", 3, 3)
    assert [line.name for line in report.left] == [".obsidian", ".trash", "Empty folder/.keep"]
    found = await notes_of(alice)
    home, trip, deep = found["Home"], found["Trip"], found["Deep"]
    attached = {
        one["name"]: one["id"] for one in (await alice.ok("GET", "/os/attachments"))["attachments"]
    }
    assert home["markdown"] == (
        "---\ntags: [start, Big Plan]\naliases: [Index]\n---\n"
        "See [[Trip|the trip]] and [[Sub/Deep#Part]] "
        f"![pic.png|200](/os/attachments/{attached['pic.png']}) #inline"
    )
    assert home["tags"] == ["start", "Big Plan", "inline"]
    assert trip["markdown"] == (
        f"![doc.pdf](/os/attachments/{attached['doc.pdf']}) and "
        f"[pic](/os/attachments/{attached['pic.png']}) and "
        f"[deep](/os/notes/{deep['id']}#Part)"
    )
    assert (trip["tags"], trip["createdAt"]) == (["travel", "summer"], "2024-05-06T00:00:00.000Z")
    assert deep["markdown"] == (
        f"# Part\n[up](/os/notes/{home['id']}) [web](https://example.org/Home.md) "
        f"[none](Missing.md)\n\n[ref]: /os/notes/{trip['id']}"
    )
    assert deep["folder"]["name"] == "Sub"
    assert (await alice.ok("GET", f"/os/notes/{home['id']}/links"))["links"]
    assert "Empty folder" in {
        folder["name"] for folder in (await alice.ok("GET", "/os/folders"))["folders"]
    }


async def test_what_was_imported_is_found_by_its_words_when_the_import_ends(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await read_in(
        served,
        "alice",
        plant(
            tmp_path / "notes", {f"{number}.md": f"word{number} common" for number in range(600)}
        ),
    )
    assert await served.parts.read(lambda tx: tx.value("SELECT count(*) FROM waiting_words")) == 0
    found = await alice.ok("POST", "/os/notes/search", json={"query": "word431"})
    assert [hit["title"] for hit in found["results"]][:1] == ["431"]


async def test_the_same_source_again_changes_what_changed_and_doubles_nothing(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    vault = plant(tmp_path / "vault", VAULT)
    await read_in(served, "alice", vault)
    again = await read_in(served, "alice", vault)
    assert (
        again.notes.created,
        again.notes.updated,
        again.notes.unchanged,
        again.files.unchanged,
    ) == (0, 0, 3, 3)
    mine = (await notes_of(alice))["Deep"]
    await alice.ok(
        "PATCH",
        f"/os/notes/{mine['id']}",
        json={"content": "mine now", "contentFormat": "markdown"},
    )
    plant(
        vault, {"Trip.md": "other text ![[pic.png]]", "Sub/pic.png": PNG + b"new", "New.md": "new"}
    )
    third = await read_in(served, "alice", vault)
    assert (
        third.notes.created,
        third.notes.updated,
        third.notes.unchanged,
        third.files.updated,
    ) == (1, 1, 2, 1)
    found = await notes_of(alice)
    assert found["Deep"]["markdown"] == "mine now"
    newest = (await alice.ok("GET", "/os/attachments"))["attachments"][0]["id"]
    assert f"/os/attachments/{newest}" in found["Home"]["markdown"]
    assert found["Trip"]["markdown"] == f"other text ![pic.png](/os/attachments/{newest})"
    snapshots = (await alice.ok("GET", f"/os/snapshots/{found['Trip']['id']}"))["snapshots"]
    assert [one["label"] for one in snapshots] == ["auto: before import"]


async def test_a_note_that_was_deleted_comes_back_with_the_next_import(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    vault = plant(tmp_path / "vault", VAULT)
    await read_in(served, "alice", vault)
    await alice.ok("DELETE", f"/os/notes/{(await notes_of(alice))['Trip']['id']}")
    assert (await read_in(served, "alice", vault)).notes.created == 1


async def test_a_dry_run_says_what_an_import_does_and_changes_nothing(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    vault = plant(tmp_path / "vault", VAULT)
    before = await alice.ok("GET", "/os/status")
    dry = await read_in(served, "alice", vault, dry_run=True)
    assert await alice.ok("GET", "/os/status") == before
    real = await read_in(served, "alice", vault)
    assert (dry.notes, dry.files, dry.folders) == (real.notes, real.files, real.folders)
    assert (await read_in(served, "alice", vault, dry_run=True)).notes.unchanged == 3


async def test_an_import_that_is_cut_off_goes_on(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    tree = {
        f"n{number:04}.md": f"[next](n{(number + 1) % 900:04}.md) {number}" for number in range(900)
    }
    folder = plant(tmp_path / "notes", tree)

    def stop(done: int, total: int | None) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        await read_in(served, "alice", folder, tell=stop)
    held = (await alice.ok("GET", "/os/status"))["contextCount"]
    assert 0 < held < 900
    report = await read_in(served, "alice", folder)
    assert (report.notes.created, report.notes.unchanged) == (900 - held, held)
    texts = await served.parts.read(lambda tx: tx.all("SELECT id, title, content FROM notes"))
    ids = {row["title"]: row["id"] for row in texts}
    assert {row["content"] for row in texts} == {
        f"[next](/os/notes/{ids[f'n{(number + 1) % 900:04}']}) {number}" for number in range(900)
    }


async def test_an_export_comes_back_into_its_own_account_without_doubles(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    note = await alice.note("Mine", "first")
    other = await alice.note(
        "Other", f"[m](hearth:note/{note['id']})", folderId=await alice.folder("A")
    )
    todo = (await alice.ok("POST", "/os/todos", status=201, json={"title": "T"}))["result"]["todo"][
        "id"
    ]
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    same = await read_in(served, "alice", tmp_path / "out")
    assert (same.notes.unchanged, same.todos.unchanged, same.notes.created, same.notes.updated) == (
        2,
        1,
        0,
        0,
    )
    file = tmp_path / "out/notes/Mine.md"
    plant(
        tmp_path / "out",
        {"notes/Mine.md": file.read_bytes() + b" and edited", "notes/Fresh.md": "fresh"},
    )
    await alice.ok("DELETE", f"/os/notes/{other['id']}")
    await alice.ok("DELETE", "/os/trash")
    await alice.ok("PATCH", f"/os/todos/{todo}", json={"title": "T changed here"})
    back = await read_in(served, "alice", tmp_path / "out")
    assert (back.notes.created, back.notes.updated, [line.name for line in back.left]) == (
        2,
        1,
        ["T"],
    )
    found = await notes_of(alice)
    assert (found["Mine"]["id"], found["Mine"]["markdown"]) == (note["id"], "first and edited")
    assert found["Other"]["markdown"] == f"[m](/os/notes/{note['id']})"
    assert (await alice.ok("GET", f"/os/todos/{todo}"))["todo"]["title"] == "T changed here"


async def test_into_puts_everything_below_a_folder_and_is_a_source_of_its_own(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    note = await alice.note("Mine", "text")
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    report = await read_in(served, "alice", tmp_path / "out", into="Back/Here")
    assert report.notes.created == 1
    copies = [
        one
        for one in (await alice.ok("GET", "/os/notes?recursive=true"))["notes"]
        if one["id"] != note["id"]
    ]
    assert [one["title"] for one in copies] == ["Mine"]


async def test_bad_input_is_told_by_name_and_the_rest_comes_in(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    folder = plant(
        tmp_path / "odd",
        {
            "good.md": "good",
            "yaml.md": "---\n{ not: [yaml\n---\nbody",
            "times.md": "---\ncreated: 0000-01-01\nupdated: 99999-01-01\n---\nbody",
            "nul.md": b"a\0b",
            "huge.md": "x" * (11 << 20),
            "latin.md": "caf\xe9".encode("latin-1"),
            "empty.bin": "",
            "Case.md": "1",
            "case.md": "2",
            "e\u0301.md": "3",
            "é.md": "4",
            "tags.md": f"---\ntags: [{', '.join(f't{number}' for number in range(60))}, "
            f"{'x' * 70}]\n---\n",
            "y" * 240 + ".md": "long",
            "/".join(["d"] * 40) + "/deep.md": "deep",
        },
    )
    (folder / "link.md").symlink_to("/etc/passwd")
    (folder / "linked").symlink_to("/etc")
    report = await read_in(served, "alice", folder)
    told = {
        (line.name.rpartition("/")[2], line.reason.partition(",")[0][:30]) for line in report.left
    }
    assert told >= {
        ("yaml.md", "its front matter is not YAML (l"[:30]),
        ("times", "its created time '0000-01-01' is"[:30]),
        ("times", "its updated time '99999-01-01' is"[:30]),
        ("nul.md", "it is not text: it contains NU"),
        ("huge", "it is larger than 10 MiB"),
        ("empty.bin", "it is empty"),
        ("link.md", "links are not followed"),
        ("linked", "links are not followed"),
        ("tags", "it has 60 tags"),
    }
    found = await served.parts.read(lambda tx: tx.all("SELECT title, content FROM notes"))
    texts = sorted(row["content"] for row in found if len(row["content"]) < 5)
    assert texts == ["1", "2", "3", "4", "café", "deep", "good", "long"]
    assert any("deeper than 32" in line.reason for line in report.left)
    assert not any("root:" in row["content"] for row in found)


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("---\na: !!python/object/apply:os.system [x]\n---\nb", {"a": ["x"]}, "b"),
        ("---\na: &x [1]\nb: *x\n---\n", {"a": ["1"], "b": ["1"]}, ""),
        ("---\r\na: 2024-01-01\r\n...\r\nb", {"a": "2024-01-01"}, "b"),
        ("---\n---\nb", {}, "b"),
        ("--- no\n---\n", {}, "--- no\n---\n"),
        ("---\nnever ended", {}, "---\nnever ended"),
        ("---\n- a\n---\nb", {}, "---\n- a\n---\nb"),
        (f"---\na: {'[' * 5000}\n---\nb", {}, f"---\na: {'[' * 5000}\n---\nb"),
        (f"---\n{'- ' * 5000}\n---\nb", {}, f"---\n{'- ' * 5000}\n---\nb"),
        ("text", {}, "text"),
    ],
)
def test_front_matter_is_read_as_text_and_runs_nothing(
    text: str, fields: dict[str, Any], body: str
) -> None:
    found = front_matter.split_front_matter(text)
    assert (found.fields, found.body) == (fields, body)


def test_front_matter_that_is_written_is_read_back() -> None:
    fields = {
        "id": "a-1",
        "title": "---\u2028\x85\x7f'\"\\: #",
        "tags": ["a: b", "[x"],
        "pinned": True,
        "version": 3,
    }
    found = front_matter.split_front_matter(
        own_front_matter.write_front_matter(fields) + "---\nbody"
    )
    assert (found.fields, found.body) == (fields, "---\nbody")


def archive(*entries: tuple[str, bytes], mode: int = 0) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            made.writestr(info, content)
    return packed.getvalue()


def lying(said: int) -> bytes:
    """An archive whose table of contents says another size than there is."""
    packed = bytearray(archive(("a.md", b"x" * 5000)))
    for at in (packed.index(b"PK\x01\x02") + 24, 22):
        packed[at : at + 4] = said.to_bytes(4, "little")
    return bytes(packed)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "a path upwards": lambda: archive(("../evil.md", b"x")),
    "an absolute path": lambda: archive(("/etc/evil.md", b"x")),
    "a drive": lambda: archive(("C:/evil.md", b"x")),
    "a backslash": lambda: archive(("a\\..\\evil.md", b"x")),
    "a link": lambda: archive(("link.md", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777),
    "a bomb": lambda: archive(("bomb.md", b"\0" * (60 << 20))),
    "an archive in it": lambda: archive(("in.zip", archive(("a.md", b"x")))),
    "too many files": lambda: archive(*((f"{number}.md", b"") for number in range(10_001))),
    "a size too small": lambda: lying(10),
    "a size too large": lambda: lying(9000),
    "a cut end": lambda: archive(("a.md", os.urandom(3000)))[:-40],
    "damage": lambda: archive(("a.md", b"hello " * 500)).replace(
        b"\x00\x00\x00a.md", b"\x00\x00\x00a.md\xff", 1
    ),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_hostile_archive_is_refused_whole(
    make: Callable[[], bytes], served: Served, alice: Client, tmp_path: Path
) -> None:
    job = (await alice.ok("POST", "/import?name=evil.zip", status=202, content=make()))["job"]
    done = await finished(alice, f"/import/{job['id']}")
    assert done["status"] == "failed"
    assert done["error"]
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 0
    assert [name for name in files(tmp_path) if "spool/" in name] == []
    assert not list(tmp_path.parent.glob("evil*"))


def test_an_archive_that_lies_of_sizes_gives_no_more_than_it_says(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(lying(10))
    tree = ZipTree(path)
    entry = tree.find("a.md")
    assert entry is not None
    with pytest.raises(OSError, match="damaged"), entry.open() as file:
        file.read()
    tree.close()
    with pytest.raises(Invalid, match="cannot be read"):
        uploads.check_upload(path, tmp_path / "proved", "a.zip")


async def test_an_upload_is_imported_as_a_job_that_goes_on_alone(
    served: Served, alice: Client, bob: Client
) -> None:
    content = archive(
        *(
            (name, text if isinstance(text, bytes) else text.encode())
            for name, text in VAULT.items()
        )
    )
    job = (await alice.ok("POST", "/import?name=vault.zip", status=202, content=content))["job"]
    assert (job["kind"], job["name"], job["status"]) == ("import", "vault.zip", "running")
    done = await finished(alice, f"/import/{job['id']}")
    assert (done["status"], done["report"]["notes"]["created"]) == ("completed", 3)
    assert [line["name"] for line in done["report"]["left"]] == [
        ".obsidian",
        ".trash",
        "Empty folder/.keep",
    ]
    for method in ("GET", "DELETE"):
        await bob.refused(method, f"/import/{job['id']}", 404, "not_found")
        await bob.refused(method, f"/export/{job['id']}", 404, "not_found")
    again = (await alice.ok("POST", "/import?name=vault.zip", status=202, content=content))["job"]
    assert (await finished(alice, f"/import/{again['id']}"))["report"]["notes"] == {
        "created": 0,
        "updated": 0,
        "unchanged": 3,
    }


async def test_an_export_is_a_job_whose_archive_comes_back(
    served: Served, alice: Client, bob: Client
) -> None:
    await alice.note("Mine", "text")
    job = (await alice.ok("GET", "/export"))["job"]
    done = await finished(alice, f"/export/{job['id']}")
    assert (done["status"], done["report"]["notes"]) == ("completed", 1)
    await bob.refused("GET", f"/export/{job['id']}/archive", 404, "not_found")
    content = (await alice.get(f"/export/{job['id']}/archive")).content
    back = (await bob.ok("POST", "/import?name=x.zip", status=202, content=content))["job"]
    assert (await finished(bob, f"/import/{back['id']}"))["report"]["notes"]["created"] == 1
    await alice.ok("DELETE", f"/export/{job['id']}")
    await alice.refused("GET", f"/export/{job['id']}/archive", 404, "not_found")


async def test_of_requests_at_the_same_moment_one_begins_a_job(
    served: Served, alice: Client, bob: Client
) -> None:
    turn = served.parts.part(Transfers)._turn
    async with turn, turn:  # so that none can end
        begun = [alice.ok("GET", "/export") for _ in range(6)]
        assert len({answer["job"]["id"] for answer in await asyncio.gather(*begun)}) == 1
        sent = [alice.post("/import?name=a.md", content=b"# A") for _ in range(6)]
        sent += [bob.post("/import?name=a.md", content=b"# A")]
        answers = await asyncio.gather(*sent)
        assert sorted(answer.status_code for answer in answers) == [202, 202, *[409] * 5]
    for answer in answers:
        if answer.status_code == 202:
            path = f"/import/{answer.json()['job']['id']}"
            await finished(bob if answer is answers[-1] else alice, path)
    await finished(alice, f"/export/{(await alice.ok('GET', '/export'))['job']['id']}")


async def test_scopes_decide_what_comes_in_and_goes_out(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await alice.note("Mine", "secret words")
    await alice.ok("POST", "/os/todos", status=201, json={"title": "T"})
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out.zip")
    content = (tmp_path / "out.zip").read_bytes()
    await served.person("carol")
    async with served.client(
        await served.key("carol", ["os.todos:write", "os.todos:read"])
    ) as narrow:
        begun = await narrow.ok("POST", "/import?name=a.zip", status=202, content=content)
        job = await finished(narrow, f"/import/{begun['job']['id']}")
        assert (job["report"]["todos"]["created"], job["report"]["notes"]["created"]) == (1, 0)
        assert "os.notes:write" in {line["name"] for line in job["report"]["left"]}
    async with served.client(await served.key("alice", ["os.todos:read"])) as narrow:
        number = (await narrow.ok("GET", "/export"))["job"]["id"]
        await finished(narrow, f"/export/{number}")
        assert b"Mine" not in (await narrow.get(f"/export/{number}/archive")).content


async def test_uploads_are_limited_and_leave_nothing_when_refused(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    async with served.client(await served.key("alice", ["os.notes:read"])) as reader:
        await reader.refused("POST", "/import", 403, "insufficient_scope", content=b"x")
    await alice.refused(
        "POST",
        "/import",
        413,
        "payload_too_large",
        content=b"x",
        headers={"Content-Length": str(600 << 20)},
    )
    await alice.refused("POST", "/import", 400, "invalid_request", content=b"")
    await alice.refused(
        "POST", "/import?dryRun=maybe", 400, "invalid_request", field="dryRun", content=b"x"
    )
    job = (await alice.ok("POST", "/import?name=a.bin", status=202, content=b"\0\1\2"))["job"]
    assert "none of the formats" in (await finished(alice, f"/import/{job['id']}"))["error"]
    assert [name for name in files(tmp_path) if "spool/" in name] == []


async def test_a_full_disk_ends_an_import_with_a_sentence_and_whole_batches(
    served: Served, alice: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plant(tmp_path / "notes", {f"n{number:04}.md": "text" for number in range(600)})
    real, writes = served.parts.store.write, 0

    async def full(*args: Any, **more: Any) -> Any:
        nonlocal writes
        writes += 1
        if writes > 1:
            raise StorageFull("The disk is full, so nothing was stored.")
        return await real(*args, **more)

    monkeypatch.setattr(served.parts.store, "write", full)
    with pytest.raises(StorageFull):
        await read_in(served, "alice", folder)
    monkeypatch.undo()
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 250
    assert (await read_in(served, "alice", folder)).notes.created == 350


async def test_a_job_ends_where_there_is_no_room_even_to_write_that_down(
    served: Served, alice: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = served.parts.store.write

    async def full(function: Any, *args: Any, **more: Any) -> Any:
        if function.__name__ == "_insert_job":  # the row of the job, the last that finds room
            return await real(function, *args, **more)
        raise StorageFull(disk_reserve.FULL)

    monkeypatch.setattr(served.parts.store, "write", full)
    job = (await alice.ok("POST", "/import?name=a.md", status=202, content=b"text"))["job"]
    failed = await finished(alice, f"/import/{job['id']}")
    assert (failed["status"], failed["error"]) == ("failed", FULL["import"])
    monkeypatch.undo()
    again = (await alice.ok("POST", "/import?name=a.md", status=202, content=b"text"))["job"]
    assert (await finished(alice, f"/import/{again['id']}"))["report"]["notes"]["created"] == 1
    assert [name for name in files(tmp_path) if "spool/" in name] == []


def test_no_room_to_unpack_an_archive_is_told_and_not_taken_for_a_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, part: Any) -> int:
            if self.tell():
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(part)

    monkeypatch.setattr(tar_reader.tempfile, "TemporaryFile", Full)
    (tmp_path / "a.tgz").write_bytes(gzip.compress(bytes(1 << 20)))
    with pytest.raises(StorageFull, match=r"a\.tgz is unpacked"):
        tar_reader.unpack(tmp_path / "a.tgz")


async def test_nothing_of_another_source_or_owner_is_taken_for_the_same(
    served: Served, alice: Client, bob: Client, tmp_path: Path
) -> None:
    one, two = plant(tmp_path / "one", {"a.md": "one"}), plant(tmp_path / "two", {"a.md": "two"})
    for folder in (one, two):
        await read_in(served, "alice", folder)
    assert (await read_in(served, "bob", one)).notes.created == 1
    assert (await alice.ok("GET", "/os/status"))["contextCount"] == 2
    rows = await served.parts.read(
        lambda tx: import_rows.rows_of(
            tx, person(served, "bob").user, "markdown:two:", "note", ["a.md"]
        )
    )
    assert rows == {}


async def test_a_caller_within_a_grant_imports_nothing(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    import dataclasses

    from app.core.grant_scope import GrantScope
    from app.errors import Forbidden

    me = dataclasses.replace(person(served, "alice"), reach=GrantScope())
    with pytest.raises(Forbidden):
        Importer(
            served.parts,
            me,
            open_import(plant(tmp_path / "x", {"a.md": "a"})),
            name="x",
            into=None,
            dry_run=False,
        )


async def test_a_job_shows_itself_only_to_credentials_that_may_do_as_much(
    served: Served, alice: Client
) -> None:
    await alice.note("Mine", "secret words")
    number = (await alice.ok("GET", "/export"))["job"]["id"]
    await finished(alice, f"/export/{number}")
    async with served.client(await served.key("alice", ["os.todos:read"])) as narrow:
        for method, path in (("GET", ""), ("GET", "/archive"), ("DELETE", "")):
            await narrow.refused(method, f"/export/{number}{path}", 404, "not_found")
    assert (await alice.get(f"/export/{number}/archive")).status_code == 200


async def test_an_archive_of_one_folder_is_that_folder(served: Served, alice: Client) -> None:
    content = archive(
        ("Vault/.obsidian/app.json", b"{}"),
        ("Vault/A.md", b"[b](Sub/B.md)"),
        ("Vault/Sub/B.md", b"b"),
        ("__MACOSX/._A.md", b"x"),
    )
    job = (await alice.ok("POST", "/import?name=Vault.zip", status=202, content=content))["job"]
    assert (await finished(alice, f"/import/{job['id']}"))["report"]["format"] == "obsidian"
    found = await notes_of(alice)
    assert found["A"]["folderId"] is None
    assert found["A"]["markdown"] == f"[b](/os/notes/{found['B']['id']})"


@pytest.mark.parametrize("kind", ["w", "w:gz"])
async def test_a_tar_of_a_vault_or_an_export_is_imported_as_its_zip_is(
    served: Served, alice: Client, tmp_path: Path, kind: str
) -> None:
    note = await alice.note("Mine", "text")
    plant(
        tmp_path / "vault",
        {
            "Vault/A.md": "[b](Sub/B.md)",
            "Vault/Sub/B.md": "b",
            "Vault/Sub/a.bin": os.urandom(5 << 20),
        },
    )
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    plant(tmp_path / "out", {"attachments/large.bin": os.urandom(5 << 20)})
    for name in ("vault", "out"):
        with tarfile.open(tmp_path / f"{name}.tar", kind) as packed:
            for file in sorted((tmp_path / name).rglob("*"), reverse=True):
                packed.add(file, file.relative_to(tmp_path / name), recursive=False)
    vault = await read_in(served, "alice", tmp_path / "vault.tar")
    assert (vault.format, vault.notes.created, vault.files.created, vault.left) == (
        "markdown",
        2,
        1,
        [],
    )
    found = await notes_of(alice)
    assert (found["A"]["folderId"], found["A"]["markdown"]) == (
        None,
        f"[b](/os/notes/{found['B']['id']})",
    )
    back = await read_in(served, "alice", tmp_path / "out.tar")
    assert (back.format, back.notes.unchanged, back.files.created) == ("hearth", 1, 1)
    assert (await notes_of(alice))["Mine"]["id"] == note["id"]


def test_reading_a_large_vault_takes_little_memory(tmp_path: Path) -> None:
    folder = plant(
        tmp_path / "vault",
        {
            f"{number % 20}/{number}.md": f"{number} [x](a.md) #tag\n" + "words " * 8000
            for number in range(200)
        },
    )
    with (folder / "film.mp4").open("wb") as film:
        film.truncate(64 << 20)
    tracemalloc.start()
    try:
        source = open_import(folder)
        for item in source.items():
            if isinstance(item, SourceNote):
                prepare.prepare_note(item, (), [])
            elif isinstance(item, SourceFile):
                assert not isinstance(store_files.inspect_file(item, 1 << 40, lambda: None), str)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


async def test_names_that_cannot_be_seen_become_untitled(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    vault = plant(tmp_path / "vault", {"\u200b.md": "a", "\u202e/seen.md": "b"})
    await read_in(served, "alice", vault)
    titles = {
        note["title"] for note in (await alice.ok("GET", "/os/notes?recursive=true"))["notes"]
    }
    folders = {folder["name"] for folder in (await alice.ok("GET", "/os/folders"))["folders"]}
    assert "Untitled" in titles
    assert "Untitled" in folders
    assert not titles & {"\u200b"}
    assert not folders & {"\u202e"}
