"""Archives and folders of an import: hostile names, links, bombs and false sizes are refused, and damage is told where it stands."""

import gzip
import io
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import Invalid
from app.portability.foreign import archives, json_stream, tars, trees, zips
from app.portability.foreign.trees import Damaged, Entry
from app.portability.items import NotCarried
from tests import foreign_exports as exports

HOSTILE = (
    "../up.md", "a/../../up.md", "/etc/passwd", "a//b.md", "./../x", "..", "a\\b.md", "C:/x.md", "c:x.md", "a/./b", "bell\a.md", "line\nbreak.md",
    "/".join("d" * 40), "n" * 300, "\x7f.md",
)  # fmt: skip
HARMLESS = ("CON", "aux.md", "ab:c.md", "ends with dot.", "two  spaces.md", "ünï/çödé.md", "日本.md", "a" * 200 + ".md", "x/" * 20 + "deep.md")


_opened: list[trees.Tree] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what the test opened."""
    yield
    while _opened:
        _opened.pop().close()


def found(path: Path) -> tuple[dict[str, Entry], dict[str, str]]:
    """Give the files of a tree by path, and what of it was refused, with the reasons."""
    tree = archives.open_tree(path)
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


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_what_the_system_hides_is_passed_over(tmp_path: Path, kind: str) -> None:
    files, refused = found(made(tmp_path / "a", kind, {"__MACOSX/._a.md": b"x", ".DS_Store": b"x", "a/.git/config": b"x", "a/b.md": b"y"}))
    assert (list(files), refused) == (["a/b.md"], {})


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
    with pytest.raises(Damaged, match="no file"):
        files["a.md"].open()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE])
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
    files, refused = found(exports.zipped(tmp_path / "a.zip", {"bomb.bin": bytes(5 << 20), "small.bin": bytes(1 << 20), "a.md": b"x"}))
    assert set(files) == {"a.md", "small.bin"}
    assert "100 times" in refused["bomb.bin"]


def test_a_gzipped_tar_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(gzip.compress(bytes(40 << 20)))
    with pytest.raises(Invalid, match="100 times"):
        archives.open_tree(tmp_path / "a.tgz")


def test_files_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"same bytes", "b.md": b"same bytes"})
    written = bytearray(path.read_bytes())
    second = written.rindex(b"PK\x01\x02")
    written[second + 42 : second + 46] = struct.pack("<I", 0)
    path.write_bytes(bytes(written))
    with pytest.raises(Invalid, match="share the same bytes"):
        archives.open_tree(path)


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
    assert refused == {"secret.md": "It is encrypted.", "odd.md": "It is compressed in a way that is not read here."}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_with_one_name_the_first_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.md", "first")
        archive.writestr("a.md", "second")
    files, refused = found(tmp_path / "a.zip")
    assert content(files["a.md"]) == b"first"
    assert set(refused) == {"a.md"}


def test_a_zip_that_tells_of_too_many_files_is_refused_before_its_list_is_read(tmp_path: Path) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"x"})
    written = path.read_bytes()
    place = written.rindex(b"PK\x05\x06")
    longer = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 1 << 50, 0)
    path.write_bytes(written[:place] + longer + written[place:])
    with pytest.raises(Invalid, match="more than 200,000 files"):
        zips.Zip(path)


@pytest.mark.parametrize("cut", [4, 30, 60])
def test_a_zip_without_its_end_is_refused(tmp_path: Path, cut: int) -> None:
    path = exports.zipped(tmp_path / "a.zip", {"a.md": b"x" * 100})
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(Invalid, match="damaged or was cut off"):
        archives.open_tree(path)


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
    assert "false size" in refused["b.md"]


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


def test_a_cut_gzip_gives_what_is_before_the_cut(tmp_path: Path) -> None:
    whole = exports.tar(tmp_path / "a.tgz", {"a.md": os.urandom(5_000), "b.md": os.urandom(5_000)}, "w:gz").read_bytes()
    (tmp_path / "a.tgz").write_bytes(whole[: len(whole) * 3 // 4])
    files, refused = found(tmp_path / "a.tgz")
    assert set(files) == {"a.md"}
    assert refused


def test_twenty_thousand_files_in_one_folder_are_listed(tmp_path: Path) -> None:
    for number in range(20_000):
        os.close(os.open(tmp_path / f"{number}.md", os.O_CREAT | os.O_WRONLY))
    assert sum(isinstance(one, Entry) for one in trees.Folder(tmp_path).entries()) == 20_000


def test_two_files_of_an_archive_can_be_read_at_the_same_time(tmp_path: Path) -> None:
    for kind in ("zip", "tar"):
        files, _ = found(made(tmp_path / kind, kind, {"a.md": b"a" * 200_000, "b.md": b"b" * 200_000}))
        with files["a.md"].open() as first, files["b.md"].open() as second:
            for _ in range(4):
                assert (first.read(50_000), second.read(50_000)) == (b"a" * 50_000, b"b" * 50_000)


def test_only_so_many_bytes_of_an_entry_are_read_at_once(tmp_path: Path) -> None:
    files, _ = found(exports.zipped(tmp_path / "a.zip", {"a.md": b"x" * 1_000}))
    assert files["a.md"].read(1_000) == b"x" * 1_000
    with pytest.raises(Damaged, match="more than"):
        files["a.md"].read(999)


def test_a_header_without_its_checksum_is_none() -> None:
    assert tars._head(bytes(512)) is None
    assert tars._head(b"x" * 100) is None
    assert tars._head(b"\xff" * 512) is None


@pytest.mark.parametrize(
    ("text", "read", "fault"),
    [
        (b"[1, {\"a\": [2]}, \"x\"]", [1, {"a": [2]}, "x"], ""),
        (b"\xef\xbb\xbf [ ]", [], ""), (b"[12", [12], "is missing"), (b"[1 2]", [1], "is missing"), (b"[1, ", [1], "Expecting value"),
        (b"{}", [], "is missing"), (b"", [], "is missing"), (b"[" + b"[" * 100_000, [], "nested too deep"),
        (b'["a\\ud800b"]', ["a\ud800b"], ""), (b'["\xff"]', ["\ufffd"], ""), (b"[" + b"9" * 5_000 + b"]", [], "4300"),
    ],
)  # fmt: skip
def test_a_stream_of_json_gives_what_is_before_the_damage(text: bytes, read: list[object], fault: str) -> None:
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
