"""Makes backups by the clock and when asked for, and proves that the newest can be restored.

It also tells what takes room. Each is done by a process of its own.
"""

import asyncio
import contextlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import MINUTE, operation
from app.core.schema import Record
from app.errors import Invalid
from app.upkeep import storage
from app.upkeep.backups import backup_files
from app.upkeep.backups.backup_files import BackupFailed, Kind, NoRoom
from app.upkeep.worker_tasks import WORKER, remember_findings, run_in_process

AGAIN_SECONDS = 1800
QUICK_SECONDS = 0.3
"""So long it is waited for a backup, which then needs no sign that it is being made."""
NIGHT = timedelta(hours=3)
"""After this hour of a day, in UTC, the day's proof and measuring are due."""
PROVER = "app.commands.prove_backup"
"""The module of the process that restores a backup and reads in it.

It needs the whole program, so this package cannot import it.
"""


class MadeBackup(Record):
    """A backup that was made and checked; `rows` counts those of all tables."""

    file: str
    bytes: int
    rows: int
    encrypted: bool


class Proof(Record):
    """What came of restoring a backup into a place of its own and reading in it.

    `trouble` is null when all was well.
    """

    file: str | None
    at: str
    notes: int
    trouble: str | None


@operation("COMMAND")
async def make_backup(
    app: App,
    me: Caller,
    *,
    file: str | None = None,
    passphrase: str | None = None,
    plain: bool = False,
) -> MadeBackup:
    """Make a backup now, in the folder of backups or as `file`, and check it.

    `plain` leaves out the encryption that the settings ask for.
    """
    secret = "" if plain else passphrase or app.settings.backup_passphrase
    if file is None:
        return await _make_in_folder(app, "hand", secret)
    return await _make_at(app, Path(file), secret or "")


@operation("COMMAND")
async def begin_backup(app: App, me: Caller) -> Record:
    """Begin to make a backup in the folder of backups, unless one is being made or proven.

    What came of it is in the status.
    """
    if not app.safekeeping.turn.locked():
        task = app.tasks.start(_make_unasked(app))
        await asyncio.wait({task}, timeout=QUICK_SECONDS)
    return Record()


@operation("COMMAND")
async def prove_backup(app: App, me: Caller) -> Proof:
    """Restore the newest backup into a place of its own, open it and read in it."""
    async with app.safekeeping.turn:
        return await _prove_newest(app)


@operation("COMMAND", every=MINUTE)
async def look_after_backups(app: App, me: Caller) -> Record:
    """Make the hour's backup, and the day's proof and measuring, where they are due."""
    app.store.require_file()
    state = app.safekeeping
    if not app.settings.backups or state.is_resting or state.turn.locked():
        return Record()
    try:
        await _back_up_if_due(app)
    except BackupFailed:
        state.rest(AGAIN_SECONDS)  # what went wrong is written down; doctor and status tell
    return Record()


async def _back_up_if_due(app: App) -> None:
    now, data = app.clock(), app.store.path.parent
    last = next(
        (backup for backup in backup_files.list_backups(data) if backup.kind == "clock"), None
    )
    is_due = last is None or not _same_hour(last.made_at, now)
    if is_due and app.safekeeping.mark != app.glance(
        _data_version
    ):  # a program that has just started knows of no mark
        await _make_in_folder(app, "clock", app.settings.backup_passphrase)
    known = app.safekeeping.known
    if known.measured is None or _is_another_day(known.measured.at, now):
        await storage.measure_and_remember(app)
    if _backup_to_prove(app) is not None and (
        known.proof_at is None or _is_another_day(known.proof_at, now)
    ):
        async with app.safekeeping.turn:
            await _prove_newest(app)


async def _make_unasked(app: App) -> None:
    with contextlib.suppress(BackupFailed):  # what went wrong is written down
        await _make_in_folder(app, "hand", app.settings.backup_passphrase)


async def _make_in_folder(app: App, kind: Kind, passphrase: str) -> MadeBackup:
    """Make a backup in the folder of backups and let go those that it outlives.

    What comes of it is written down.
    """
    state, data = app.safekeeping, app.store.path.parent
    async with state.turn:
        # before the copy: what is written meanwhile is due for the next one
        mark = app.glance(_data_version)
        try:
            backup_files.delete_leftovers(backup_files.make_folder(data))
            target = backup_files.next_path(data, kind, app.clock(), sealed=bool(passphrase))
            made = await _run_backup(app, target, passphrase)
        except BackupFailed as error:
            kind_of = "no_room" if isinstance(error, NoRoom) else "failed"
            remember_findings(
                app, trouble=kind_of, trouble_text=error.message, trouble_at=stamp(app.clock())
            )
            raise
        state.mark = mark
        await asyncio.to_thread(
            backup_files.drop_outlived, data
        )  # a large file takes its time to go
        well: dict[str, Any] = dict.fromkeys(("trouble", "trouble_text", "trouble_at"))
        remember_findings(
            app,
            backup_at=stamp(app.clock()),
            backup_file=target.name,
            backup_bytes=made.bytes,
            **well,
        )
        return made


async def _make_at(app: App, target: Path, passphrase: str) -> MadeBackup:
    _require_free_name(target)
    async with app.safekeeping.turn:
        return await _run_backup(app, target, passphrase)


def _require_free_name(target: Path) -> None:
    if not target.is_absolute() or not target.parent.is_dir():
        raise Invalid(
            f"{target} cannot be written: there is no folder {target.parent}.", field="file"
        )
    if target.exists():
        raise Invalid(
            f"{target} is there already; name another file or delete it first.", field="file"
        )


async def _run_backup(app: App, target: Path, passphrase: str) -> MadeBackup:
    app.store.require_file()
    task = {
        "task": "copy",
        "source": str(app.store.path),
        "target": str(target),
        "passphrase": passphrase,
    }
    try:
        with app.works.begin("backup", target.name, since=stamp(app.clock())) as work:
            made = await run_in_process(WORKER, task, work)
    except BaseException:  # also when the server ends meanwhile
        backup_files.delete_parts_of(target)
        raise
    return MadeBackup(str(target), made["size"], made["rows"], bool(passphrase))


def _backup_to_prove(app: App) -> Path | None:
    return backup_files.newest_readable(
        app.store.path.parent, sealed=bool(app.settings.backup_passphrase)
    )


async def _prove_newest(app: App) -> Proof:
    newest, at = _backup_to_prove(app), stamp(app.clock())
    if newest is None:
        return Proof(None, at, 0, "There is no backup yet.")
    notes, trouble = 0, None
    try:
        task = {"file": str(newest), "passphrase": app.settings.backup_passphrase}
        with app.works.begin("proof", newest.name, since=at) as work:
            found = await run_in_process(PROVER, task, work)
        notes = found["notes"]
    except BackupFailed as error:
        trouble = error.message
    changes: dict[str, Any] = {
        "proof_at": at,
        "proof_file": newest.name,
        "proof_notes": notes,
        "proof_trouble": trouble,
    }
    remember_findings(app, **changes, **({} if trouble else {"proven_at": at}))
    return Proof(newest.name, at, notes, trouble)


def _data_version(tx: Tx) -> int:
    """Return a number that is another one after somebody has written to the database."""
    return int(tx.value("PRAGMA data_version"))


def _same_hour(one: datetime, other: datetime) -> bool:
    return f"{one:%Y%m%d%H}" == f"{other:%Y%m%d%H}"


def _is_another_day(moment: str, now: datetime) -> bool:
    return (datetime.fromisoformat(moment) - NIGHT).date() != (now - NIGHT).date()
