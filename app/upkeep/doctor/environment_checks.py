"""What `hearth doctor` looks at around the database.

The directory and its rights, the disk, the backups and their proof, the settings.
"""

import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from app.core.database.backup_status import FILE, KnownOfBackups, read
from app.core.database.data_dir import BACKUPS, DATABASE
from app.settings import Settings
from app.upkeep.backups import backup_digests, backup_files
from app.upkeep.backups.backup_files import Backup
from app.upkeep.doctor.findings import Finding, advice, well, wrong

LITTLE, MUCH_TOO_LITTLE = (1 << 30, 4), (64 << 20, 8)
"""Free bytes that are few, and which part of a small disk is."""

LATE_BACKUP, LATE_PROOF = timedelta(days=2), timedelta(days=3)
TRIED = {"no_room": "for want of room", "failed": "since it failed"}


def look_around(data: Path, settings: Settings, now: datetime) -> list[Finding]:
    """Give what there is to say of a data directory with a database in it."""
    known = read(data / BACKUPS / FILE)
    return [
        *_rights(data),
        _disk(data),
        *_leftovers(data),
        *_backups(data, settings, known, now),
        *_proof(data, known, now),
        *_choices(settings),
    ]


def _rights(data: Path) -> Iterator[Finding]:
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
            f"{BACKUPS}/*",
        )
        for path in data.glob(pattern)
    ]
    open_to_others = [path for path in (data, *kept) if path.stat().st_mode & 0o077]
    if open_to_others:
        said = (
            f"Others on this machine may use {len(open_to_others)} things here, the first "
            f"is {open_to_others[0]}."
        )
        yield wrong("rights", said, "`hearth doctor --fix` makes them yours alone.", mends="rights")
    else:
        yield well("rights", f"{data} and what lies in it is its owner's alone.")


def _disk(data: Path) -> Finding:
    usage, size = shutil.disk_usage(data), (data / DATABASE).stat().st_size
    free, (little, much_too_little) = (
        usage.free,
        (min(most, usage.total // share) for most, share in (LITTLE, MUCH_TOO_LITTLE)),
    )
    said = f"The disk has {free >> 20:,} MB free, and the database {size >> 20:,} MB."
    if free < much_too_little:
        return wrong(
            "disk",
            said,
            "Make room now: soon nothing can be written any more. `hearth storage` shows "
            "what takes room.",
        )
    if free < max(little, 2 * size):
        return advice(
            "disk",
            said,
            "Make room: a backup and its proof take as much as the database, each. `hearth "
            "storage` shows what takes room.",
        )
    return well("disk", said)


def _leftovers(data: Path) -> Iterator[Finding]:
    parts = [
        *data.glob(f".*{backup_files.PART}*"),
        *backup_files.folder(data).glob(f".*{backup_files.PART}*"),
    ]
    if parts:
        said = f"{len(parts)} files were left half made, the first is {parts[0]}."
        yield advice(
            "leftovers",
            said,
            "The next backup deletes them, or `hearth doctor --fix` while no server runs.",
            mends="leftovers",
        )


def _backups(
    data: Path, settings: Settings, known: KnownOfBackups, now: datetime
) -> Iterator[Finding]:
    if not settings.backups:
        yield advice(
            "backups",
            "No backups are made by the clock: HEARTH_BACKUPS is off.",
            "Leave it on, or call `hearth backup` by a clock of yours.",
        )
    if known.trouble is not None:
        said = (
            f"The backup of {known.trouble_at} was not made {TRIED[known.trouble]}: "
            f"{known.trouble_text}"
        )
        yield wrong("backups", said, "Do what it says, then call `hearth backup`.")
    yield from _files(backup_files.preferred(backup_files.listed(data)), now)


def _files(backups: list[Backup], now: datetime) -> Iterator[Finding]:
    """Look at every byte of the backups that have a digest."""
    damaged = {
        backup.path: trouble
        for backup in backups
        if (trouble := backup_files.damage_of(backup.path))
    }
    for path, trouble in damaged.items():
        yield wrong(
            "backups",
            f"The backup {path.name} is damaged: {trouble}.",
            "Delete it, and look after the disk it lies on.",
        )
    newest = next((backup for backup in backups if backup.path not in damaged), None)
    if newest is None:
        yield advice(
            "backups",
            "There is no backup yet.",
            "`hearth backup` makes one; a running server makes one each hour.",
        )
        return
    said = f"The newest of {len(backups)} backups is {newest.path.name}."
    if now - newest.made_at > LATE_BACKUP:
        yield advice(
            "backups",
            said,
            "If something has changed since, call `hearth backup`; a running server makes "
            "one in the hour after a change.",
        )
    else:
        yield well("backups", said)
    if not backup_digests.path_of(newest.path).exists():
        remedy = "It may be of an older Hearth; `hearth backup` makes one with a digest."
        yield advice(
            "backups",
            "No digest lies beside it, so a changed byte in it could go unnoticed.",
            remedy,
        )


def _proof(data: Path, known: KnownOfBackups, now: datetime) -> Iterator[Finding]:
    if not backup_files.listed(data):
        return
    if known.proof_trouble is not None:
        said = f"{known.proof_file} could not be proven on {known.proof_at}: {known.proof_trouble}"
        yield wrong(
            "proof",
            said,
            "Make a new backup with `hearth backup` and prove it with `hearth backup --prove`.",
        )
    elif known.proven_at is None:
        yield advice(
            "proof",
            "No backup has been proven yet.",
            "`hearth backup --prove` does it; a running server does it each night.",
        )
    else:
        said = (
            f"{known.proof_file} was restored into a place of its own on "
            f"{known.proven_at}, and {known.proof_notes} notes were read in it."
        )
        late = now - datetime.fromisoformat(known.proven_at) > LATE_PROOF
        yield (
            advice("proof", said, "That is some days ago: `hearth backup --prove`.")
            if late
            else well("proof", said)
        )


def _choices(settings: Settings) -> Iterator[Finding]:
    told = []
    if settings.durability == "normal":
        told.append(
            advice(
                "settings",
                "HEARTH_DURABILITY is normal: a power cut can lose the last writes.",
                "Leave it out for `full`.",
            )
        )
    if settings.external_checkpoints:
        remedy = "Leave HEARTH_EXTERNAL_CHECKPOINTS out unless Litestream or its like runs."
        told.append(
            advice(
                "settings",
                "Checkpoints are left to another program: without it the log beside the "
                "database grows.",
                remedy,
            )
        )
    yield from told or [well("settings", "Every setting can be used.")]
