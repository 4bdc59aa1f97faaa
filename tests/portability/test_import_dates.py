"""When imported notes were made and changed.

As they say themselves, by the day that they are of, by their files.
"""

import io
import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Client, MovableClock, Served
from tests.support.moving import plant, read_in

pytestmark = pytest.mark.anyio
FILE_TIME = datetime(2021, 3, 4, 5, 6, 8, tzinfo=UTC)
TEXTS: dict[str, str | bytes] = {
    "Plain.md": "no front matter",
    "Tagged.md": "---\ntags: [a]\n---\nno dates",
    "Dated.md": "---\ncreated: 2019-02-03\nupdated: 2020-02-03T10:00:00Z\n---\n",
    "Created.md": "---\ncreated: 2019-02-03\n---\n",
    "Later.md": "---\ncreated: 2022-02-03\n---\n",
    "Journal/2018-05-31.md": "a day",
    "journals/2017_05_31.md": "a day",
    "2018-02-31.md": "no day",
    "2018-05_31.md": "no day",
    "2999-01-01.md": "a day to come",
    "photo.png": b"\x89PNG\r\n\x1a\n123",
}
FILE = "2021-03-04T05:06:08.000Z"
TIMES = {
    "Plain": (FILE, FILE),
    "Tagged": (FILE, FILE),
    "Dated": ("2019-02-03T00:00:00.000Z", "2020-02-03T10:00:00.000Z"),
    "Created": ("2019-02-03T00:00:00.000Z", FILE),
    "Later": ("2022-02-03T00:00:00.000Z", "2022-02-03T00:00:00.000Z"),
    "2018-05-31": ("2018-05-31T00:00:00.000Z", FILE),
    "2017_05_31": ("2017-05-31T00:00:00.000Z", FILE),
    "2018-02-31": (FILE, FILE),
    "2018-05_31": (FILE, FILE),
    "2999-01-01": (FILE, FILE),
}


def vault(place: Path, moment: datetime = FILE_TIME) -> Path:
    for file in plant(place, TEXTS).rglob("*.*"):
        os.utime(file, (moment.timestamp(), moment.timestamp()))
    return place


def zipped(folder: Path, path: Path, *, field: bool) -> Path:
    """An archive with the time of the place, and with the field that most programs add or
    without it.
    """
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*.*")):
            moment = file.stat().st_mtime
            info = zipfile.ZipInfo(
                file.relative_to(folder).as_posix(), datetime.fromtimestamp(moment).timetuple()[:6]
            )
            if field:
                info.date_time = (2001, 1, 1, 0, 0, 0)
                info.extra = b"ux\x01\x00!" + b"UT\x05\x00\x01" + int(moment).to_bytes(4, "little")
            archive.writestr(info, file.read_bytes())
    return path


def tarred(folder: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, ".")
    return path


async def times_of(client: Client) -> dict[str, tuple[str, str]]:
    listed = (await client.ok("GET", "/os/notes?recursive=true&limit=200"))["notes"]
    return {one["title"]: (one["createdAt"], one["updatedAt"]) for one in listed}


@pytest.mark.parametrize("form", ["folder", "zip", "zip without the field", "tar"])
async def test_notes_keep_the_times_that_they_tell_or_that_their_files_have(
    form: str, served: Served, alice: Client, tmp_path: Path
) -> None:
    source = vault(tmp_path / "vault")
    if form != "folder":
        packed = tmp_path / "vault.packed"
        source = (
            tarred(source, packed) if form == "tar" else zipped(source, packed, field=form == "zip")
        )
    await read_in(served, "alice", source)
    assert await times_of(alice) == TIMES
    assert (await alice.ok("GET", "/os/attachments"))["attachments"][0]["createdAt"] == FILE


async def test_files_that_were_only_touched_are_unchanged_notes(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await read_in(served, "alice", vault(tmp_path / "vault"))
    again = await read_in(
        served, "alice", vault(tmp_path / "vault", datetime(2023, 1, 1, tzinfo=UTC))
    )
    assert (again.notes.unchanged, again.notes.updated, again.files.unchanged) == (10, 0, 1)
    assert await times_of(alice) == TIMES


async def test_no_file_makes_a_note_of_the_future(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await read_in(served, "alice", vault(tmp_path / "vault", datetime(2105, 1, 1, tzinfo=UTC)))
    now = clock().isoformat(timespec="milliseconds")[:23] + "Z"
    found = await times_of(alice)
    assert found["Plain"] == (now, now)
    assert found["Created"] == ("2019-02-03T00:00:00.000Z", now)
    assert (await alice.ok("GET", "/os/attachments"))["attachments"][0]["createdAt"] == now


async def test_days_and_times_without_a_zone_are_those_of_the_user(
    served: Served, alice: Client, tmp_path: Path
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Asia/Tokyo"})
    await read_in(served, "alice", vault(tmp_path / "vault"))
    found = await times_of(alice)
    assert found["2018-05-31"][0] == "2018-05-30T15:00:00.000Z"
    assert found["Created"][0] == "2019-02-02T15:00:00.000Z"
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Europe/Paris"})
    assert (await read_in(served, "alice", tmp_path / "vault")).notes.updated == 0


async def test_an_archive_without_times_gives_its_notes_the_present(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("A.md"), "text")
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    await read_in(served, "alice", tmp_path / "a.zip")
    found: Any = await times_of(alice)
    assert found["A"][0][:16] == clock().isoformat()[:16]
