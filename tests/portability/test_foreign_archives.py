"""Archives and folders of an import.

Hostile names, links, bombs and false sizes are refused, and damage is told where it stands.
"""

import gzip
import io
import os
import stat
import struct
import tarfile
import time
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import Invalid
from app.portability.archives import open_source, source_tree, tar_reader, uploads, zip_reader
from app.portability.archives.folder_tree import FolderTree
from app.portability.archives.source_tree import Damaged, Entry, Folder, Limits
from app.portability.content.source_items import NotCarried
from app.portability.formats import json_stream
from tests.support import foreign_exports as exports

HOSTILE = (
    "../up.md",
    "a/../../up.md",
    "/etc/passwd",
    "a//b.md",
    "./../x",
    "..",
    "a\\b.md",
    "C:/x.md",
    "c:x.md",
    "a/./b",
    "bell\a.md",
    "line\nbreak.md",
    "/".join("d" * 70),
    "n" * 300,
    "\x7f.md",
)
HARMLESS = (
    "CON",
    "aux.md",
    "ab:c.md",
    "ends with dot.",
    "two  spaces.md",
    "ünï/çödé.md",
    "日本.md",
    "a" * 200 + ".md",
    "x/" * 60 + "deep.md",
    "日" * 200 + ".md",
)


_opened: list[source_tree.Tree] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what the test opened."""
    yield
    while _opened:
        _opened.pop().close()


def found(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """Give the files of a tree by path, and what of it was refused, with the reasons."""
    tree = open_source.tree_of(path)
    _opened.append(tree)
    everything = list(tree.entries())
    files = {one.path: one for one in everything if isinstance(one, Entry)}
    refused = {one.name: one.reason for one in everything if isinstance(one, NotCarried)}
    return files, refused


def content(entry: Entry) -> bytes:
    with entry.open() as stream:
        return stream.read()


def made(path: Path, kind: str, files: dict[str, bytes]) -> Path:
    if kind == "zip":
        return exports.zipped(path, files)
    return exports.tar(path, files, "w:gz" if kind == "tgz" else "w")


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused_one_by_one(tmp_path: Path, kind: str, name: str) -> None:
    files, refused = found(made(tmp_path / "a", kind, {name: b"x", "good.md": b"y"}))
    assert set(files) == {"good.md"}
    assert content(files["good.md"]) == b"y"
    assert len(refused) == 1


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_names_are_kept(tmp_path: Path, kind: str, name: str) -> None:
    files, refused = found(made(tmp_path / "a", kind, {name: b"x"}))
    assert (list(files), refused) == ([unicodedata.normalize("NFC", name)], {})
    assert content(files[unicodedata.normalize("NFC", name)]) == b"x"


def zipped_without_flag(path: Path, names: dict[bytes, bytes]) -> Path:
    """Pack files as Linux's zip and macOS do: with the bytes of their names, and no flag that says
    what these are.
    """
    plain = {b"%0*d" % (len(name), place): name for place, name in enumerate(names)}
    packed = exports.zipped(
        path, {stand_in.decode(): names[name] for stand_in, name in plain.items()}
    ).read_bytes()
    for stand_in, name in plain.items():
        packed = packed.replace(stand_in, name)
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        ("Läufe/Über Öl.md".encode(), "Läufe/Über Öl.md"),
        (unicodedata.normalize("NFD", "Läufe/Café.md").encode(), "Läufe/Café.md"),
        ("日記/東京都.md".encode(), "日記/東京都.md"),
        ("Läufe/Über Öl.md".encode("cp437"), "Läufe/Über Öl.md"),
        (b"plain/name.md", "plain/name.md"),
    ],
)
def test_names_of_a_zip_without_the_flag_are_utf_8_or_else_cp437(
    tmp_path: Path, name: bytes, read_as: str
) -> None:
    files, refused = found(zipped_without_flag(tmp_path / "a.zip", {name: b"its content"}))
    assert (list(files), refused) == ([read_as], {})
    assert content(files[read_as]) == b"its content"


@pytest.mark.parametrize("name", ["up\x85.md".encode(), b"../\xc3\xa4.md"])
def test_hostile_names_without_the_flag_are_refused(tmp_path: Path, name: bytes) -> None:
    files, refused = found(zipped_without_flag(tmp_path / "a.zip", {name: b"its content"}))
    assert (files, len(refused)) == ({}, 1)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_what_the_system_hides_is_passed_over(tmp_path: Path, kind: str) -> None:
    files, refused = found(
        made(
            tmp_path / "a",
            kind,
            {"__MACOSX/._a.md": b"x", ".DS_Store": b"x", "a/.git/config": b"x", "a/b.md": b"y"},
        )
    )
    assert list(files) == ["a/b.md"]
    assert {name: reason.rpartition("(")[2] for name, reason in refused.items()} == {
        "__MACOSX": "1 file)",
        ".DS_Store": "system files are not imported",
        "a/.git": "1 file)",
    }


def test_links_and_pipes_of_a_folder_are_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret")
    place = exports.folder(tmp_path / "in", {"a.md": b"x", "sub/b.md": b"y"})
    (place / "link.md").symlink_to(outside)
    (place / "up").symlink_to(tmp_path)
    os.mkfifo(place / "pipe.md")
    files, refused = found(place)
    assert set(files) == {"a.md", "sub/b.md"}
    assert set(refused) == {"link.md", "up", "pipe.md"}


def test_a_file_that_became_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    place = exports.folder(tmp_path / "in", {"a.md": b"x"})
    files, _ = found(place)
    (place / "a.md").unlink()
    (place / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(OSError, match=r"symbolic link|Too many|levels"):
        files["a.md"].open()
    (place / "a.md").unlink()
    os.mkfifo(place / "a.md")
    with pytest.raises(Damaged, match="not a file"):
        files["a.md"].open()


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE],
)
def test_links_and_devices_of_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("link.md")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
        good = tarfile.TarInfo("good.md")
        good.size = 1
        archive.addfile(good, io.BytesIO(b"y"))
    files, refused = found(tmp_path / "a.tar")
    assert (set(files), set(refused)) == ({"good.md"}, {"link.md"})


def test_links_of_a_zip_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    files, refused = found(tmp_path / "a.zip")
    assert (files, set(refused)) == ({}, {"link.md"})


def test_a_file_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    content = {
        "bomb.bin": bytes(20 << 20),
        "small.bin": bytes(16 << 20),
        "a.md": os.urandom(1 << 20),
    }
    files, refused = found(exports.zipped(tmp_path / "a.zip", content))
    assert set(files) == {"a.md", "small.bin"}
    assert "100 times" in refused["bomb.bin"]


def test_a_zip_that_grows_without_end_is_refused_whole(tmp_path: Path) -> None:
    path = exports.zipped(
        tmp_path / "a.zip", {f"{number}.bin": bytes(6 << 20) for number in range(3)}
    )
    with pytest.raises(Invalid, match="100 times"):
        open_source.tree_of(path)


def test_a_gzipped_tar_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(gzip.compress(bytes(40 << 20)))
    with pytest.raises(Invalid, match="100 times"):
        open_source.tree_of(tmp_path / "a.tgz")


def test_files_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"same bytes", "b.md": b"same bytes"})
    written = bytearray(path.read_bytes())
    second = written.rindex(b"PK\x01\x02")
    written[second + 42 : second + 46] = struct.pack("<I", 0)
    path.write_bytes(bytes(written))
    with pytest.raises(Invalid, match="share the same bytes"):
        open_source.tree_of(path)


@pytest.mark.parametrize("told", [0, 5, 11, 1_000_000])
def test_false_sizes_of_a_zip_are_damage(tmp_path: Path, told: int) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"ten bytes!"})
    written = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = written.index(mark)
        written[start + place : start + place + 4] = struct.pack("<I", told)
    path.write_bytes(bytes(written))
    files, _ = found(path)
    with pytest.raises(OSError, match="damaged"):
        content(files["a.md"])


def test_encrypted_and_unusual_files_of_a_zip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("secret.md", "x")
        archive.writestr("odd.md", "x" * 100, zipfile.ZIP_LZMA)
    written = bytearray(path.read_bytes())
    written[written.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(written))
    files, refused = found(path)
    assert files == {}
    assert refused == {
        "secret.md": "it is encrypted",
        "odd.md": "its compression method is not supported",
    }


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_with_one_name_the_first_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.md", "first")
        archive.writestr("a.md", "second")
    files, refused = found(tmp_path / "a.zip")
    assert content(files["a.md"]) == b"first"
    assert set(refused) == {"a.md"}


def test_a_zip_that_tells_of_too_many_files_is_refused_before_its_list_is_read(
    tmp_path: Path,
) -> None:
    path, listing = tmp_path / "a.zip", 70 << 20
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    longer = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1 << 20, 1 << 20, listing, 4)
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(listing, os.SEEK_CUR)
        file.write(longer + struct.pack("<IIQI", 0x07064B50, 0, listing + 4, 1) + end)
    tracemalloc.start()
    try:
        with pytest.raises(Invalid, match="more than 200,000 files"):
            zip_reader.ZipTree(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_list_that_is_longer_than_it_tells_is_refused(tmp_path: Path) -> None:
    path = exports.zipped(tmp_path / "a.zip", {f"{number}.md": b"" for number in range(12)})
    with pytest.raises(Invalid, match="more than 11 files"):
        zip_reader.ZipTree(path, Limits(entries=11))
    zip_reader.ZipTree(path, Limits(entries=12)).close()


@pytest.mark.parametrize("cut", [4, 30, 60])
def test_a_zip_without_its_end_is_refused(tmp_path: Path, cut: int) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"x" * 100})
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(Invalid, match="damaged or incomplete"):
        open_source.tree_of(path)


def test_a_tar_is_read_on_after_damage(tmp_path: Path) -> None:
    path = exports.tar(tmp_path / "a.tar", {f"{name}.md": name.encode() * 700 for name in "abcde"})
    written = bytearray(path.read_bytes())
    start = written.index(b"c.md")
    written[start : start + 600] = b"\xff" * 600
    path.write_bytes(bytes(written))
    files, refused = found(path)
    assert set(files) == {"a.md", "b.md", "d.md", "e.md"}
    assert content(files["e.md"]) == b"e" * 700
    assert len(refused) == 1


def test_a_tar_that_tells_a_false_size_is_cut_there(tmp_path: Path) -> None:
    path = exports.tar(tmp_path / "a.tar", {"a.md": b"x", "b.md": b"y"})
    written = bytearray(path.read_bytes())
    start = written.index(b"b.md")
    head = written[start : start + 512]
    head[124:136] = b"77777777777\0"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    written[start : start + 512] = head
    path.write_bytes(bytes(written))
    files, refused = found(path)
    assert set(files) == {"a.md"}
    assert "its size in the archive is wrong" in refused["b.md"]


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_long_names_of_every_kind_of_tar_are_whole(tmp_path: Path, form: int) -> None:
    name = "folder " * 10 + "/" + "ü" * 30 + ".md"
    with tarfile.open(tmp_path / "a.tar", "w", format=form) as archive:
        for one in (name, "b.md"):
            info = tarfile.TarInfo(one)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
    files, refused = found(tmp_path / "a.tar")
    assert (list(files), refused) == ([unicodedata.normalize("NFC", name), "b.md"], {})


def test_a_hostile_extended_header_takes_no_time(tmp_path: Path) -> None:
    """The whole of `tarfile` takes over a minute for it, on some of the Pythons we run on."""
    sparse = b"21 GNU.sparse.size=1\n" + b"1" * (4 << 20)
    with (tmp_path / "a.tar").open("wb") as archive:
        for name, kind, content in (("x", tarfile.XHDTYPE, sparse), ("a.md", tarfile.REGTYPE, b"")):
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, len(content)
            archive.write(info.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512))
        archive.write(bytes(1024))
    began = time.process_time()
    files, refused = found(tmp_path / "a.tar")
    assert time.process_time() - began < 20
    assert (set(files), refused) == ({"a.md"}, {})


def test_a_cut_gzip_gives_what_is_before_the_cut(tmp_path: Path) -> None:
    whole = exports.tar(
        tmp_path / "a.tgz", {"a.md": os.urandom(5_000), "b.md": os.urandom(5_000)}, "w:gz"
    ).read_bytes()
    (tmp_path / "a.tgz").write_bytes(whole[: len(whole) * 3 // 4])
    files, refused = found(tmp_path / "a.tgz")
    assert set(files) == {"a.md"}
    assert refused


def test_twenty_thousand_files_in_one_folder_are_listed(tmp_path: Path) -> None:
    for number in range(20_000):
        os.close(os.open(tmp_path / f"{number}.md", os.O_CREAT | os.O_WRONLY))
    assert sum(isinstance(one, Entry) for one in FolderTree(tmp_path).entries()) == 20_000


def packed_or_not(place: Path, files: dict[str, bytes]) -> Iterator[source_tree.Tree]:
    """Give a tree of every kind with these files."""
    place.mkdir()
    for path in (
        exports.folder(place / "folder", files),
        *(made(place / kind, kind, files) for kind in ("zip", "tar", "tgz")),
    ):
        _opened.append(open_source.tree_of(path))
        yield _opened[-1]


def test_folders_come_before_what_is_in_them_and_after_the_files_beside_them(
    tmp_path: Path,
) -> None:
    ordered = ["B.md", "z.md", "a", "a/x.md", "a/b", "a/b/y.md", "a c", "a c/w.md"]
    for tree in packed_or_not(
        tmp_path / "in", {name: b"x" for name in ordered if name.endswith(".md")}
    ):
        assert [one.path for one in tree.entries() if isinstance(one, Entry | Folder)] == ordered
    backwards = exports.zipped(
        tmp_path / "b.zip", {name: b"x" for name in reversed(ordered) if name.endswith(".md")}
    )
    _opened.append(open_source.tree_of(backwards))
    assert [one.path for one in _opened[-1].entries() if isinstance(one, Entry | Folder)] == ordered


def test_empty_folders_are_told_by_every_tree(tmp_path: Path) -> None:
    (tmp_path / "in/a/b").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a/b/", b"")
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(tmp_path / "in", ".")
    for name in ("in", "a.zip", "a.tar"):
        _opened.append(open_source.tree_of(tmp_path / name))
        assert list(_opened[-1].entries()) == [Folder("a"), Folder("a/b")]


def test_a_file_is_found_by_exactly_its_path(tmp_path: Path) -> None:
    for tree in packed_or_not(tmp_path / "in", {"a/b.md": b"x"}):
        entry = tree.find("a/b.md")
        assert entry is not None
        assert content(entry) == b"x"
        others = (
            "a",
            "b.md",
            "a/B.md",
            "../in/a/b.md",
            "a//b.md",
            "/a/b.md",
            "a/b.md/",
            "a/b.md/c",
            "",
            "a/b.md\0",
        )
        assert {path: tree.find(path) for path in others} == dict.fromkeys(others)


def test_a_file_behind_a_link_is_not_found(tmp_path: Path) -> None:
    exports.folder(tmp_path / "outside", {"a.md": b"secret"})
    place = exports.folder(tmp_path / "in", {"b.md": b"x"})
    (place / "up").symlink_to(tmp_path / "outside")
    (place / "c.md").symlink_to(tmp_path / "outside/a.md")
    tree = open_source.tree_of(place)
    assert (tree.find("up/a.md"), tree.find("c.md")) == (None, None)


def test_an_archive_with_one_folder_is_that_folder_where_that_is_asked_for(tmp_path: Path) -> None:
    for tree in packed_or_not(
        tmp_path / "one", {"Vault/a.md": b"x", "Vault/Sub/b.md": b"y", "__MACOSX/._a.md": b"z"}
    ):
        paths = [
            one.path
            for one in open_source.enter_top_folder(tree).entries()
            if isinstance(one, Entry | Folder)
        ]
        assert (
            paths == ["Vault", "Vault/a.md", "Vault/Sub", "Vault/Sub/b.md"]
            if isinstance(tree, FolderTree)
            else ["a.md", "Sub", "Sub/b.md"]
        )
    for tree in packed_or_not(tmp_path / "two", {"Vault/a.md": b"x", "b.md": b"y"}):
        assert {
            one.path
            for one in source_tree.files(open_source.enter_top_folder(tree))
            if isinstance(one, Entry)
        } == {"Vault/a.md", "b.md"}


def test_names_that_differ_by_composition_alone_are_two_files(tmp_path: Path) -> None:
    for tree in packed_or_not(
        tmp_path / "in", {"e\u0301.md": b"two", "\xe9.md": b"one", "o\u0308.md": b"three"}
    ):
        paths = {
            one.path: content(one) for one in source_tree.files(tree) if isinstance(one, Entry)
        }
        if isinstance(tree, tar_reader.TarTree):
            assert paths == {"\xe9.md": b"two", "\xf6.md": b"three"}
            assert [one.name for one in source_tree.files(tree) if isinstance(one, NotCarried)] == [
                "\xe9.md"
            ]
        else:
            assert paths == {"\xe9.md": b"one", "e\u0301.md": b"two", "\xf6.md": b"three"}


def test_a_folder_may_have_names_that_no_archive_may(tmp_path: Path) -> None:
    names = {"tab\t.md", "a\\b.md", "A: plan.md", "line\nbreak.md"}
    files, refused = found(exports.folder(tmp_path / "in", {name: name.encode() for name in names}))
    assert (set(files), refused) == (names, {})
    assert all(content(files[name]) == name.encode() for name in names)
    os.close(os.open(os.fsencode(tmp_path) + b"/in/\xff.md", os.O_CREAT | os.O_WRONLY))
    assert found(tmp_path / "in")[1] == {"\ufffd.md": "its name is not valid UTF-8"}


def test_a_file_that_grew_since_it_was_listed_is_read_whole(tmp_path: Path) -> None:
    files, _ = found(exports.folder(tmp_path / "in", {"a.md": b"x"}))
    (tmp_path / "in/a.md").write_bytes(b"x" * 100)
    assert files["a.md"].read(100) == b"x" * 100
    with pytest.raises(Damaged, match="larger"):
        files["a.md"].read(99)


def test_a_file_that_ends_as_a_zip_does_is_a_file(tmp_path: Path) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"x"})
    path.write_bytes(b"# Title\n" + path.read_bytes())
    assert list(found(path)[0]) == ["a.zip"]


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"../up.md": b"x"}, "leads out"),
        ({"/etc/up.md": b"x"}, "leads out"),
        ({"C:/up.md": b"x"}, "drive"),
        ({"a\\b.md": b"x"}, "backslash"),
        ({"a/in.ZIP": b"x"}, "archive within the archive"),
        ({"notes.jex": b"x"}, "archive within the archive"),
        ({"bell\a.md": b"x"}, "control"),
        ({f"{number}.md": b"" for number in range(10_001)}, "10,000 files"),
        ({"/".join("d" * 70): b"x"}, "deeper"),
    ],
)
def test_an_upload_with_anything_hostile_is_refused_whole(
    tmp_path: Path, kind: str, content: dict[str, bytes], told: str
) -> None:
    path = made(tmp_path / "upload", kind, {"good.md": b"y", **content})
    with pytest.raises(Invalid, match=told):
        uploads.check_upload(path, tmp_path / "proved", "notes")


def test_an_upload_of_a_tar_with_a_link_or_a_cut_end_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("link.md")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(Invalid, match="link"):
        uploads.check_upload(tmp_path / "a.tar", tmp_path / "first", "a.tar")
    for kind, kept in (("tar", 700), ("tgz", -5)):
        path = made(tmp_path / kind, kind, {"a.md": os.urandom(2_000)})
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(Invalid, match="cut off"):
            uploads.check_upload(path, tmp_path / f"of {kind}", kind)


def test_a_cut_that_no_file_shows_is_told(tmp_path: Path) -> None:
    whole = exports.tar(tmp_path / "a.tgz", {"a.md": os.urandom(5_000)}, "w:gz").read_bytes()
    (tmp_path / "a.tgz").write_bytes(whole[:-5])
    files, refused = found(tmp_path / "a.tgz")
    assert (list(files), refused) == (
        ["a.md"],
        {"the end of the archive": "the archive was cut off"},
    )


def test_two_files_of_an_archive_can_be_read_at_the_same_time(tmp_path: Path) -> None:
    for kind in ("zip", "tar"):
        files, _ = found(
            made(tmp_path / kind, kind, {"a.md": b"a" * 200_000, "b.md": b"b" * 200_000})
        )
        with files["a.md"].open() as first, files["b.md"].open() as second:
            for _ in range(4):
                assert (first.read(50_000), second.read(50_000)) == (b"a" * 50_000, b"b" * 50_000)


def test_only_so_many_bytes_of_an_entry_are_read_at_once(tmp_path: Path) -> None:
    files, _ = found(exports.zipped(tmp_path / "a.zip", {"a.md": b"x" * 1_000}))
    assert files["a.md"].read(1_000) == b"x" * 1_000
    with pytest.raises(Damaged, match="larger than"):
        files["a.md"].read(999)


def test_a_header_without_its_checksum_is_none() -> None:
    assert tar_reader._parse_header(bytes(512)) is None
    assert tar_reader._parse_header(b"x" * 100) is None
    assert tar_reader._parse_header(b"\xff" * 512) is None


@pytest.mark.parametrize(
    ("text", "read", "fault"),
    [
        (b'[1, {"a": [2]}, "x"]', [1, {"a": [2]}, "x"], ""),
        (b"\xef\xbb\xbf [ ]", [], ""),
        (b"[12", [12], "is missing"),
        (b"[1 2]", [1], "is missing"),
        (b"[1, ", [1], "Expecting value"),
        (b"{}", [], "is missing"),
        (b"", [], "is missing"),
        (b"[" + b"[" * 100_000, [], "nested too deep"),
        (b'["a\\ud800b"]', ["a\ud800b"], ""),
        (b'["\xff"]', ["\ufffd"], ""),
        (b"[" + b"9" * 5_000 + b"]", [], "4300"),
    ],
)
def test_a_stream_of_json_gives_what_is_before_the_damage(
    text: bytes, read: list[object], fault: str
) -> None:
    given: list[object] = []
    told = ""
    try:
        given.extend(json_stream.JsonStream(io.BytesIO(text)).elements())
    except ValueError as error:
        told = str(error)
    assert given == read
    assert (fault in told) if fault else told == ""


def test_a_value_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MOST_OF_ONE", 1 << 20)
    stream = json_stream.JsonStream(io.BytesIO(b'["' + b"x" * (5 << 20) + b'"]'))
    with pytest.raises(ValueError, match="million characters"):
        list(stream.elements())
