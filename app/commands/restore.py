"""`hearth restore`: put a backup in the place of the database, and keep what was there."""

from pathlib import Path

import click

from app.commands.ask.data_directory import own_when_free
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.backup import passphrase_option, read_passphrase
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.progress_line import ProgressLine
from app.core.database import data_dir
from app.core.database.tx import utc_now
from app.settings import Settings
from app.upkeep.backups import backup_files
from app.upkeep.backups.restore import Restored, restore_backup

SHOWN = 5


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@passphrase_option
@settings_option
def restore(file: Path | None, passphrase_file: Path | None, settings: Settings) -> None:
    """Restore the database from a backup.

    Stop the server first. FILE is checked before anything changes, and the current database is
    kept among the backups, so you can undo a restore. The passphrase of an encrypted FILE comes
    from --passphrase-file, HEARTH_BACKUP_PASSPHRASE or the terminal.
    """
    path = data_directory(settings)
    if file is None:
        raise Misused(f"Name a backup: hearth restore FILE.{_newest_hint(path)}")
    chosen = _chosen_backup(file, path)
    data_dir.prepare(path)
    try:
        with own_when_free(path) as ownership:
            secret = read_passphrase(passphrase_file, wanted=False) or settings.backup_passphrase
            if backup_files.is_sealed(chosen) and not secret:
                secret = read_passphrase(None, wanted=True) or ""
            line = ProgressLine("Restoring:")
            try:
                done = restore_backup(
                    chosen, path, moment=utc_now(), passphrase=secret, tell=line.show_step
                )
            finally:
                line.end(gone=True)
            ownership.mark_sound()
    except data_dir.InUse as busy:
        raise Refused(f"{busy} Stop it first.") from None
    click.echo(_restored_message(chosen, path, done))


def _restored_message(file: Path, data: Path, done: Restored) -> str:
    lines = [f"Restored {file} to {data}."]
    if not done.compared:
        lines.append(
            "No digest lies beside it, so its structure was checked, and not whether each "
            "byte is as it was."
        )
    if done.aside is not None:
        lines.append(f"The previous database is kept as {done.aside}.")
    if done.pending:
        lines.append(
            "It is older than this Hearth: the next start brings it up to date "
            f"({done.pending} to do)."
        )
    lines.append(
        "Everything is as it was when the backup was made: keys, links and connected apps that "
        "were ended since then are valid again."
    )
    return "\n".join(lines)


def _chosen_backup(file: Path, data: Path) -> Path:
    """Return the file that was named, or the backup of that name in the data directory."""
    # `backup --list` shows names, so a name alone must do, wherever the command is run.
    inside = backup_files.backups_folder(data) / file.name
    return (
        inside
        if not file.exists() and file.name == str(file) and inside.exists()
        else file.expanduser().absolute()
    )


def _newest_hint(data: Path) -> str:
    newest = backup_files.list_backups(data)[:SHOWN]
    return (
        " The newest are:\n" + "\n".join(f"  {backup.path}" for backup in newest) if newest else ""
    )
