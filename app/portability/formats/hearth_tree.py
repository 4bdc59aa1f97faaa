"""Reads a tree that Hearth exported, also one that people have changed since."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from app.core.markdown.front_matter import word_list
from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry, Folder, Tree
from app.portability.archives.zip_reader import is_zip
from app.portability.content import address_links, file_links, own_front_matter
from app.portability.content.address_links import Kind
from app.portability.content.clean_text import UNREADABLE, not_readable, report_name
from app.portability.content.source_items import (
    Folders,
    Item,
    NotCarried,
    SourceAgents,
    SourceFile,
    SourceFolder,
    SourceNote,
    SourceSettings,
)
from app.portability.exports.exporter import ABOUT, AGENTS, FILES, FOLDERS, SETTINGS, TODOS, VERSION
from app.portability.formats import hearth_records
from app.portability.formats.markdown_folder import ENDINGS, LARGEST
from app.workspace.attachments.media_types import decode_text
from app.workspace.notes.snapshot_rows import ImportedSnapshot

SAME_TODOS = ("todo.txt", "todos.ics")
"""The todos again, for other programs."""
KEY = re.compile(r"[0-9a-f]{12}-[0-9]{10,16}")
HEAD = 64 << 10
"""The bytes of a file in which its front matter is looked for."""
RULES = (b"---", b"\xef\xbb\xbf---")
LARGEST_JSON = 256 << 20
LARGEST_AGENTS = 8 << 20
LARGEST_LINE = 80 << 20
"""The bytes of one snapshot: 10 MiB of text, as JSON at its worst."""


def recognise(path: Path) -> bool:
    """Return whether the file is there by which an export says what it is."""
    return open_source.looks(_is_export, path)


def read(path: Path) -> "HearthTree":
    """Open an exported folder or archive."""
    return HearthTree(open_source.enter_top_folder(open_source.tree_of(path)))


class HearthTree:
    """An exported tree as a source.

    Keys of what it holds are lasting names, of what was added since the paths of the files.
    """

    format = "hearth"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, Entry] = {}
        self._folders: list[str] = []
        self._refused: list[NotCarried] = []
        for one in tree.entries():
            if isinstance(one, Entry):
                self._files[one.path] = one
            elif isinstance(one, Folder):
                self._folders.append(one.path)
            else:
                self._refused.append(one)
        self._places: dict[str, Folders] = {}
        self._keys: dict[str, tuple[Kind, str] | None] = {}
        self._known_files: dict[str, dict[str, Any]] = {}
        self._histories: set[str] = set()
        """The files of snapshots whose notes are there."""

    def total(self) -> int | None:
        """Count the notes and attachments."""
        return sum(name.startswith(("notes/", "attachments/")) for name in self._files)

    def items(self) -> Iterator[Item]:
        """Yield folders, files, notes, todos, conversations, settings and agents, in this order."""
        yield from self._refused
        yield from self._made_folders()
        yield from self._attachments()
        for name, entry in self._files.items():
            if name.startswith("notes/"):
                yield from self._note(name, entry)
        yield from self._todos()
        for name, entry in self._files.items():
            if name.startswith("conversations/") and name.endswith(".json"):
                yield from self._conversation(name, entry)
        yield from self._settings()
        yield from self._agents()
        for name in self._files:
            if not self._is_known(name):
                yield NotCarried(report_name(name), "it is not part of a Hearth export")

    def close(self) -> None:
        """Let go of the archive."""
        self._tree.close()

    def _is_known(self, name: str) -> bool:
        if name.startswith("snapshots/"):
            return name in self._histories
        return (
            name.startswith(("notes/", "attachments/"))
            or (name.startswith("conversations/") and name.endswith(".json"))
            or name in (ABOUT, AGENTS, FILES, FOLDERS, SETTINGS, TODOS, *SAME_TODOS)
        )

    def _made_folders(self) -> Iterator[Item]:
        for line in self._lines(FOLDERS, skip=False):
            if isinstance(line, NotCarried):
                yield line
                continue
            place, names = line.get("place"), line.get("path")
            if (
                isinstance(place, str)
                and isinstance(names, list)
                and names
                and all(isinstance(name, str) for name in names)
            ):
                self._places[place] = tuple(names)
                yield SourceFolder(
                    path=tuple(names),
                    icon=hearth_records.text_of(line, "icon"),
                    created=hearth_records.text_of(line, "created"),
                )
        for path in self._folders:
            if path.startswith("notes/") and path not in self._places:
                yield SourceFolder(path=self._true(tuple(path.split("/"))))

    def _true(self, place: Folders) -> Folders:
        """Return the true names of a folder of the tree.

        What was added since is called as it is there.
        """
        for end in range(len(place), 1, -1):
            found = self._places.get("/".join(place[:end]))
            if found is not None:
                return (*found, *place[end:])
        # without the tree's own folder `notes`
        return place[1:]

    def _attachments(self) -> Iterator[Item]:
        for line in self._lines(FILES, skip=False):
            if isinstance(line, NotCarried):
                yield line
            elif isinstance(line.get("place"), str):
                self._known_files[line["place"]] = line
                if line["place"] not in self._files:
                    yield NotCarried(
                        hearth_records.text_of(line, "name") or line["place"], "its file is missing"
                    )
        for name, entry in self._files.items():
            if name.startswith("attachments/"):
                about = self._known_files.get(name, {})
                key = hearth_records.text_of(about, "id") or name
                self._keys[name] = ("file", key)
                yield SourceFile(
                    key=key,
                    name=hearth_records.text_of(about, "name") or entry.name,
                    open=entry.open,
                    size=entry.size,
                    media_type=hearth_records.text_of(about, "mediaType"),
                    created=hearth_records.text_of(about, "created"),
                )

    def _note(self, name: str, entry: Entry) -> Iterator[Item]:
        if not name.lower().endswith(ENDINGS):
            yield NotCarried(name, "it is not a Markdown file")
            return
        try:
            content = entry.read(LARGEST)
        except OSError as error:
            yield not_readable(name, error)
            return
        fields, body, trouble = own_front_matter.split_fields(_decoded(content))
        body = file_links.restore_links(body, fields.get(own_front_matter.LINKS))
        if trouble is not None:
            yield NotCarried(name, f"{trouble}; it was kept as text")
        key = hearth_records.text_of(fields, "id") or name
        version = fields.get("version")
        yield SourceNote(
            key=key,
            path=self._true(entry.folders),
            title=hearth_records.text_of(fields, "title") or entry.stem,
            text=address_links.to_names(body, name, self._key_of),
            tags=tuple(word_list(fields.get("tags"))),
            pinned=fields.get("pinned") in (True, "true"),
            created=hearth_records.text_of(fields, "created"),
            updated=hearth_records.text_of(fields, "updated"),
            version=version if isinstance(version, int) and 0 < version < 1 << 31 else 1,
            snapshots=self._snapshots(key),
        )

    def _key_of(self, name: str) -> tuple[Kind, str] | None:
        """Return kind and key of a file of the tree that a note may link to."""
        if name not in self._keys:
            entry = self._files.get(name)
            self._keys[name] = (
                None
                if entry is None or not name.startswith("notes/")
                else ("note", self._note_key(name, entry))
            )
        return self._keys[name]

    def _note_key(self, name: str, entry: Entry) -> str:
        try:
            with entry.open() as file:
                head = file.read(HEAD)
                if (
                    head.startswith(RULES)
                    and own_front_matter.find_block(decode_text(head)) is None
                ):
                    # A long front matter, as that of a note with many links: its end lies beyond
                    # the head.
                    head += file.read(LARGEST)
        except OSError:
            return name
        fields, _, _ = own_front_matter.split_fields(decode_text(head))
        return hearth_records.text_of(fields, "id") or name

    def _snapshots(self, key: str) -> Callable[[], Iterator[ImportedSnapshot]] | None:
        name = f"snapshots/{key}.jsonl"
        # the key stands in a text that anybody may have changed
        if not KEY.fullmatch(key) or name not in self._files:
            return None
        self._histories.add(name)
        return lambda: self._kept(name)

    def _kept(self, name: str) -> Iterator[ImportedSnapshot]:
        # a damaged line costs its snapshot and not the note
        for line in self._lines(name, skip=True):
            kept = None if isinstance(line, NotCarried) else hearth_records.snapshot_of(line)
            if kept is not None:
                yield kept

    def _todos(self) -> Iterator[Item]:
        entry = self._files.get(TODOS)
        if entry is None:
            return
        try:
            found = msgspec.json.decode(entry.read(LARGEST_JSON), type=list[dict[str, Any]])
        except UNREADABLE as error:
            yield not_readable(TODOS, error)
            return
        for number, todo in enumerate(found):
            yield hearth_records.todo_of(todo, number)

    def _conversation(self, name: str, entry: Entry) -> Iterator[Item]:
        try:
            found = msgspec.json.decode(entry.read(LARGEST_JSON), type=dict[str, Any])
            if found.get("own") is True:
                yield hearth_records.conversation_of(found)
            else:
                yield NotCarried(
                    hearth_records.text_of(found, "title") or name,
                    "others take part in this conversation",
                )
        except (KeyError, TypeError, *UNREADABLE) as error:
            yield not_readable(name, error)

    def _settings(self) -> Iterator[Item]:
        entry = self._files.get(SETTINGS)
        if entry is None:
            return
        try:
            yield SourceSettings(
                values=msgspec.json.decode(entry.read(1 << 20), type=dict[str, Any])
            )
        except UNREADABLE as error:
            yield not_readable(SETTINGS, error)

    def _agents(self) -> Iterator[Item]:
        entry = self._files.get(AGENTS)
        if entry is None:
            return
        try:
            yield SourceAgents(
                agents=msgspec.json.decode(entry.read(LARGEST_AGENTS), type=list[dict[str, Any]])
            )
        except UNREADABLE as error:
            yield not_readable(AGENTS, error)

    def _lines(self, name: str, *, skip: bool) -> Iterator[Any]:
        """Yield the objects of a file that has one a line, and NotCarried for a damaged line unless
        it is to be skipped.
        """
        entry = self._files.get(name)
        if entry is None:
            return
        try:
            with entry.open() as file:
                lines = iter(lambda: file.readline(LARGEST_LINE), b"")
                for number, line in enumerate(lines, 1):
                    try:
                        yield msgspec.json.decode(line, type=dict[str, Any])
                    except ValueError:
                        if not skip:
                            yield NotCarried(f"{name}, line {number}", "it is not a JSON object")
        except OSError as error:
            if not skip:
                yield not_readable(name, error)


def _is_export(path: Path) -> bool:
    if (
        path.is_file()
        and not is_zip(path)
        and not any(map(_is_of_export, open_source.first_entries(path)))
    ):
        return False  # else every tar would be read to its end to find no `hearth.json`
    with contextlib.closing(open_source.tree_of(path)) as tree:
        entry = open_source.enter_top_folder(tree).find(ABOUT)
        found = json.loads(entry.read(1 << 16)) if entry is not None else None
        return (
            isinstance(found, dict)
            and found.get("format") == "hearth"
            and found.get("version") == VERSION
        )


def _is_of_export(entry: Entry) -> bool:
    return entry.name == ABOUT or any(
        f"/{folder}/" in f"/{entry.path}"
        for folder in ("notes", "attachments", "snapshots", "conversations")
    )


def _decoded(content: bytes) -> str:
    try:
        # byte for byte as it was exported, also what begins with a mark of byte order
        return content.decode()
    except UnicodeDecodeError:
        return decode_text(content)
