"""Every file of a source comes along or is named.

Nothing is passed over in silence, and nothing is called whole that is not.
"""

import asyncio
import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from app.portability.archives.folder_tree import FileTree, FolderTree
from app.portability.archives.source_tree import Entry
from app.portability.archives.tar_reader import TarTree
from app.portability.archives.zip_reader import ZipTree
from app.portability.content.source_items import NotCarried, SourceFile, SourceNote
from app.portability.formats import hearth_tree, markdown_folder
from app.portability.formats.formats import open_import
from tests.conftest import Client, Served
from tests.support import foreign_exports as exports
from tests.support.moving import files, plant, read_in, write_out

pytestmark = pytest.mark.anyio
VAULT: dict[str, str | bytes] = {
    "Home.md": "![[board.canvas]] [[tasks.base|Tasks]] [file](data.xyz)",
    "board.canvas": '{"nodes": []}',
    "tasks.base": "views: []",
    "data.xyz": b"\0\1",
    ".obsidian/app.json": "{}",
    ".obsidian/plugins/a/main.js": "x",
    ".trash/Old.md": "gone",
    ".hidden.md": "mine",
    "Sub/.DS_Store": b"\0",
    "Sub/index.db": b"SQLite",
    "Sub/notes.lock": "1",
    "Sub/film.mp4.part": "1",
    "empty.png": "",
}
STRAY: dict[str, str | bytes] = {
    "more/stray.xyz": b"\0\1 stray",
    "stray.xyz": b"\0\1 stray",
    ".hidden/a": "a",
    ".DS_Store": "b",
    "resources/x.png": b"x",
}


class Opened:
    """Takes down which files of a tree were read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: set[str] = set()
        for tree in (FolderTree, FileTree, ZipTree, TarTree):
            monkeypatch.setattr(tree, "open", self._noting(tree.open))

    def _noting(self, real: Any) -> Any:
        def opened(tree: Any, entry: Entry) -> BinaryIO:
            self.paths.add(entry.path)
            found: BinaryIO = real(tree, entry)
            return found

        return opened


def unaccounted(source: Any, every: list[str], opened: Opened) -> list[str]:
    """The files that were neither read for what came of them nor named, alone or with their
    folder.
    """
    left: list[str] = []
    opened.paths.clear()
    for item in source.items():
        if isinstance(item, NotCarried):
            left.append(item.name)
        elif isinstance(item, SourceFile):
            with item.open() as file:
                file.read()
        elif isinstance(item, SourceNote) and item.snapshots:
            list(item.snapshots())
    return [
        path
        for path in every
        if path not in opened.paths
        and not any(path == name or path.startswith(f"{name}/") for name in left)
    ]


@pytest.mark.parametrize("form", ["folder", "zip", "tar"])
async def test_a_vault_comes_whole_or_is_told_file_by_file(
    form: str, served: Served, alice: Client, tmp_path: Path
) -> None:
    content = {
        name: text if isinstance(text, bytes) else text.encode() for name, text in VAULT.items()
    }
    made = {"folder": exports.folder, "zip": exports.zipped, "tar": exports.tar}[form]
    report = await read_in(served, "alice", made(tmp_path / "vault", content))
    told = {line.name: line.reason for line in report.left}
    assert told.keys() == {
        ".obsidian",
        ".trash",
        ".hidden.md",
        "Sub/.DS_Store",
        "Sub/index.db",
        "Sub/notes.lock",
        "Sub/film.mp4.part",
        "empty.png",
    }
    assert told[".obsidian"] == "Obsidian's settings are not imported (2 files)"
    assert told[".trash"].endswith("(1 file)")
    assert (report.notes.created, report.files.created) == (1, 3)
    attached = {
        one["name"]: one["id"] for one in (await alice.ok("GET", "/os/attachments"))["attachments"]
    }
    [note] = (await alice.ok("GET", "/os/notes?recursive=true"))["notes"]
    assert (await alice.ok("GET", f"/os/notes/{note['id']}"))["note"]["markdown"] == (
        f"![board.canvas](/os/attachments/{attached['board.canvas']}) "
        f"[Tasks](/os/attachments/{attached['tasks.base']})"
        f" [file](/os/attachments/{attached['data.xyz']})"
    )


async def test_what_somebody_may_miss_is_told_before_what_programs_keep(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    (plant(tmp_path / "vault", VAULT) / "linked.md").symlink_to("Home.md")
    report = await read_in(served, "alice", tmp_path / "vault")
    assert next(line.name for line in report.left) == "linked.md"


async def test_every_file_of_an_export_that_others_added_to_is_told(
    served: Served, alice: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await alice.note("Mine", "text")
    await alice.ok(
        "PATCH", f"/os/notes/{note['id']}", json={"content": "other", "contentFormat": "markdown"}
    )
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={"label": "kept"})
    await alice.ok("POST", "/os/todos", status=201, json={"title": "T"})
    await alice.ok("POST", "/os/attachments?name=a.png", status=201, content=b"\x89PNG\r\n\x1a\n")
    await asyncio.to_thread(write_out, served, "alice", tmp_path / "out")
    opened = Opened(monkeypatch)
    every = [name for name, content in files(tmp_path / "out").items() if content is not None]
    whole = hearth_tree.read(tmp_path / "out")
    written_for_others = {"todo.txt", "todos.ics", "hearth.json", "settings.json"}
    assert set(unaccounted(whole, every, opened)) <= written_for_others
    added: dict[str, str | bytes] = {
        "notes/a.png": b"1",
        "snapshots/0-0.jsonl": "{}",
        "conversations/a.txt": "x",
        "Mine.md": "x",
        "other/y.md": "x",
    }
    plant(tmp_path / "out", added)
    told = {
        item.name
        for item in hearth_tree.read(tmp_path / "out").items()
        if isinstance(item, NotCarried)
    }
    assert told == set(added)


@pytest.mark.parametrize(
    "name", ["joplin-raw", "google-keep", "memos", "todo.txt", "ics", "todoist-csv"]
)
def test_every_file_beside_an_export_of_another_program_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [
        path
        for format_, path in exports.every_export(tmp_path)
        if format_ == name and path.is_dir()
    ]
    if name == "todoist-csv":
        folders = [plant(tmp_path / "lists of todoist", {"Garden.csv": exports.TODOIST})]
    opened = Opened(monkeypatch)
    for path in folders:
        plant(path, STRAY)
        every = [file for file, content in files(path).items() if content is not None]
        assert unaccounted(open_import(path, name), every, opened) == []
    assert folders


def test_notes_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    plant(tmp_path / "notes", {"good.md": "x", "nul.md": b"a\0b"})
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "notes/pipe.md")
    source = markdown_folder.read(tmp_path / "notes")
    told = {item.name for item in source.items() if isinstance(item, NotCarried)}
    assert told == {"nul.md", *(["pipe.md"] if hasattr(os, "mkfifo") else [])}
