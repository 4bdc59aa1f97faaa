"""What `hearth doctor` looks at around the database.

The directory and its rights, the disk, the backups and their proof, the settings.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from app.core.database.backup_status import FILE, BackupRecord, read_backup_status
from app.core.database.data_dir import BACKUPS, DATABASE
from app.core.process.counted import counted, size_text
from app.settings import Settings
from app.upkeep.backups import backup_digests, backup_files
from app.upkeep.backups.backup_files import Backup
from app.upkeep.doctor.findings import Finding, advice, ok, wrong

LITTLE, MUCH_TOO_LITTLE = (1 << 30, 4), (64 << 20, 8)
"""Free bytes that are few, and which part of a small disk is."""

LATE_BACKUP, LATE_PROOF = timedelta(days=2), timedelta(days=3)
TRIED = {"no_room": "found too little space", "failed": "failed"}


def check_environment(data: Path, settings: Settings, now: datetime) -> list[Finding]:
    """Return what there is to say of a data directory with a database in it."""
    known = read_backup_status(data / BACKUPS / FILE)
    return [
        *_check_permissions(data),
        _check_disk(data),
        *_check_leftovers(data),
        *_check_backups(data, settings, known, now),
        *_check_proof(data, known, now),
        *_check_settings(settings),
    ]


def _check_permissions(data: Path) -> Iterator[Finding]:
    """Look whether others on this machine may read what lies there.

    Only where the system has such rights.
    """
    if os.name != "posix":
        return
    kept = [
        path
        for pattern in (
            DATABASE + "*",
            "*.log",
            "control.json",
            "model-key-*",
            "signing-key*",
            "sealing-key*",
            f"{BACKUPS}/*",
        )
        for path in data.glob(pattern)
    ]
    open_to_others = [path for path in (data, *kept) if path.stat().st_mode & 0o077]
    if open_to_others:
        said = (
            f"Other users of this machine can access {counted(len(open_to_others), 'file')}. "
            f"The first is {open_to_others[0]}."
        )
        yield wrong(
            "rights",
            said,
            "Run `hearth doctor --fix` to make them accessible to you only.",
            mends="rights",
        )
    else:
        yield ok("rights", f"Only its owner can access {data}.")


def _check_disk(data: Path) -> Finding:
    usage, size = shutil.disk_usage(data), (data / DATABASE).stat().st_size
    free, (little, much_too_little) = (
        usage.free,
        (min(most, usage.total // share) for most, share in (LITTLE, MUCH_TOO_LITTLE)),
    )
    said = f"The disk has {size_text(free)} free. The database takes {size_text(size)}."
    if free < much_too_little:
        return wrong(
            "disk",
            said,
            "Free some space now: soon nothing can be written. `hearth storage` shows what "
            "takes space.",
        )
    if free < max(little, 2 * size):
        return advice(
            "disk",
            said,
            "Free some space: a backup and its trial restore each take as much as the database. "
            "`hearth storage` shows what takes space.",
        )
    return ok("disk", said)


def _check_leftovers(data: Path) -> Iterator[Finding]:
    parts = [
        *data.glob(f".*{backup_files.PART}*"),
        *backup_files.backups_folder(data).glob(f".*{backup_files.PART}*"),
    ]
    if parts:
        left = counted(len(parts), "unfinished file was", "unfinished files were")
        said = f"{left} left behind. The first is {parts[0]}."
        yield advice(
            "leftovers",
            said,
            "The next backup deletes them, or `hearth doctor --fix` while no server is running.",
            mends="leftovers",
        )


def _check_backups(
    data: Path, settings: Settings, known: BackupRecord, now: datetime
) -> Iterator[Finding]:
    if not settings.backups:
        yield advice(
            "backups",
            "Automatic backups are off (HEARTH_BACKUPS).",
            "Turn them on, or schedule `hearth backup` yourself.",
        )
    if known.trouble is not None:
        said = f"The backup of {known.trouble_at} {TRIED[known.trouble]}: {known.trouble_text}"
        yield wrong("backups", said, "Fix that, then run `hearth backup`.")
    yield from _check_backup_files(
        backup_files.in_order_of_choice(backup_files.list_backups(data)), now
    )


def _check_backup_files(backups: list[Backup], now: datetime) -> Iterator[Finding]:
    """Look at every byte of the backups that have a digest."""
    damaged = {
        backup.path: trouble
        for backup in backups
        if (trouble := backup_files.find_damage(backup.path))
    }
    for path, trouble in damaged.items():
        yield wrong(
            "backups",
            f"The backup {path.name} is damaged: {trouble}.",
            "Delete it, and check the disk it is on.",
        )
    newest = next((backup for backup in backups if backup.path not in damaged), None)
    if newest is None:
        yield advice(
            "backups",
            "There is no backup yet.",
            "Run `hearth backup`. A running server makes one every hour.",
        )
        return
    said = f"{counted(len(backups), 'backup')}, the newest is {newest.path.name}."
    if now - newest.made_at > LATE_BACKUP:
        yield advice(
            "backups",
            said,
            "If anything has changed since, run `hearth backup`. A running server makes one "
            "within an hour of a change.",
        )
    else:
        yield ok("backups", said)
    if not backup_digests.digest_path(newest.path).exists():
        remedy = "An older Hearth may have made it. Run `hearth backup` to make one with a digest."
        yield advice(
            "backups", "It has no digest, so a changed byte in it could go unnoticed.", remedy
        )


def _check_proof(data: Path, known: BackupRecord, now: datetime) -> Iterator[Finding]:
    if not backup_files.list_backups(data):
        return
    if known.proof_trouble is not None:
        said = (
            f"The trial restore of {known.proof_file} on {known.proof_at} failed: "
            f"{known.proof_trouble}"
        )
        yield wrong(
            "proof",
            said,
            "Make a new backup with `hearth backup` and try it with `hearth backup --prove`.",
        )
    elif known.proven_at is None:
        yield advice(
            "proof",
            "No backup has been tried yet.",
            "Run `hearth backup --prove`. A running server does it every night.",
        )
    else:
        said = (
            f"The trial restore of {known.proof_file} on {known.proven_at} succeeded: "
            f"{counted(known.proof_notes, 'note')} read back."
        )
        late = now - datetime.fromisoformat(known.proven_at) > LATE_PROOF
        yield (
            advice("proof", said, "That was some days ago. Run `hearth backup --prove`.")
            if late
            else ok("proof", said)
        )


def _check_settings(settings: Settings) -> Iterator[Finding]:
    told = []
    if settings.durability == "normal":
        told.append(
            advice(
                "settings",
                "HEARTH_DURABILITY is normal: a power cut can lose the last writes.",
                "Unset it to use `full`.",
            )
        )
    if settings.external_checkpoints:
        remedy = "Unset HEARTH_EXTERNAL_CHECKPOINTS unless Litestream or a similar program runs."
        told.append(
            advice(
                "settings",
                "Checkpoints are left to another program. Without it the write-ahead log grows.",
                remedy,
            )
        )
    yield from told or [ok("settings", "All settings are valid.")]
