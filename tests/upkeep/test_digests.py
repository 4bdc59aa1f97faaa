"""The digest beside each backup.

One changed byte is told wherever the backup is looked at, and a backup without a digest as such.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program
from app.core.database.data_dir import DATABASE
from app.upkeep import worker
from app.upkeep.backups import backup_digests, backup_files, copy_database, encryption, restore
from app.upkeep.backups.backup_files import BackupFailed
from tests.conftest import Client, Served

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
PASSPHRASE = "eine lange Losung"


def hearth(*args: str, data: Path) -> Result:
    return CliRunner().invoke(
        program.hearth, [*args, "--data", str(data)], env={"HEARTH_EMBEDDINGS": "off"}
    )


def told(*args: str, data: Path) -> Any:
    return json.loads(hearth(*args, "--json", data=data).stdout)


def flipped(path: Path, place: int) -> None:
    """Change one bit of a file."""
    with path.open("rb+") as file:
        file.seek(place // 8)
        byte = file.read(1)[0]
        file.seek(place // 8)
        file.write(bytes([byte ^ 1 << place % 8]))


def place_of(path: Path, words: bytes) -> int:
    return path.read_bytes().index(words)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a plain and an encrypted backup, that no server uses.

    Each test gets a copy.
    """
    data = tmp_path_factory.mktemp("made") / "home"
    assert hearth("init", "--user", "alice", data=data).exit_code == 0
    assert hearth("backup", data=data).exit_code == 0
    plain = backup_files.list_backups(data)[0].path
    encryption.seal(plain, backup_files.next_path(data, "hand", NOW, sealed=True), PASSPHRASE)
    return data


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


def backups(home: Path) -> tuple[Path, Path]:
    """Give the plain and the encrypted one."""
    sealed, plain = (backup.path for backup in backup_files.list_backups(home))
    return plain, sealed


def test_each_backup_has_its_digest_beside_it_as_other_programs_read_it(home: Path) -> None:
    for backup in backups(home):
        beside = backup_digests.digest_path(backup)
        assert (
            beside.read_text()
            == f"{hashlib.sha256(backup.read_bytes()).hexdigest()}  {backup.name}\n"
        )
        assert beside.stat().st_mode & 0o777 == 0o600
        if shutil.which("sha256sum"):
            subprocess.run(
                ["sha256sum", "--check", "--strict", beside.name],
                cwd=backup.parent,
                check=True,
                capture_output=True,
            )
    assert len(list(backup_files.backups_folder(home).glob("*.db*"))) == 4


def test_a_backup_with_one_flipped_bit_is_never_restored(home: Path) -> None:
    bits = random.Random(19)
    before = (home / DATABASE).read_bytes()
    for backup in backups(home):
        whole = backup.read_bytes()
        for _ in range(30):
            flipped(backup, bits.randrange(8 * len(whole)))
            with pytest.raises(BackupFailed, match=r"damaged|is no backup|is encrypted"):
                restore.restore_backup(
                    backup,
                    home,
                    moment=NOW,
                    passphrase=PASSPHRASE if backup_files.is_sealed(backup) else "",
                )
            backup.write_bytes(whole)
        restore.require_readable(backup, home, PASSPHRASE)
    assert ((home / DATABASE).read_bytes(), list(home.glob(".*"))) == (before, [])


@pytest.mark.parametrize("which", [0, 1])
def test_list_doctor_and_restore_tell_of_a_flipped_bit_and_offer_another(
    home: Path, which: int
) -> None:
    plain, sealed = backups(home)
    spoilt, other = (plain, sealed) if which == 0 else (sealed, plain)
    flipped(spoilt, 8 * (spoilt.stat().st_size - 1000))
    rows = {
        Path(row["file"]): row["trouble"] for row in told("backup", "--list", data=home)["backups"]
    }
    assert "digest" in rows[spoilt]
    assert rows[other] is None
    assert "damaged: " in hearth("backup", "--list", data=home).stdout
    found = [
        one["message"]
        for one in told("doctor", data=home)["findings"]
        if one["check"] == "backups" and one["gravity"] == "wrong"
    ]
    assert len(found) == 1
    assert spoilt.name in found[0]
    assert backup_files.newest_good(home) == other
    (home / "passphrase").write_text(PASSPHRASE)
    refused = hearth(
        "restore", str(spoilt), "--passphrase-file", str(home / "passphrase"), data=home
    )
    assert refused.exit_code == 1
    assert "hearth backup --list" in refused.output


