"""The data directory: its rights, its lock, and the control file for the command line."""

import contextlib
import errno
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

import msgspec

from app.core.database import disk_reserve, integrity
from app.core.database.small_files import replace_file

DATABASE = "hearth.db"
LOCK = "server.lock"
CONTROL = "control.json"
MODELS = "models"
STOP = "STOP"
SPOOL = "spool"
KEPT_SECRET = "model-key-"  # noqa: S105 - what the names of such files begin with
SIGNING_KEY = "signing-key"
SEALING_KEY = "sealing-key"
BACKUPS = "backups"
DAMAGED = "damaged-"
FIRST_KEY = "first-key"
DRAFTS = "drafts"
REMINDED = "reminded"
OWN_FILES = (
    DATABASE + "*",
    LOCK,
    CONTROL + "*",
    "access*.log*",
    FIRST_KEY,
    DRAFTS,
    REMINDED,
    MODELS,
    STOP,
    SPOOL,
    KEPT_SECRET + "*",
    SIGNING_KEY + "*",
    SEALING_KEY + "*",
    integrity.RECORD + "*",
    disk_reserve.RESERVE,
    BACKUPS,
    DAMAGED + "*",
)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
# how systems say that somebody else holds the lock
HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
PID_WAIT_SECONDS = 0.2


class DataDirError(Exception):
    """The data directory cannot be used; the message says why and what to do."""


class InUse(DataDirError):
    """Another process owns the data directory.

    `pid` is its number, or empty when it has not written it yet.
    """

    def __init__(self, path: Path, pid: str) -> None:
        owner = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{path} is in use by {owner}. Only one process at a time can use a data directory."
        )
        self.pid = pid


class Damaged(DataDirError):
    """The database is damaged, so nothing may be written to it."""


class Ownership:
    """The data directory while this process owns it; `unclean`.

    The owner before did not end in order.
    """

    def __init__(self, *, unclean: bool, marking: threading.Thread) -> None:
        self.unclean = unclean
        self.in_order = not unclean
        """Whether the next owner need not look at the database first.

        Who has not looked leaves that as it was.
        """
        self.has_looked = False
        self._marking = marking

    def mark_sound(self) -> None:
        """Note that this owner has looked at the database, or made it, and that it is sound."""
        self.in_order = self.has_looked = True

    def wait_until_written(self) -> None:
        """Return once it is on the disk that this process is the owner.

        It is brought there beside everything else, so that a start need not wait.
        """
        self._marking.join()


class Announcement(msgspec.Struct, frozen=True):
    """How the command line reaches the running server."""

    pid: str
    url: str
    token: str


