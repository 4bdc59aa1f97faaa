"""`hearth vault put|send|list|get|delete`: the records of this device and of the others."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import strip_controls
from app.commands.vault.open_vault import open_vault, refresh, refresh_if_online, vault_option
from app.core.process.counted import counted
from app.vault.answers import ListedRecord
from app.vault.refusals import Offline
from app.vault.vault import Vault

CHUNK = 1 << 20
session_option = click.option("--session", metavar="NAME", help="Name of the session.")


@click.command()
@click.argument(
    "files",
    metavar="[FILE]...",
    nargs=-1,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@session_option
@vault_option
def put(files: tuple[Path, ...], session: str | None, folder: Path | None) -> None:
    """Encrypt and store files, or what comes on stdin.

    A file's session is named as the file is, unless --session says otherwise. Without the server
    the records are kept here, and sent by the next `put` or `send`.
    """
    if not files and session is None:
        raise Misused("Name the session of what comes on stdin: --session NAME.")
    with open_vault(folder) as vault:
        online = refresh_if_online(vault)
        number = 0
        for path in files:
            with path.open("rb") as file:
                number += vault.put(session or path.name, path.name, _chunks(file))
        if not files:
            number = vault.put(session or "", "stdin", _chunks(sys.stdin.buffer))
        click.echo(f"Encrypted {counted(number, 'record', 'records')}.")
        if online:
            _send(vault)


@click.command()
@vault_option
def send(folder: Path | None) -> None:
    """Send the records that wait here."""
    with open_vault(folder) as vault:
        refresh(vault)
        _send(vault)


@click.command(name="list")
@session_option
@click.option("--accept-missing", is_flag=True, help="Accept that missing records are gone.")
@json_option
@vault_option
def list_(session: str | None, accept_missing: bool, json_: bool, folder: Path | None) -> None:
    """List sessions, or the records of one, and check that nothing is missing."""
    with open_vault(folder) as vault:
        refresh(vault)
        found = vault.list_records(accept=accept_missing)
        known = vault.state.sessions
        names = {device: each.name for device, each in vault.state.devices.items()}
        rows = [
            (known[reference].name or reference, records)
            for reference, records in found.items()
            if session in (None, known[reference].name)
        ]
    rows.sort(key=lambda row: row[1][-1].created_at)
    if session is not None and not rows:
        raise Refused(f"There is no session {strip_controls(session)}.")
    if json_:
        click.echo(format_json([_as_json(name, records) for name, records in rows]))
    elif session is None:
        head = ("SESSION", "RECORDS", "BYTES", "LAST", "DEVICE")
        print_columns(head, [_session_row(row, names) for row in rows])
    else:
        head = ("RECORD", "NUMBER", "BYTES", "CREATED", "DEVICE")
        listed = [_record_row(each, names) for _, records in rows for each in records]
        print_columns(head, listed)


@click.command()
@click.argument("record", required=False)
@session_option
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write to.")
@vault_option
def get(record: str | None, session: str | None, out: Path | None, folder: Path | None) -> None:
    """Decrypt a record, or all records of a session in their order."""
    if (record is None) == (session is None):
        raise Misused("Name a record, or a session with --session.")
    with open_vault(folder) as vault:
        refresh(vault)
        found = (
            (each.content for each in vault.read_session(session))
            if session is not None
            else iter([vault.read(record or "").content])
        )
        if out is None:
            for content in found:
                sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            return
        part = out.with_name(out.name + ".part")
        try:
            # whole or not at all: a refused record must not leave the half of a session
            with part.open("xb") as file:
                for content in found:
                    file.write(content)
            part.replace(out)
        except FileExistsError:
            raise Refused(f"{part} is in the way; delete it first.") from None
        finally:
            part.unlink(missing_ok=True)


@click.command()
@click.argument("record", required=False)
@session_option
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@vault_option
def delete(record: str | None, session: str | None, yes: bool, folder: Path | None) -> None:
    """Delete a record, or all records of a session, for good."""
    if (record is None) == (session is None):
        raise Misused("Name a record, or a session with --session.")
    what = f"record {record}" if session is None else f"every record of session {session}"
    if not yes and not click.confirm(f"Delete {strip_controls(what)} for good?", err=True):
        raise Refused("Nothing was deleted.")
    with open_vault(folder) as vault:
        refresh(vault)
        if session is None:
            vault.delete(record or "")
            click.echo("Deleted 1 record.")
        else:
            number = vault.delete_session(session)
            click.echo(f"Deleted {counted(number, 'record', 'records')}.")


def _send(vault: Vault) -> None:
    """Send what waits, and say how it went."""
    try:
        sent = vault.send()
    except Offline as error:
        click.echo(f"{strip_controls(error)} The records wait here.", err=True)
        return
    click.echo(f"Stored {counted(sent.taken, 'record', 'records')}.")
    if sent.refused:
        told = "\n".join(map(strip_controls, sent.refused))
        number = counted(len(sent.refused), "record", "records")
        raise Refused(f"The server refused {number}, kept here:\n{told}")


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _session_row(row: tuple[str, list[ListedRecord]], names: dict[str, str]) -> tuple[str, ...]:
    name, records = row
    return (
        name,
        str(len(records)),
        str(sum(record.size_bytes for record in records)),
        records[-1].created_at[:16].replace("T", " "),
        names.get(records[-1].device_id, records[-1].device_id),
    )


def _record_row(record: ListedRecord, names: dict[str, str]) -> tuple[str, ...]:
    return (
        record.record_id,
        str(record.sequence),
        str(record.size_bytes),
        record.created_at[:16].replace("T", " "),
        names.get(record.device_id, record.device_id),
    )


def _as_json(name: str, records: list[ListedRecord]) -> dict[str, object]:
    return {
        "session": name,
        "deviceId": records[0].device_id,
        "records": [
            {
                "recordId": record.record_id,
                "sequence": record.sequence,
                "createdAt": record.created_at,
                "sizeBytes": record.size_bytes,
            }
            for record in records
        ],
    }
