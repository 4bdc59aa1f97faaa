"""The files of a device: its private keys, what it has seen, and records that wait to be sent.

All are readable by their owner alone, and replaced whole.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from app.core.database.small_files import replace_file
from app.vault.envelope import SealedRecord
from app.vault.refusals import VaultError

IDENTITY, STATE, WAITING, LOCK = "device.json", "state.json", "waiting", "lock"
T = TypeVar("T")


class Identity(msgspec.Struct, rename="camel", kw_only=True):
    """Who this device is. The keys are its private ones, in base64url."""

    server: str
    name: str
    exchange_key: str
    signing_key: str
    poll_token: str | None = None
    approval_url: str | None = None
    device_id: str | None = None
    device_token: str | None = None
    user_id: str | None = None


class KnownDevice(msgspec.Struct, rename="camel"):
    """A device as it was seen first; `confirmed`: a person has compared its fingerprint."""

    name: str
    public_key: str
    signing_key: str
    confirmed: bool = False
    revoked: bool = False


class KnownSession(msgspec.Struct, rename="camel"):
    """A session of one device: its numbers are 0 and on.

    `count`: how many were seen or given. `last`: the digest of the newest one's signature, where
    it is known. `gone`: those that were deleted here. `accepted`: those whose absence was accepted.
    """

    device_id: str
    name: str | None = None
    count: int = 0
    last: str | None = None
    gone: list[int] = []
    accepted: list[int] = []


class State(msgspec.Struct, rename="camel"):
    """What the server has shown this device, so that it can take nothing back.

    `keys` are account keys by their ids, `current` the id of the present one.
    """

    generation: int = 0
    current: str | None = None
    keys: dict[str, str] = {}
    keys_seen: str | None = None
    devices: dict[str, KnownDevice] = {}
    sessions: dict[str, KnownSession] = {}


class DeviceFiles:
    """The folder of a device."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Let one command at a time read and change the files."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(file)
            yield
        finally:
            os.close(file)

    def identity(self) -> Identity | None:
        """Return who this device is; None before it was enrolled."""
        return self._read(IDENTITY, Identity)

    def keep_identity(self, identity: Identity) -> None:
        """Write down who this device is."""
        replace_file(self.folder / IDENTITY, msgspec.json.encode(identity), sync=True)

    def state(self) -> State:
        """Return what was seen."""
        return self._read(STATE, State) or State()

    def keep_state(self, state: State) -> None:
        """Write down what was seen."""
        replace_file(self.folder / STATE, msgspec.json.encode(state), sync=True)

    def waiting(self) -> list[Path]:
        """Return the files of records that were sealed and not yet taken, in their order."""
        return sorted((self.folder / WAITING).glob("*.json"))

    def read_waiting(self, path: Path) -> SealedRecord:
        """Return a record that waits."""
        return self._decode(path.read_bytes(), path, SealedRecord)

    def keep_waiting(self, record: SealedRecord) -> None:
        """Keep a sealed record until the server has it."""
        folder = self.folder / WAITING
        folder.mkdir(mode=0o700, exist_ok=True)
        moment = "".join(filter(str.isdigit, record.created_at))
        path = folder / f"{moment}.{record.sequence:012d}.{record.session_ref}.json"
        replace_file(path, msgspec.json.encode(record), sync=True)

    def waiting_numbers(self) -> dict[str, set[int]]:
        """Return which records of which session wait, by their numbers."""
        found: dict[str, set[int]] = {}
        for path in self.waiting():
            _, number, reference, _ = path.name.split(".")
            found.setdefault(reference, set()).add(int(number))
        return found

    def remove(self) -> None:
        """Delete every file of the device."""
        for path in (*self.waiting(), self.folder / IDENTITY, self.folder / STATE):
            path.unlink(missing_ok=True)

    def _read(self, name: str, kind: type[T]) -> T | None:
        path = self.folder / name
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        return self._decode(text, path, kind)

    def _decode(self, text: bytes, path: Path, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise VaultError(
                f"{path} is damaged. Restore it from a backup of this machine, or enrol again."
            ) from None


def _lock(file: int) -> None:
    """Wait for the lock of a file, which ends with the process."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
