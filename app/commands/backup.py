"""`hearth backup`: make a backup, with or without a running server, list or verify backups."""

from pathlib import Path
from typing import Any

import click

from app.commands.ask.ask_operation import ask_showing
from app.commands.ask.data_directory import existing_directory
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.tables import format_json, json_option
from app.core.database.backup_status import FILE, read_backup_status
from app.core.database.data_dir import BACKUPS
from app.core.database.tx import stamp, utc_now
from app.core.process.counted import counted, size_text
from app.settings import Settings
from app.upkeep.backups import backup_digests, backup_files

SECONDS = 4 * 3600
KINDS = {
    "clock": "by the clock",
    "hand": "asked for",
    "upgrade": "before an upgrade",
    "restore": "replaced by a restore",
}
passphrase_option = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File that contains the passphrase.",
)


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--encrypt", is_flag=True, help="Encrypt in age format; ask for a passphrase.")
@click.option(
    "--plain", is_flag=True, help="Do not encrypt, even if HEARTH_BACKUP_PASSPHRASE is set."
)
@passphrase_option
@click.option(
    "--list",
    "list_",
    is_flag=True,
    help="List backups, newest first, and verify their digests. Make none.",
)
@click.option(
    "--prove", is_flag=True, help="Verify the newest backup by a trial restore. Make none."
)
@json_option
@settings_option
def backup(
    file: Path | None,
    encrypt: bool,
    plain: bool,
    passphrase_file: Path | None,
    list_: bool,
    prove: bool,
    json_: bool,
    settings: Settings,
) -> None:
    """Make and check a backup.

    It is written to FILE, to a new file in FILE if that is a folder, or without FILE to
    `backups` in the data directory. The server keeps running.
    """
    if list_:
        _show_list(list_backups(data_directory(settings)), json_=json_)
        return
    if prove:
        _tell_proof(
            ask_showing(settings, SECONDS, "Proving the newest backup:", "prove_backup"),
            json_=json_,
        )
        return
    secret = None if plain else read_passphrase(passphrase_file, wanted=encrypt, anew=True)
    existing_directory(settings)
    given = {"file": str(_target_path(file))} if file is not None else {}
    made = ask_showing(
        settings,
        SECONDS,
        "Backing up:",
        "make_backup",
        plain=plain,
        **given,
        **({"passphrase": secret} if secret else {}),
    )
    if json_:
        click.echo(format_json(made))
    else:
        what = "encrypted, " if made["encrypted"] else ""
        click.echo(
            f"{made['file']}\n{size_text(made['bytes'])}, {what}{counted(made['rows'], 'row')}, "
            "checked. Its digest is stored next to it."
        )


def read_passphrase(file: Path | None, *, wanted: bool, anew: bool = False) -> str | None:
    """Return the passphrase from a file or, when it is wanted and there is no file, from who sits
    at the terminal; else None.
    """
    if file is not None:
        try:
            secret = file.read_text("utf-8").strip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise Misused(f"The passphrase cannot be read from {file}.") from None
        if not secret:
            raise Misused(f"{file} contains no passphrase.")
        return secret
    if not wanted:
        return None
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=anew, err=True))


def list_backups(data: Path) -> list[dict[str, Any]]:
    """Give the backups in a data directory, newest first, with what the last proof said of them."""
    known = read_backup_status(data / BACKUPS / FILE)
    rows = []
    for one in backup_files.list_backups(data):
        proof = (
            None
            if known.proof_file != one.path.name
            else known.proof_trouble
            or f"restored {known.proof_at}, {counted(known.proof_notes, 'note')} read"
        )
        rows.append(
            {
                "file": str(one.path),
                "madeAt": stamp(one.made_at),
                "kind": one.kind,
                "bytes": one.path.stat().st_size,
                "encrypted": one.is_sealed,
                "digest": backup_digests.digest_path(one.path).exists(),
                "trouble": backup_files.find_damage(one.path),
                "proof": proof,
            }
        )
    return rows


def _show_list(rows: list[dict[str, Any]], *, json_: bool) -> None:
    if json_:
        click.echo(format_json({"backups": rows}))
    elif not rows:
        click.echo("There are no backups.")
    else:
        told = [
            (
                row["madeAt"][:16].replace("T", " "),
                size_text(row["bytes"]),
                KINDS[row["kind"]],
                _backup_state(row),
                row["file"],
            )
            for row in rows
        ]
        print_columns(("MADE AT (UTC)", "SIZE", "WHY", "STATE", "FILE"), told)


def _backup_state(row: dict[str, Any]) -> str:
    if row["trouble"]:
        return f"damaged: {row['trouble']}"
    whole = "unchanged" if row["digest"] else "no digest"
    return f"{whole}, {row['proof']}" if row["proof"] else whole


def _tell_proof(proof: dict[str, Any], *, json_: bool) -> None:
    if json_:
        click.echo(format_json(proof))
    elif proof["trouble"] is None:
        click.echo(
            f"Restored {proof['file']} to a temporary place and read back "
            f"{counted(proof['notes'], 'note')} correctly."
        )
    if proof["trouble"] is not None:
        raise Refused(f"{proof['file'] or 'No backup'} could not be verified. {proof['trouble']}")


def _target_path(file: Path) -> Path:
    target = file.expanduser().absolute()
    return target / f"hearth-{utc_now():%Y%m%dT%H%M%SZ}.db" if target.is_dir() else target
