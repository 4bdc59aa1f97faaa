"""`hearth doctor`: check the installation, say what to do, and repair what is safe to repair."""

from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from app.commands.ask.ask_operation import ask_patiently
from app.commands.ask.data_directory import visit_when_free
from app.commands.ask.locate_data import data_directory, data_option, read_settings
from app.commands.backup import SECONDS
from app.commands.terminal.command_group import Refused
from app.commands.terminal.tables import format_json, json_option
from app.core.database import data_dir, integrity
from app.core.database.tx import Tx, utc_now
from app.settings import Settings, SettingsError
from app.upkeep.backups import backup_files
from app.upkeep.doctor.doctor import Repair
from app.upkeep.doctor.environment_checks import check_environment
from app.upkeep.doctor.examine import RESTORE, examine_database
from app.upkeep.doctor.findings import Finding, ok, wrong

MARKS = {"well": "ok", "advice": "note", "wrong": "WRONG"}
OF_AGENTS = ("messages", "vectors")
ROUNDS = 3
"""How often it is mended at most.

What is made anew first may show what else is not as it should be.
"""


@click.command()
@click.option(
    "--fix",
    is_flag=True,
    help="Repair what is safe to repair: file permissions, leftover files, the schema and "
    "derived data.",
)
@json_option
@data_option
def doctor(fix: bool, json_: bool, data: Path | None) -> None:
    """Check the database, disk, backups and settings.

    Each finding says what to do. Exits with 1 if anything is wrong. The server may be running.
    """
    try:
        settings = read_settings(data=data)
    except SettingsError as error:
        _print_findings(
            [
                wrong(
                    "settings",
                    f"The settings are not valid: {error}.",
                    "Correct them. `hearth settings` lists them.",
                )
            ],
            [],
            json_=json_,
        )
        raise click.exceptions.Exit(1) from None
    found = collect_findings(settings)
    mended: list[str] = []
    for _ in range(ROUNDS if fix else 0):
        if not (now := [one for one in _repair(settings, found) if one not in mended]):
            break
        mended += now
        found = collect_findings(settings)
    _print_findings(found, mended, json_=json_)
    if any(one.gravity == "wrong" for one in found):
        raise click.exceptions.Exit(1)


def collect_findings(settings: Settings) -> list[Finding]:
    """Return everything that there is to say."""
    data = data_directory(settings)
    if not (data / data_dir.DATABASE).exists():
        return [wrong("database", f"There is no database in {data}.", _no_database(data))]
    return [*_examine_database(settings, data), *check_environment(data, settings, utc_now())]


def _no_database(data: Path) -> str:
    newest = backup_files.newest_good(data)
    return (
        "Run `hearth init` to create one, or name another directory with --data."
        if newest is None
        else f"Run `hearth restore {newest}` to restore the newest intact backup."
    )


def _examine_database(settings: Settings, data: Path) -> list[Finding]:
    """Look through the database: by the server that has it, else here."""
    try:
        with visit_when_free(data) as unclean:
            free = ok("lock", "No server is using this directory.")
            guarded, examined = (
                _check_guard(data, unclean),
                examine_database(data / data_dir.DATABASE, utc_now(), alone=True),
            )
            return [free, *guarded, *examined, *_check_audit(data, examined)]
    except data_dir.InUse as busy:
        return _ask_server(settings, busy.pid)
    except data_dir.DataDirError as error:
        return [
            wrong(
                "lock",
                str(error),
                "Give this user access to the directory, or move it to a local disk.",
            )
        ]


def _check_guard(data: Path, unclean: bool) -> list[Finding]:
    """Return whether the file is the one that Hearth left, which the next start asks too.

    Only a start or a restore settles it.
    """
    if not integrity.is_altered(data / data_dir.DATABASE, unclean=unclean):
        return []
    said = (
        "The database was changed by another program since Hearth closed it, so the next start "
        "will be read-only."
    )
    return [
        wrong(
            "guard",
            said,
            f"If you made the change, run `hearth serve --accept-changes`. If not: {RESTORE}",
        )
    ]


