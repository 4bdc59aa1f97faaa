"""`hearth vault`: the group, and how a device comes in, stands and leaves."""

import os
import platform
import sys
import time
from pathlib import Path

import click

from app.commands.terminal.command_group import Commands, Misused, Refused
from app.commands.terminal.server_addresses import check_address
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import on_one_line, strip_controls
from app.commands.vault import devices, records
from app.commands.vault.open_vault import device_files, has_key, open_vault, told, vault_option
from app.vault import enrol as enrolling
from app.vault import rotate_keys
from app.vault.connection import Connection
from app.vault.device_files import DeviceFiles, Identity
from app.vault.refusals import ServerRefused

PAUSE_SECONDS = 2.0
CODE = """Recovery code: {code}
Write it down and keep it away from this device. It opens your records when all your devices are
lost. It is shown only now, and it is not stored anywhere."""


@click.group(cls=Commands)
def vault() -> None:
    """Store encrypted records that the server cannot read, such as logs of coding agents."""


@vault.command()
@click.argument("server", required=False)
@click.option("--name", help="Name of this device [default: its host name].")
@click.option("--key-from", metavar="env:VARIABLE", help="Use an API key instead of the page.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the answer; run `enrol` again.")
@vault_option
def enrol(
    server: str | None, name: str | None, key_from: str | None, no_wait: bool, folder: Path | None
) -> None:
    """Let this device store records at SERVER, such as http://127.0.0.1:8765.

    You approve it on a page of the server. An earlier request that is still open is continued.
    """
    files = device_files(folder)
    with told(), files.locked():
        identity = files.identity()
        if server is None and identity is None:
            raise Misused("Name the server, such as http://127.0.0.1:8765.")
        server = None if server is None else check_address(server)
        if server is not None and key_from is not None:
            identity = enrolling.add_by_key(
                files, Connection, server, name or _own_name(), _key_in(key_from)
            )
        elif server is not None:
            identity = enrolling.begin_enrolment(files, Connection, server, name or _own_name())
        if identity is not None and identity.poll_token is not None:
            _show_request(identity)
            if not _wait(files, identity, once=no_wait):
                return
    _finish(folder)


@vault.command()
@json_option
@vault_option
def status(json_: bool, folder: Path | None) -> None:
    """Show this device, its fingerprint, the account key's, and what the records take."""
    with open_vault(folder) as opened:
        with_key = has_key(opened)
        usage = opened.usage()
        found = {
            "server": opened.identity.server,
            "deviceId": opened.identity.device_id,
            "name": opened.identity.name,
            "fingerprint": enrolling.fingerprint_of(opened.identity),
            "accountKey": rotate_keys.fingerprint_of_key(opened) if with_key else None,
            "generation": opened.state.generation,
            "waiting": len(opened.files.waiting()),
            "records": usage.records,
            "bytes": usage.bytes,
            "quotaBytes": usage.quota_bytes,
        }
    if json_:
        click.echo(format_json(found))
        return
    click.echo(
        strip_controls(
            f"Device:      {on_one_line(found['name'], 100)} ({found['deviceId']}) at "
            f"{found['server']}\n"
            f"Fingerprint: {found['fingerprint']}\n"
            f"Account key: {found['accountKey'] or 'none on this device'}\n"
            f"Records:     {found['records']}, {found['bytes']} bytes of {found['quotaBytes']}\n"
            f"Waiting:     {found['waiting']}"
        )
    )
    if not with_key:
        click.echo(_next_steps(str(found["deviceId"])))


@vault.command()
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@vault_option
def leave(yes: bool, folder: Path | None) -> None:
    """Revoke this device and delete its keys here. Its records stay at the server."""
    with open_vault(folder) as opened:
        waiting = len(opened.files.waiting())
        lost = f" {waiting} records were never sent and will be lost." if waiting else ""
        if not yes and not click.confirm(f"Delete this device's keys?{lost}", err=True):
            raise Refused("Nothing was changed.")
        try:
            rotate_keys.revoke(opened, opened.identity.device_id or "")
        except ServerRefused as refused:
            # another device has revoked this one
            if refused.code != "unauthorized":
                raise
        opened.files.remove()
    click.echo("This device has left.")


for command in (
    records.put,
    records.send,
    records.list_,
    records.get,
    records.delete,
    devices.devices,
    devices.admit,
    devices.revoke,
    devices.rotate,
    devices.recover,
):
    vault.add_command(command)


def _show_request(identity: Identity) -> None:
    click.echo(strip_controls(f"Open this page and approve the device:\n  {identity.approval_url}"))
    click.echo(
        f"Fingerprint of its keys, which the page must show too:\n"
        f"  {enrolling.fingerprint_of(identity)}"
    )


def _wait(files: DeviceFiles, identity: Identity, *, once: bool) -> bool:
    """Wait for the user's answer; return whether the device is in."""
    while True:
        state = enrolling.poll_enrolment(files, Connection, identity)
        if state == "approved":
            return True
        if state != "pending":
            raise Refused(f"The request was {state}. Run `hearth vault enrol SERVER` again.")
        if once:
            click.echo("When it is approved, run `hearth vault enrol` again.")
            return False
        time.sleep(PAUSE_SECONDS)


def _finish(folder: Path | None) -> None:
    """Make the first account key, or say how this device gets the one that is there."""
    with open_vault(folder) as opened:
        identity = opened.identity
        click.echo(
            strip_controls(
                f"{on_one_line(identity.name, 100)} is enrolled as {identity.device_id}, "
                f"fingerprint {enrolling.fingerprint_of(opened.identity)}."
            )
        )
        if has_key(opened):
            return
        if opened.any_key:
            click.echo(_next_steps(identity.device_id or ""))
            return
        code = rotate_keys.make_first_key(opened)
        click.echo(CODE.format(code=code))


def _next_steps(device: str) -> str:
    return (
        "This device has no account key yet. Either run this on a device that has it:\n"
        f"  hearth vault admit {device}\n"
        "or here, with the recovery code:\n"
        "  hearth vault recover"
    )


def _own_name() -> str:
    return (platform.node() or "Device")[:100]


def _key_in(source: str) -> str:
    kind, _, variable = source.partition(":")
    if source == "-":
        found = sys.stdin.readline()
    elif kind == "env":
        found = os.environ.get(variable, "")
    else:
        raise Misused("--key-from needs env:VARIABLE, or - to read the key from stdin.")
    if not found.strip():
        raise Misused(f"There is no key at {source}.")
    return found.strip()
