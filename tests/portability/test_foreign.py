"""Exports of other programs in general.

Each known by its own reader alone, damage told and never raised, memory small.
"""

import contextlib
import importlib
import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import Invalid
from app.portability.content.source_items import (
    NotCarried,
    Source,
    SourceFile,
    SourceFolder,
    SourceNote,
    SourceTodo,
)
from app.portability.formats.formats import READERS, open_import
from tests.support import foreign_exports as exports
from tests.support.foreign_exports import Read

FOREIGN = [name for name in READERS if name not in ("hearth", "obsidian", "markdown")]
RAISED = (Invalid,)
"""All that a reader may raise, and only before its first item."""


def recognised(path: Path) -> list[str]:
    return [name for name in FOREIGN if importlib.import_module(READERS[name]).recognise(path)]


def shown(read: Read) -> list[object]:
    """Give the items as values that can be compared.

    What opens a file is another function each time.
    """
    return [
        (type(item), {**msgspec.structs.asdict(item), "open": None, "snapshots": None})
        for item in read.items
    ]


def require_sound(read: Read) -> None:
    """Hold what every item of every source must be."""
    for item in read.items:
        for value in msgspec.structs.asdict(item).values():
            for text in value if isinstance(value, tuple) else [value]:
                if isinstance(text, str):
                    text.encode()
                    assert "\0" not in text
        if isinstance(item, SourceNote):
            assert item.key
            assert 1 <= len(item.title) <= 255
        elif isinstance(item, SourceTodo):
            assert item.key
            assert 1 <= len(item.title) <= 500
            assert len(item.description or "") <= 20_000
            assert len(item.steps) <= 100
        elif isinstance(item, NotCarried):
            assert item.name
            assert item.reason
        elif isinstance(item, SourceFolder):
            assert all("/" not in name and name not in ("", ".", "..") for name in item.path)


def test_each_export_is_known_by_its_own_reader_alone(tmp_path: Path) -> None:
    for name, path in exports.every_export(tmp_path):
        assert recognised(path) == [name], path.name
        source = open_import(path)
        source.close()
        assert source.format == name


def test_every_format_has_an_export_in_these_tests(tmp_path: Path) -> None:
    assert {name for name, _ in exports.every_export(tmp_path)} == set(FOREIGN)


@pytest.mark.parametrize(
    "files",
    [
        {"Diary.md": b"# Day\n\ntype_: 1 is nothing here", "pictures/a.png": exports.PICTURE},
        {
            ".obsidian/app.json": b"{}",
            "Note.md": b"x",
            "data.json": exports.memos_files()["page1.json"],
        },
        {"a.json": b'{"content": "x", "createTime": 5}', "b.json": b"[1, 2]", "c.json": b"{"},
        {"report.csv": b"TYPE,CONTENT\nx,y\n"},
        {"plan.csv": b"name,date\nx,2024-01-01\n"},
        {"notes.txt": b"Dear all,\nwe meet on 2024-05-01.\nBring cake.\n"},
        {"todo.txt": b"(A) x\n", "essay.txt": b"It was a dark night.\n"},
        {"page.html": b'<html><body><div class="note">x</div></body></html>'},
        {"a.ics": exports.ICS, "readme.txt": b"x"},
        {"0" * 32 + ".md": b"just a note with a strange name\n"},
        {},
    ],
)
def test_folders_of_others_are_known_by_none(tmp_path: Path, files: dict[str, bytes]) -> None:
    assert recognised(exports.folder(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("letter.txt", b"Dear all,\nwe meet on 2024-05-01.\n"),
        ("empty.txt", b""),
        ("binary.txt", b"\0\1\2x 2024-01-01 y"),
        ("a.csv", b""),
        ("data.json", b'{"memos": 5}'),
        ("data2.json", b"[]"),
        ("photo.png", exports.PICTURE),
        ("a.zip", b"PK\x03\x04 and nothing"),
        ("b.zip", b""),
        ("c.jex", b"\0" * 2048),
        ("d.tgz", b"\x1f\x8b"),
        ("e.ics", b"BEGIN:VCARD\n"),
        ("page.html", exports.KEEP_PAGE.encode()),
        ("one.md", exports.joplin_files()[f"{exports.NOTE}.md"]),
    ],
)
def test_files_of_others_are_known_by_none(tmp_path: Path, name: str, content: bytes) -> None:
    assert recognised(exports.single(tmp_path / name, content)) == []


@pytest.mark.parametrize(
    "file",
    [
        "notes.jex",
        "takeout.zip",
        "takeout.tgz",
        "memos.json",
        "Garden.csv",
        "tasks.ics",
        "backup.zip",
        "chores.txt",
    ],
)
def test_an_export_is_known_by_its_content_under_any_name(
    tmp_path: Path, whole: dict[str, tuple[str, bytes]], file: str
) -> None:
    name, content = whole[file]
    path = exports.single(tmp_path / ("import.txt" if name == "todo.txt" else "import"), content)
    assert recognised(path) == [name]
    read = Read(open_import(path))
    assert read.notes or read.todos


def test_what_is_not_there_is_known_by_none(tmp_path: Path) -> None:
    assert recognised(tmp_path / "nothing") == []


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_there_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(Invalid, match=r"nothing\.xyz") as told:
        open_import(tmp_path / "nothing.xyz", name)
    assert told.value.details["field"] == "path"


