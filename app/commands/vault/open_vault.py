"""Opening the vault of this device for one command."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.terminal.command_group import Refused
from app.commands.terminal.terminal_safe import strip_controls
from app.settings import Settings
from app.vault.device_files import DeviceFiles
from app.vault.refusals import NoKeyHere, Offline, VaultError
from app.vault.vault import Vault

F = TypeVar("F", bound=Callable[..., Any])


def vault_option(command: F) -> F:
    """Return a command the option that names the folder of the device."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.option(
        "--vault",
        "folder",
        type=kind,
        metavar="FOLDER",
        help="Folder of this device's keys [default: HEARTH_VAULT, or the standard location].",
    )(command)


def device_files(folder: Path | None) -> DeviceFiles:
    """Return the files of this device."""
    folder = folder or Settings.from_environment(os.environ).vault or _default_folder()
    return DeviceFiles(folder.expanduser().absolute())


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Let what the vault refuses end the command as a sentence."""
    try:
        yield
    except VaultError as error:
        raise Refused(strip_controls(error)) from None


@contextlib.contextmanager
def open_vault(folder: Path | None) -> Iterator[Vault]:
    """Yield the vault of this device, which no other command changes meanwhile."""
    files = device_files(folder)
    with told(), files.locked(), contextlib.closing(Vault(files)) as vault:
        yield vault


def refresh(vault: Vault) -> None:
    """Check devices and keys; say what a person should compare."""
    vault.refresh()
    if vault.first_key:
        tell_key(vault)


def refresh_if_online(vault: Vault) -> bool:
    """Do the same where the server answers; without it what is known here goes on holding."""
    try:
        refresh(vault)
    except Offline as error:
        click.echo(f"{strip_controls(error)} Going on without it.", err=True)
        return False
    return True


def tell_key(vault: Vault) -> None:
    """Show the fingerprint of the account key where it is seen for the first time."""
    from app.vault.rotate_keys import fingerprint_of_key

    click.echo(
        f"This device was given the account key {fingerprint_of_key(vault)}. Compare it with "
        "`hearth vault status` on another of your devices.",
        err=True,
    )


def has_key(vault: Vault) -> bool:
    """Return whether this device has the account key, as the server stands now."""
    try:
        refresh(vault)
    except NoKeyHere:
        return False
    return vault.state.current is not None


def _default_folder() -> Path:
    import platformdirs

    return platformdirs.user_data_path("hearth-vault", appauthor=False)
