"""The process that reads a whole database.

Behind all others, with a connection of its own that only reads, one task and then its end.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from app.core.process.subprocess_reader import answer_task, tell_step
from app.migrations import NewerFile
from app.upkeep import storage_by_owner
from app.upkeep.backups import backup_files, copy_database, encryption
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.backups.copy_database import copy_and_check
from app.upkeep.doctor import examine


class Copying(msgspec.Struct):
    """Make a copy at `target`, encrypted where there is a passphrase."""

    source: str
    target: str
    passphrase: str = ""
    gently: bool = True


def copy_task(task: Copying) -> dict[str, Any]:
    """Make the copy and tell its size and how many rows it holds."""
    source, target = Path(task.source), Path(task.target)
    if not task.passphrase:
        return copy_database.make_backup(
            source, target, gently=task.gently, tell=tell_step
        )._asdict()
    encryption.require_usable(task.passphrase)
    plain = target.with_name(f".{target.stem}.plain{backup_files.PART}")
    backup_files.delete_part(plain)
    try:
        made = copy_and_check(source, plain, gently=task.gently, tell=tell_step)
        tell_step("encrypt")
        return {"rows": made.rows, "size": encryption.seal(plain, target, task.passphrase)}
    finally:
        backup_files.delete_part(plain)


def run_worker_task(task: dict[str, Any]) -> dict[str, Any]:
    """Do one task and give its answer."""
    # what it writes is for its owner alone
    os.umask(0o077)
    match task.pop("task"):
        case "copy":
            return copy_task(msgspec.convert(task, Copying))
        case "measure":
            return cast(
                dict[str, Any],
                msgspec.to_builtins(
                    storage_by_owner.measure_database(Path(task["source"]), task["now"])
                ),
            )
        case "examine":
            found = examine.examine_database(
                Path(task["source"]), datetime.fromisoformat(task["now"])
            )
            return {"findings": msgspec.to_builtins(found)}
        case other:
            raise ValueError(f"there is no task called {other}")


if __name__ == "__main__":
    answer_task(run_worker_task, expected=(BackupFailed, NewerFile, OSError))