def _check_audit(data: Path, examined: list[Finding]) -> list[Finding]:
    """Check the record of what agents did, where the database can be read and has its schema."""
    if not _is_readable(examined):
        return []
    # what no other command needs without a server
    from app.tools.approvals.audit import verify_whole
    from app.upkeep.open_read_only import open_read_only

    with open_read_only(data / data_dir.DATABASE, alone=True) as connection:
        return _audit_finding(verify_whole(Tx(connection, utc_now())))


def _is_readable(examined: list[Finding]) -> bool:
    return all(one.gravity == "well" for one in examined if one.check in ("integrity", "schema"))


def _audit_finding(problem: str | None) -> list[Finding]:
    if problem is None:
        return [ok("audit", "The record of what agents did is intact.")]
    return [
        wrong(
            "audit",
            f"The record of what agents did is not intact. {problem}",
            f"It cannot be repaired. {RESTORE}",
        )
    ]


def _ask_server(settings: Settings, pid: str) -> list[Finding]:
    try:
        answered = ask_patiently(settings, SECONDS, "examine_database")["findings"]
    except Refused as error:
        return [
            wrong(
                "lock",
                error.format_message(),
                "Wait until it answers, or stop that process and try again.",
            )
        ]
    examined = msgspec.convert(answered, list[Finding])
    audit = (
        _audit_finding(ask_patiently(settings, SECONDS, "verify_audit")["problem"])
        if _is_readable(examined)
        else []
    )
    return [ok("lock", f"Process {pid} is serving this directory and answers."), *examined, *audit]


def _repair(settings: Settings, found: list[Finding]) -> list[str]:
    """Make the repairs that the findings name; give the names of those that were made."""
    wanted = sorted({one.mends for one in found if one.mends is not None})
    data = data_directory(settings)
    if "rights" in wanted:
        data_dir.prepare(data)
        # `prepare` sees to the database; what was copied here from elsewhere has other rights.
        for path in (data, *backup_files.backups_folder(data).glob("*"), *data.glob("*.log")):
            path.chmod(0o700 if path.is_dir() else 0o600)
    if "leftovers" in wanted:
        try:
            with visit_when_free(data):
                backup_files.delete_leftovers(data)
                backup_files.delete_leftovers(backup_files.backups_folder(data))
        except data_dir.InUse:
            wanted.remove("leftovers")
    asked = [one for one in wanted if one in get_args(Repair) or one in OF_AGENTS]
    if _is_damaged(found):
        # Only files beside the database were mended: a damaged one must not be written to.
        return [one for one in wanted if one not in asked]
    if repairs := [one for one in asked if one in get_args(Repair)]:
        ask_patiently(settings, SECONDS, "mend", repairs=repairs)
    if any(one in OF_AGENTS for one in asked):
        ask_patiently(settings, SECONDS, "mend_messages")
    return wanted


def _is_damaged(found: list[Finding]) -> bool:
    """Return whether nothing may be written to the database."""
    return any(
        one.gravity == "wrong" and one.check in ("integrity", "guard", "lock") and one.mends is None
        for one in found
    )


def _print_findings(found: list[Finding], mended: list[str], *, json_: bool) -> None:
    if json_:
        rows: list[dict[str, Any]] = msgspec.to_builtins(found)
        click.echo(
            format_json(
                {
                    "well": all(one.gravity != "wrong" for one in found),
                    "findings": rows,
                    "mended": mended,
                }
            )
        )
        return
    for one in found:
        click.echo(f"{MARKS[one.gravity]:<6}{one.check:<11}{one.message}")
        if one.remedy is not None:
            click.echo(f"{'':<17}{one.remedy}")
    if mended:
        click.echo(f"Repaired: {', '.join(mended)}.")
