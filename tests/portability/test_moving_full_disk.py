"""A disk that is full in the middle of an import or export.

A clear sentence, nothing half done, and with room again it ends as if nothing had been.

The tests need the right to mount a small disk.
"""

import contextlib
import http.client
import io
import json
import random
import shutil
import subprocess
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.core.database.disk_reserve import RESERVE
from app.portability.transfer_jobs import FULL
from tests.support import ready_programs
from tests.support.disks import can_mount, leave_room, small_disk
from tests.support.moving_kills import content, hearth, ran, stored, tree
from tests.support.serving import Server, serving

NOTES, FILES = 80, 6
REST_SECONDS = 1.0
MIB = 1 << 20


def vault(place: Path) -> Path:
    """Make some megabytes of notes that show files, and of files."""
    numbers = random.Random(5)
    place.mkdir()
    for number in range(FILES):
        (place / f"{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + numbers.randbytes(400_000))
    for number in range(NOTES):
        words = " ".join(str(numbers.randrange(5000)) for _ in range(8000))
        (place / f"Note {number}.md").write_text(
            f"[next](<Note {number + 1}.md>) ![[{number % FILES}.png]] #t{number % 3} {words}"
        )
    return place


def packed() -> bytes:
    """Give an archive of notes that come to much more than it."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(NOTES):
            archive.writestr(
                f"Note {number}.md",
                f"[next](<Note {number + 1}.md>) {number} " + "some leeks and beans " * 5_000,
            )
    return whole.getvalue()


def refused(data: Path, *words: str) -> str:
    """Run a command that must be refused and give what it says."""
    running = hearth(data, *words)
    _, said = running.communicate(timeout=120)
    assert running.returncode == 1, said
    return said


def wrong(data: Path) -> set[str]:
    """Give which checks of the doctor find something wrong."""
    done = ready_programs.run(["doctor", "--json", "--data", str(data)], timeout=120)
    return {one["check"] for one in json.loads(done.said)["findings"] if one["gravity"] == "wrong"}


def start_import(server: Server, name: str, body: bytes) -> Any:
    """Upload an archive and give the job that imports it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with contextlib.closing(connection):
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/zip"}
        connection.request("POST", f"/api/v1/import?name={name}", body, headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status == 202, told
        return told["job"]


def ended(server: Server, job: Any) -> Any:
    """Give a job once it runs no more."""
    until = time.monotonic() + 60
    while job["status"] == "running" and time.monotonic() < until:
        time.sleep(0.02)
        job = server.ask("GET", f"/{job['kind']}/{job['id']}")[1]["job"]
    return job


def await_rest(data: Path) -> None:
    """Wait until a server that has begun holds its reserve and has done its idle work, so that
    nothing of it moves under the test.
    """
    until = time.monotonic() + 60
    used, since = 0, time.monotonic()
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if (now := shutil.disk_usage(data).used) != used or not (data / RESERVE).stat().st_size:
                used, since = now, time.monotonic()
            elif time.monotonic() > since + REST_SECONDS:
                return
        time.sleep(0.02)
    raise AssertionError("the server never rests")


if can_mount():

    @pytest.fixture(scope="module")
    def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
        return vault(tmp_path_factory.mktemp("source") / "vault")

    @pytest.fixture(scope="module")
    def whole(source: Path) -> Path:
        """A workspace into which the vault was imported undisturbed."""
        data = source.parent / "whole"
        ran(data, "init", "--user", "alice")
        ran(data, "import", str(source))
        return data

    def test_an_import_by_command_stops_with_a_sentence_and_goes_on_when_there_is_room(
        tmp_path: Path, source: Path, whole: Path
    ) -> None:
        with small_disk(tmp_path / "disk", "60m") as disk:
            data = disk / "data"
            ran(data, "init", "--user", "alice")
            ballast = leave_room(disk, 5 * MIB)
            assert FULL["import"] in refused(data, "import", str(source))
            assert stored(data) < stored(whole)
            assert wrong(data) == {"disk"}
            ballast.unlink()
            ran(data, "import", str(source))
            assert content(data) == content(whole)

    @pytest.mark.parametrize("name", ["out", "out.zip"])
    def test_an_export_by_command_leaves_nothing_and_is_the_same_when_there_is_room(
        tmp_path: Path, whole: Path, name: str
    ) -> None:
        ran(whole, "export", str(tmp_path / name))
        with small_disk(tmp_path / "disk", "2m") as disk:
            (disk / "mine.txt").write_text("mine")
            assert FULL["export"] in refused(whole, "export", str(disk / name))
            assert [path.name for path in disk.iterdir()] == ["mine.txt"]
            subprocess.run(
                ["mount", "-o", "remount,size=60m", disk], check=True, capture_output=True
            )
            ran(whole, "export", str(disk / name))
            if name == "out":
                assert tree(disk / name) == tree(tmp_path / name)
            else:
                assert (disk / name).read_bytes() == (tmp_path / name).read_bytes()

    def test_jobs_on_a_full_disk_fail_with_a_sentence_leave_nothing_and_can_be_begun_again(
        tmp_path: Path, source: Path
    ) -> None:
        with small_disk(tmp_path / "disk", "100m") as disk:
            data = disk / "data"
            with serving(data, environment={"HEARTH_EMBEDDINGS": "off"}) as server:
                ran(data, "import", str(source))
                before = stored(data) + 1
                await_rest(data)
                leave_room(disk, 2 * MIB)
                server.note("What folds the log, which is large for so little room")
                await_rest(data)
                ballast = leave_room(disk, 2 * MIB)
                for kind in ("export", "import"):
                    job = (
                        server.ask("GET", "/export")[1]["job"]
                        if kind == "export"
                        else start_import(server, "more.zip", packed())
                    )
                    failed = ended(server, job)
                    assert (failed["status"], failed["error"], failed["report"]) == (
                        "failed",
                        FULL[kind],
                        None,
                    )
                assert not any((data / "spool").iterdir())
                ballast.unlink()
                again = ended(server, start_import(server, "more.zip", packed()))
                assert (again["status"], sum(again["report"]["notes"].values())) == (
                    "completed",
                    NOTES,
                )
                assert (
                    ended(server, server.ask("GET", "/export")[1]["job"])["status"] == "completed"
                )
                assert stored(data) == before + NOTES
                assert server.health()["state"] == "writable"
            assert content(data)["sound"] == [("ok",)]
