"""Tasks for processes of their own, and writing down what came of them."""

from typing import Any

from app.core.app import App
from app.core.process import subprocess_reader
from app.core.process.running_work import Work
from app.upkeep.backups.backup_files import BackupFailed, NoRoom

WORKER = "app.upkeep.worker"
LONGEST_SECONDS = 4 * 3600


async def run_in_process(
    module: str, task: dict[str, Any], work: Work | None = None
) -> dict[str, Any]:
    """Return what a process made of a task, and let `work` hear how far it is; raise BackupFailed
    with its sentence.
    """
    tell = {} if work is None else {"tell": work.tell}
    try:
        found = await subprocess_reader.run_reader(module, task, seconds=LONGEST_SECONDS, **tell)
    except subprocess_reader.ChildEnded:
        raise BackupFailed(
            "The process that reads the database ended before it was done; the server's "
            "log or the system's may tell why."
        ) from None
    if "error" in found:
        raise (NoRoom if found["code"] == NoRoom.code else BackupFailed)(found["error"])
    return found


def remember_findings(app: App, **changes: object) -> None:
    """Remember what is known of backups and of room from now on, also in what is answered to
    callers.
    """
    app.safekeeping.keep(**changes)
    app.store.forget_reads()