@pytest.mark.anyio
async def test_a_proof_tells_of_a_flipped_bit(served: Served, alice: Client) -> None:
    await alice.note("A text", "one word " * 2000)
    backup = Path((await served.command("make_backup")).file)
    flipped(backup, 8 * place_of(backup, b"one word one word"))
    proof = await served.command("prove_backup")
    assert "damaged" in (proof.trouble or "")


def test_a_backup_without_a_digest_is_restored_and_told_as_such(home: Path) -> None:
    plain, sealed = backups(home)
    for backup in (plain, sealed):
        backup_digests.digest_path(backup).unlink()
    assert [row["digest"] for row in told("backup", "--list", data=home)["backups"]] == [
        False,
        False,
    ]
    assert "no digest" in hearth("backup", "--list", data=home).stdout
    advice = [
        one["message"]
        for one in told("doctor", data=home)["findings"]
        if (one["check"], one["gravity"]) == ("backups", "advice")
    ]
    assert any("no digest" in message for message in advice)
    said = hearth("restore", str(plain), data=home)
    assert said.exit_code == 0
    assert "No digest lies beside it" in said.stdout
    assert restore.restore_backup(sealed, home, moment=NOW, passphrase=PASSPHRASE).compared, (
        "encryption tells of a changed byte itself"
    )


def test_a_copy_elsewhere_is_compared_where_its_digest_came_along_whatever_the_two_are_called(
    home: Path, tmp_path: Path
) -> None:
    plain, _ = backups(home)
    copy = Path(shutil.copy(plain, tmp_path / "renamed.db"))
    shutil.copy(backup_digests.digest_path(plain), tmp_path / "renamed.db.sha256")
    assert restore.restore_backup(copy, home, moment=NOW).compared
    flipped(copy, 8 * (copy.stat().st_size - 1000))
    with pytest.raises(BackupFailed, match="its bytes are not those"):
        restore.restore_backup(copy, home, moment=NOW)


@pytest.mark.parametrize("left", [b"", b"\xff" * 64, b"no digest\n", b"0" * 64 + b"  other.db\n"])
def test_a_digest_of_something_else_is_told_with_the_way_out(home: Path, left: bytes) -> None:
    plain, _ = backups(home)
    beside = backup_digests.digest_path(plain)
    beside.write_bytes(left)
    with pytest.raises(BackupFailed, match="If you know that this one is good, delete") as refusal:
        restore.restore_backup(plain, home, moment=NOW)
    assert str(beside) in refusal.value.message
    beside.unlink()
    assert restore.restore_backup(plain, home, moment=NOW).aside is not None


def test_what_a_restore_replaces_gets_a_digest_of_what_it_stays(home: Path) -> None:
    plain, _ = backups(home)
    aside = restore.restore_backup(plain, home, moment=NOW).aside
    assert aside is not None
    assert (backup_digests.digest_path(aside).exists(), backup_files.find_damage(aside)) == (
        True,
        None,
    )
    hearth("user", "add", "bob", data=home)
    assert backup_files.find_damage(aside) is None


def test_digests_go_with_their_backups(home: Path) -> None:
    place = backup_files.backups_folder(home)
    plain, sealed = backups(home)
    for number in range(30):
        target = backup_files.next_path(home, "clock", NOW + timedelta(minutes=number))
        shutil.copy(plain, target)
        backup_digests.write_digest(target, target)
    backup_files.drop_outlived(home)
    assert len(list(place.glob("*.sha256"))) == len(backup_files.list_backups(home)) == 3
    sealed.unlink()  # as its owner does
    (place / "mine.db.sha256").touch()
    backup_files.delete_leftovers(place)
    assert sorted(path.name for path in place.glob("*.sha256")) == sorted(
        ["mine.db.sha256", *(f"{one.path.name}.sha256" for one in backup_files.list_backups(home))]
    )
    assert not backup_digests.digest_path(sealed).exists()


def test_a_backup_that_cannot_be_finished_leaves_no_digest(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(backup_files, "finish_file", failing)
    with pytest.raises(backup_files.NoRoom, match="No space left"):
        copy_database.make_backup(home / DATABASE, tmp_path / "copy.db")
    assert list(tmp_path.glob("*copy*")) == []


def test_an_encrypted_backup_leaves_nothing_that_tells_of_its_text(
    home: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out" / "x.db.age"
    target.parent.mkdir()
    worker.copy_task(worker.Copying(str(home / DATABASE), str(target), PASSPHRASE, gently=False))
    assert sorted(path.name for path in target.parent.iterdir()) == ["x.db.age", "x.db.age.sha256"]
    assert restore.restore_backup(target, home, moment=NOW, passphrase=PASSPHRASE).compared