def prepare(path: Path) -> Path:
    """Make the data directory (for its owner only) and give the database's path.

    What this process writes from now on is its owner's alone. A directory that already served
    something else keeps its rights.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":
            os.umask(0o077)
            _keep_private(path)
    except FileExistsError:
        raise DataDirError(f"Cannot use the data directory {path}: it is a file.") from None
    except OSError as error:
        raise DataDirError(f"Cannot use the data directory {path}: {error.strerror}.") from None
    return path / DATABASE


@contextlib.contextmanager
def own_directory(path: Path) -> Iterator[Ownership]:
    """Own the data directory while the block runs.

    Raise InUse, naming the process, if another one does.

    The lock belongs to the open file, so it ends with the process however that ends; the file
    itself stays. The number of a process that is still in it tells that this process was killed,
    or that the power was cut.
    """
    try:
        # neither needs the file to be there nor empties what its owner has written
        file = (path / LOCK).open("a+", encoding="ascii", errors="replace")
    except OSError as error:
        raise DataDirError(f"Cannot open {path / LOCK}: {error.strerror}.") from None
    with file:
        _take_lock(path, file)
        file.seek(0)
        marking = threading.Thread(target=_sync, args=(file.fileno(),), name="marking")
        ownership = Ownership(unclean=file.read(1) != "", marking=marking)
        _write_pid(file)
        marking.start()
        try:
            yield ownership
        finally:
            marking.join()
            # An empty lock says that the record is true of the file. So the record comes first,
            # however the block ended, and the number stays where it could not be written.
            if ownership.in_order and (
                not ownership.has_looked or integrity.record_file_state(path / DATABASE)
            ):
                # so that nobody takes this number for the next owner's, which writes its own
                # a moment after locking
                with contextlib.suppress(OSError):
                    file.truncate(0)


@contextlib.contextmanager
def visit_directory(path: Path) -> Iterator[bool]:
    """Make sure while the block runs that nobody owns the data directory, and change nothing there.

    Raise InUse if somebody owns it.

    Gives whether the last owner did not end in order.
    """
    try:
        file = (path / LOCK).open("r", encoding="ascii", errors="replace")
    except OSError:  # nobody has ever owned it, or who did is another user of this machine
        yield False
        return
    with file:
        _take_lock(path, file)
        file.seek(0)
        yield file.read(1) != ""


def read_only_mode(path: Path) -> Literal["ro", "immutable"]:
    """Return how the database is opened that shall not be changed.

    Raise DataDirError where its newest changes could not be seen.
    """
    if _is_writable(path):
        return "ro"
    with contextlib.suppress(OSError):
        if (path / (DATABASE + "-wal")).stat().st_size:
            raise DataDirError(
                f"The database in {path} was not closed cleanly. Its newest changes are in a "
                "journal that can only be read where files can be written. Copy the directory to "
                "a writable disk and start there."
            )
    return "immutable"


@contextlib.contextmanager
def announce_server(path: Path, *, pid: int, url: str, token: str) -> Iterator[None]:
    """Leave word of how the command line reaches this server, readable by the owner alone, while
    the block runs.
    """
    file = path / CONTROL
    try:
        replace_file(file, msgspec.json.encode(Announcement(str(pid), url, token)))
    except OSError as error:
        raise DataDirError(f"Cannot write {file}: {error.strerror}.") from None
    try:
        yield
    finally:
        # Windows deletes no file that another process is reading
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def read_announcement(path: Path) -> Announcement | None:
    """Return what a server announced, or None.

    After a crash it may be stale: compare `pid` with that of InUse.
    """
    try:
        return msgspec.json.decode((path / CONTROL).read_bytes(), type=Announcement)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def fresh_token() -> str:
    """Return a secret for one run of the server."""
    return secrets.token_urlsafe(32)


def _keep_private(path: Path) -> None:
    if all(_is_own(entry) for entry in path.iterdir()) or (path / DATABASE).exists():
        path.chmod(0o700)
    elif path.stat().st_mode & 0o002:
        raise DataDirError(
            f"Cannot use the data directory {path}: all users can write there, and it contains "
            "other files. Choose another one."
        )
    for pattern in OWN_FILES:
        for file in path.glob(pattern):
            # a journal goes with the last connection of another process
            with contextlib.suppress(FileNotFoundError):
                if file.is_file() and file.stat().st_mode & 0o077:
                    file.chmod(0o600)


def _is_own(entry: Path) -> bool:
    return (
        entry.name.startswith(".")
        or entry.name == "lost+found"
        or any(entry.match(pattern) for pattern in OWN_FILES)
    )


def _is_writable(path: Path) -> bool:
    """Return whether files can be made in the directory."""
    # by trying: the rights do not tell of a disk that is mounted read-only
    probe = path / f".probe-{os.getpid()}"
    try:
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError as error:
        # a full disk refuses too, and yet is writable
        return error.errno not in NOT_WRITABLE
    with contextlib.suppress(OSError):
        probe.unlink()
    return True


def _write_pid(file: IO[str]) -> None:
    """Write this process's number into the lock."""
    # a full disk has no room for it, and is no reason not to start
    with contextlib.suppress(OSError):
        file.truncate(0)
        os.write(file.fileno(), b"%d\n" % os.getpid())


def _sync(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        os.fsync(descriptor)


def _take_lock(path: Path, file: IO[str]) -> None:
    try:
        _lock(file.fileno())
    except OSError as error:
        if error.errno not in HELD:
            raise DataDirError(
                f"Cannot lock {path} ({error.strerror}). Put the data directory on a local disk."
            ) from None
        raise InUse(path, _read_pid(file)) from None


def _read_pid(file: IO[str]) -> str:
    """Return the number of the process that holds the lock.

    It writes it a moment after it has locked.
    """
    until = time.monotonic() + PID_WAIT_SECONDS
    while True:
        file.seek(0)
        pid = file.read(20).strip()
        if pid.isdecimal() or time.monotonic() > until:
            return pid if pid.isdecimal() else ""
        time.sleep(0.005)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Windows locks ranges mandatorily, so the locked byte lies far behind the process number
        # that others read.
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
