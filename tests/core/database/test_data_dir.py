"""The data directory: its rights, its lock, and the word that a server leaves for the command
line.
"""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.database import data_dir

OWNER = """
import pathlib, sys
from app.core.database import data_dir as place
with place.own_directory(pathlib.Path(sys.argv[1])):
    print("owned", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_directory_is_its_owners_alone(tmp_path: Path) -> None:
    database = data_dir.prepare(tmp_path / "deep" / "data")
    assert database == tmp_path / "deep" / "data" / "hearth.db"
    database.touch()
    assert mode(database.parent) == 0o700
    assert mode(database) == 0o600


def test_the_rights_of_a_directory_with_a_database_are_narrowed(tmp_path: Path) -> None:
    for name in ("hearth.db", "hearth.db-wal", "access.1.log", "control.json", "notes.txt"):
        (tmp_path / name).touch(0o644)
    tmp_path.chmod(0o755)
    data_dir.prepare(tmp_path)
    assert mode(tmp_path) == 0o700
    assert {path.name: oct(mode(path)) for path in tmp_path.iterdir() if mode(path) != 0o600} == {
        "notes.txt": "0o644"
    }


def test_a_journal_that_goes_meanwhile_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "hearth.db-wal"
    for name in ("hearth.db", journal.name, "server.lock"):
        (tmp_path / name).touch(0o644)
    is_file = Path.is_file

    def go(path: Path) -> bool:
        there = is_file(path)
        if path == journal:
            journal.unlink()
        return there

    monkeypatch.setattr(Path, "is_file", go)
    data_dir.prepare(tmp_path)
    assert not journal.exists()
    assert mode(tmp_path / "server.lock") == 0o600


def test_a_directory_that_serves_something_else_keeps_its_rights(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch(0o644)
    tmp_path.chmod(0o755)
    data_dir.prepare(tmp_path)
    assert (mode(tmp_path), mode(tmp_path / "letter.txt")) == (0o755, 0o644)


def test_a_directory_that_everybody_writes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    tmp_path.chmod(0o777)
    with pytest.raises(data_dir.DataDirError, match="all users can write there"):
        data_dir.prepare(tmp_path)


@pytest.mark.parametrize(
    ("path", "reason"), [("file", "it is a file"), ("file/data", "Not a directory")]
)
def test_a_path_that_cannot_be_a_directory_is_refused(
    tmp_path: Path, path: str, reason: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(data_dir.DataDirError, match=reason):
        data_dir.prepare(tmp_path / path)


def test_a_second_owner_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    with (
        data_dir.own_directory(tmp_path),
        pytest.raises(data_dir.InUse, match=f"is in use by process {os.getpid()}") as refusal,
        data_dir.own_directory(tmp_path),
    ):
        pass
    assert refusal.value.pid == str(os.getpid())


def test_the_lock_names_nobody_once_it_is_given_back(tmp_path: Path) -> None:
    with data_dir.own_directory(tmp_path):
        assert (tmp_path / "server.lock").read_text() == f"{os.getpid()}\n"
    assert (tmp_path / "server.lock").read_text() == ""


@pytest.mark.parametrize("left", ["4711\n", "", "no number", "\xff\xfe"])
def test_what_an_earlier_owner_left_in_the_lock_does_not_count(tmp_path: Path, left: str) -> None:
    (tmp_path / "server.lock").write_text(left, "latin-1")
    with (
        data_dir.own_directory(tmp_path),
        pytest.raises(data_dir.InUse) as refusal,
        data_dir.own_directory(tmp_path),
    ):
        pass
    assert refusal.value.pid == str(os.getpid())


def test_an_owner_that_has_not_written_its_number_yet_is_another_process(tmp_path: Path) -> None:
    with data_dir.own_directory(tmp_path):
        (tmp_path / "server.lock").write_text("")
        with (
            pytest.raises(data_dir.InUse, match="in use by another process") as refusal,
            data_dir.own_directory(tmp_path),
        ):
            pass
    assert refusal.value.pid == ""


def test_the_lock_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    root = Path(data_dir.__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, tmp_path],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "owned\n"
        with (
            pytest.raises(data_dir.InUse, match=f"process {owner.pid}"),
            data_dir.own_directory(tmp_path),
        ):
            pass
        owner.kill()
    with data_dir.own_directory(tmp_path):
        assert (tmp_path / "server.lock").read_text() == f"{os.getpid()}\n"


def test_a_file_system_without_locks_is_named_as_the_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(data_dir, "_lock", refuse)
    with (
        pytest.raises(data_dir.DataDirError, match="Cannot lock") as refusal,
        data_dir.own_directory(tmp_path),
    ):
        pass
    assert not isinstance(refusal.value, data_dir.InUse)


def test_a_lock_that_cannot_be_opened_is_named_as_the_trouble(tmp_path: Path) -> None:
    (tmp_path / "server.lock").mkdir()
    with (
        pytest.raises(data_dir.DataDirError, match=r"Cannot open .*server\.lock"),
        data_dir.own_directory(tmp_path),
    ):
        pass


def test_a_door_stands_for_its_owner_while_it_is_announced(tmp_path: Path) -> None:
    (tmp_path / ".control.json.part").touch(0o644)
    with data_dir.announce_server(tmp_path, pid=7, url="http://127.0.0.1:1", token="t"):
        assert data_dir.read_announcement(tmp_path) == data_dir.Announcement(
            "7", "http://127.0.0.1:1", "t"
        )
        assert mode(tmp_path / "control.json") == 0o600
    assert list(tmp_path.iterdir()) == []


def test_a_door_is_taken_down_when_the_server_fails(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError),
        data_dir.announce_server(tmp_path, pid=7, url="http://127.0.0.1:1", token="t"),
    ):
        raise RuntimeError
    assert data_dir.read_announcement(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "7", json.dumps({"pid": 7, "url": ""}), "é"]
)
def test_a_door_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "control.json").write_text(text, "utf-8")
    assert data_dir.read_announcement(tmp_path) is None


def test_a_disk_without_room_for_the_announcement_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "open", full)
    with (
        pytest.raises(
            data_dir.DataDirError, match=r"Cannot write .*control\.json: No space left on device\."
        ),
        data_dir.announce_server(tmp_path, pid=1, url="u", token="t"),
    ):
        pass
