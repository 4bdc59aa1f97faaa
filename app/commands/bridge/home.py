"""The folder of a bridge: what the device is called, its token, and its journal."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from app.commands.terminal.command_group import Refused
from app.core.database import data_dir
from app.core.database.small_files import replace_file

F = TypeVar("F", bound=Callable[..., Any])
DEVICE, JOURNAL = "device.json", "journal.jsonl"
PATIENCE_SECONDS, PAUSE_SECONDS = 2.0, 0.05


class Device(msgspec.Struct, rename="camel"):
    """This machine as the server knows it; the token acts for this device alone."""

    server: str
    device_id: str
    name: str
    token: str = ""
    endpoint_id: str = ""
    session_handle: str = ""
    user_id: str = ""
    username: str = ""


class Home:
    """The folder in which a bridge keeps its things, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def journal(self) -> Path:
        """The file in which the bridge writes down what it has done."""
        return self.folder / JOURNAL

    def device(self) -> Device:
        """Return the device of this folder; raise Refused where none is paired."""
        found = self.find_device()
        if found is None or not found.token:
            raise Refused(
                f"No device is paired in {self.folder}. Pair one with `hearth bridge pair ADDRESS`."
            )
        return found

    def find_device(self) -> Device | None:
        """Return the device of this folder, if there is one; raise Refused where it is damaged."""
        try:
            return msgspec.json.decode((self.folder / DEVICE).read_bytes(), type=Device)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Refused(f"Cannot read {self.folder / DEVICE}: {error}.") from None

    def save(self, device: Device) -> None:
        """Write the device down; it is on the disk when this returns."""
        data_dir.prepare(self.folder)
        replace_file(self.folder / DEVICE, msgspec.json.encode(device), sync=True)

    def forget(self) -> None:
        """Delete the device and its journal."""
        for name in (DEVICE, JOURNAL):
            (self.folder / name).unlink(missing_ok=True)

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Be the only bridge of this folder while the block runs; raise Refused."""
        until = time.monotonic() + PATIENCE_SECONDS
        with contextlib.ExitStack() as stack:
            while not self._enter(stack):
                if time.monotonic() > until:
                    raise Refused(f"Another bridge is running in {self.folder}.")
                time.sleep(PAUSE_SECONDS)
            yield

    @contextlib.contextmanager
    def owned_if_free(self) -> Iterator[bool]:
        """Be the only bridge of this folder while the block runs, or tell that another is."""
        with contextlib.ExitStack() as stack:
            yield self._enter(stack)

    def _enter(self, stack: contextlib.ExitStack) -> bool:
        data_dir.prepare(self.folder)
        try:
            stack.enter_context(data_dir.own_directory(self.folder))
        except data_dir.InUse:
            return False
        return True


def home_option(command: F) -> F:
    """Return a command with the option that names the bridge's folder, given as `home`."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        envvar="HEARTH_BRIDGE",
        callback=lambda _ctx, _param, given: Home(_chosen(given)),
        help="Folder of the bridge [default: HEARTH_BRIDGE, or the standard location].",
    )(command)


def _chosen(given: Path | None) -> Path:
    if given is not None:
        return given.expanduser().absolute()
    import platformdirs  # only where it is needed

    return platformdirs.user_data_path("hearth", appauthor=False) / "bridge"


def without_settings() -> dict[str, str]:
    """Return the environment of this process without Hearth's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}
