"""`hearth vault devices|admit|revoke|rotate|recover`: the devices, and the key that they share."""

import sys
from pathlib import Path

import click

from app.commands.terminal.columns import print_columns
from app.commands.terminal.command_group import Refused
from app.commands.terminal.tables import format_json, json_option
from app.commands.terminal.terminal_safe import strip_controls
from app.commands.vault.open_vault import open_vault, refresh, vault_option
from app.vault import rotate_keys
from app.vault.fingerprints import device_fingerprint
from app.vault.recovery_code import BadCode

NEW_CODE = """Recovery code: {code}
Write it down; the code from before is void."""


@click.command()
@json_option
@vault_option
def devices(json_: bool, folder: Path | None) -> None:
    """List your devices, their fingerprints, and whether you have confirmed them here."""
    with open_vault(folder) as vault:
        found = [
            {
                "deviceId": device.device_id,
                "name": device.name,
                "status": device.status,
                "hasKey": device.has_key,
                "confirmed": (known := vault.state.devices.get(device.device_id)) is not None
                and known.confirmed,
                "fingerprint": device_fingerprint(device.public_key, device.signing_key),
            }
            for device in vault.refresh_devices()
        ]
    if json_:
        click.echo(format_json(found))
        return
    head = ("DEVICE", "NAME", "STATUS", "KEY", "CONFIRMED", "FINGERPRINT")
    rows = [
        (
            str(row["deviceId"]),
            str(row["name"]),
            str(row["status"]),
            "yes" if row["hasKey"] else "no",
            "yes" if row["confirmed"] else "no",
            str(row["fingerprint"]),
        )
        for row in found
    ]
    print_columns(head, rows)


@click.command()
@click.argument("device")
@click.option("--fingerprint", help="Fingerprint that the other device shows.")
@vault_option
def admit(device: str, fingerprint: str | None, folder: Path | None) -> None:
    """Give another device the account key, so that it can open the records.

    Type the fingerprint that `hearth vault status` shows on that device. What the server says of
    it does not count: it could have swapped the keys.
    """
    typed = fingerprint or click.prompt("Fingerprint that the device shows", err=True)
    with open_vault(folder) as vault:
        rotate_keys.admit(vault, device, typed)
        name = vault.state.devices[device].name
    click.echo(f"{strip_controls(name)} has the account key now.")


@click.command()
@click.argument("device")
@vault_option
def revoke(device: str, folder: Path | None) -> None:
    """Revoke a device, such as one that was lost; then run `hearth vault rotate`."""
    with open_vault(folder) as vault:
        name = rotate_keys.revoke(vault, device).name
    click.echo(
        f"{strip_controls(name)} is revoked. It still knows the account key: run `hearth vault "
        "rotate`, so that it cannot open what is stored from now on."
    )


@click.command()
@click.option("--leave-out", is_flag=True, help="Go on without devices that are not confirmed.")
@vault_option
def rotate(leave_out: bool, folder: Path | None) -> None:
    """Replace the account key, and with it the recovery code."""
    with open_vault(folder) as vault:
        refresh(vault)
        others = rotate_keys.left_out(vault)
        if others and not leave_out:
            raise Refused(
                strip_controls(
                    f"These devices were never confirmed here: {', '.join(others)}. Run `hearth "
                    "vault admit` for each, or leave them out with --leave-out."
                )
            )
        code, receivers = rotate_keys.rotate(vault)
    click.echo(f"New account key for: {strip_controls(', '.join(receivers))}.")
    click.echo(NEW_CODE.format(code=code))


@click.command()
@vault_option
def recover(folder: Path | None) -> None:
    """Take the account key by the recovery code, typed or on stdin."""
    typed = (
        click.prompt("Recovery code", hide_input=True, err=True)
        if sys.stdin.isatty()
        else sys.stdin.readline()
    )
    with open_vault(folder) as vault:
        try:
            rotate_keys.recover(vault, typed)
        except BadCode as error:
            raise Refused(str(error)) from None
        fingerprint = rotate_keys.fingerprint_of_key(vault)
    click.echo(f"This device has the account key {fingerprint} now.")