def test_a_second_look_gives_the_same(tmp_path: Path) -> None:
    for name, path in exports.every_export(tmp_path):
        source = open_import(path, name)
        first = list(source.items())
        second = list(source.items())
        source.close()
        assert [getattr(item, "key", item) for item in first] == [
            getattr(item, "key", item) for item in second
        ]
        assert shown(Read(open_import(path, name))) == shown(Read(open_import(path, name)))


def test_all_that_every_export_gives_is_sound(tmp_path: Path) -> None:
    for name, path in exports.every_export(tmp_path):
        read = Read(open_import(path, name))
        require_sound(read)
        assert read.notes or read.todos
        addressed = [note for note in read.notes.values() if "attachment:" in note.text]
        assert not read.contents or addressed
        assert set(read.contents.values()) <= {exports.PICTURE}


def test_a_total_is_near_what_is_given(tmp_path: Path) -> None:
    for name, path in exports.every_export(tmp_path):
        source = open_import(path, name)
        total = source.total()
        given_items = [item for item in source.items() if not isinstance(item, NotCarried)]
        source.close()
        assert total is None or abs(total - len(given_items)) <= 4


SINGLE_FILES = [
    "notes.jex",
    "takeout.zip",
    "takeout.tgz",
    "memos.json",
    "Garden.csv",
    "todo.txt",
    "tasks.ics",
    "backup.zip",
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, bytes]]:
    """The bytes of each export that is one file, by its name, with its format."""
    found = exports.every_export(tmp_path_factory.mktemp("exports"))
    return {path.name: (name, path.read_bytes()) for name, path in found if path.is_file()}


def read_or_refused(path: Path, name: str) -> Read | None:
    """Read what is damaged: either all is told in items, or Invalid refuses it before there is
    any item.
    """
    source = None
    with contextlib.suppress(*RAISED):
        source = open_import(path, name)
    return None if source is None else read_through(source)


def read_through(source: Source) -> Read:
    """Give everything of a source, with no content for files that are damaged."""
    read = object.__new__(Read)
    read.items, read.contents = [], {}
    items = source.items()
    while (item := next(items, None)) is not None:
        read.items.append(item)
        if isinstance(item, SourceFile):
            try:
                with item.open() as stream:
                    read.contents[item.key] = stream.read()
            except OSError:
                read.contents[item.key] = b""
    source.close()
    require_sound(read)
    return read


@pytest.mark.parametrize("file", SINGLE_FILES)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0, 1, exclude_max=True))
def test_what_is_cut_off_raises_nothing_but_a_sentence(
    tmp_path: Path, whole: dict[str, tuple[str, bytes]], file: str, share: float
) -> None:
    name, content = whole[file]
    path = exports.single(tmp_path / file, content[: int(len(content) * share)])
    recognised(path)
    read_or_refused(path, name)


@pytest.mark.parametrize("file", SINGLE_FILES)
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    flips=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8
    )
)
def test_flipped_bits_raise_nothing_but_a_sentence(
    tmp_path: Path, whole: dict[str, tuple[str, bytes]], file: str, flips: list[tuple[float, int]]
) -> None:
    name, content = whole[file]
    damaged = bytearray(content)
    for share, bits in flips:
        damaged[int(len(content) * share)] ^= bits
    path = exports.single(tmp_path / file, bytes(damaged))
    recognised(path)
    read_or_refused(path, name)


@pytest.mark.parametrize("name", FOREIGN)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=600))
def test_noise_raises_nothing_but_a_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    endings = {
        "google-keep": ".zip",
        "memos": ".json",
        "todoist-csv": ".csv",
        "todo.txt": ".txt",
        "ics": ".ics",
        "joplin-jex": ".jex",
    }
    beginnings = {
        "todoist-csv": b"TYPE,CONTENT,INDENT\n",
        "ics": b"BEGIN:VCALENDAR\nBEGIN:VTODO\n",
        "memos": b'{"memos":[',
        "google-keep": b"PK\x05\x06",
    }
    for start in (b"", beginnings.get(name, b"")):
        path = exports.single(tmp_path / f"noise{endings.get(name, '')}", start + content)
        recognised(path)
        read_or_refused(path, name)


def test_a_cut_archive_gives_what_is_before_the_cut(
    tmp_path: Path, whole: dict[str, tuple[str, bytes]]
) -> None:
    content = whole["notes.jex"][1]
    path = exports.single(
        tmp_path / "notes.jex", content[: content.index(f"resources/{exports.RESOURCE}".encode())]
    )
    read = read_or_refused(path, "joplin-jex")
    assert read is not None
    assert {"Roses", "Tulips"} <= read.notes.keys()
    assert "bush.png" in read.lost
    assert f":/{exports.RESOURCE}" in read.notes["Roses"].text


def test_large_exports_take_little_memory(tmp_path: Path) -> None:
    files = exports.joplin_files()
    for number in range(60):
        own = f"{number + 0x1000:032x}"
        files[f"{own}.md"] = exports.joplin_note(own, f"Note {number}", "word " * 20_000).encode()
    files[f"resources/{exports.RESOURCE}.png"] = bytes(20 << 20)
    jex = exports.tar(tmp_path / "large.jex", files)
    memos = tmp_path / "large.json"
    memos.write_text(
        json.dumps(
            {"memos": [exports.memo(f"m{number}", "word " * 4_000) for number in range(400)]}
        )
    )
    del files
    for path in (jex, memos):
        tracemalloc.start()
        source = open_import(path)
        count = 0
        for item in source.items():
            count += 1
            if isinstance(item, SourceFile):
                with item.open() as stream:
                    while stream.read(1 << 16):
                        pass
        source.close()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count > 60
        assert peak < 3 << 20, path.name
        assert path.stat().st_size > 7_000_000
