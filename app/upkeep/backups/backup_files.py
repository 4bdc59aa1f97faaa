"""The files of backups: their names, their order, and which of them stay.

They come onto the disk whole or not at all.
"""

import contextlib
import glob
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from app.core.database.data_dir import BACKUPS
from app.core.database.disk_reserve import bytes_to_leave_free, is_disk_full
from app.core.database.small_files import sync_folder
from app.core.process.counted import size_text
from app.errors import StorageFull, Unavailable
from app.upkeep.backups import backup_digests

Kind = Literal["clock", "hand", "upgrade", "restore", "rescue"]
"""Why a backup was made: by the clock, because somebody asked, before a migration, it is the
file that a restore replaced, or what an open file held that was deleted or replaced under the
server.
"""

SEALED = ".age"
PART = ".part"
OTHERS = 5
PERIODS: tuple[tuple[int, Callable[[datetime], object]], ...] = (
    (24, lambda moment: (moment.date(), moment.hour)),
    (7, datetime.date),
    (8, lambda moment: moment.isocalendar()[:2]),
)
"""Of how many hours, days and weeks the newest backup stays."""
SQLITE_MAGIC = b"SQLite format 3\x00"
AGE_MAGIC = b"age-encryption.org/v1\n"
HEADER = 100
BLOCK = 1 << 20
_NAME = re.compile(
    rf"hearth-(\d{{6,}})-(\d{{8}}T\d{{6}}Z)-({'|'.join(get_args(Kind))})\.db(\.age)?"
)


class BackupFailed(Unavailable):
    """A backup could not be made, checked or put back; nothing is half done."""


class NoRoom(BackupFailed):
    """The disk has no room for the copy."""

    code, status = StorageFull.code, StorageFull.status


class Backup(NamedTuple):
    """A backup that was checked before it got its name.

    `number` tells the order, whatever the clock did.
    """

    path: Path
    number: int
    made_at: datetime
    kind: Kind

    @property
    def is_sealed(self) -> bool:
        """Whether a passphrase is needed to read it."""
        return self.path.suffix == SEALED


def backups_folder(data: Path) -> Path:
    """Give the place of a data directory's backups."""
    return data / BACKUPS


def make_folder(data: Path) -> Path:
    """Make that place, for its owner only, and give it."""
    place = backups_folder(data)
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.chmod(0o700)
    except OSError as error:
        raise BackupFailed(f"The folder {place} cannot be made: {error.strerror}.") from None
    return place


def list_backups(data: Path) -> list[Backup]:
    """Give the backups of a data directory, newest first."""
    try:
        names = os.listdir(backups_folder(data))  # noqa: PTH208 - many thousand names are no Path each
    except OSError:
        return []
    found = [
        backup for name in names if (backup := _parse_name(backups_folder(data), name)) is not None
    ]
    return sorted(found, key=lambda backup: -backup.number)


def newest_good(data: Path) -> Path | None:
    """Give the newest backup that was checked and is still whole, as far as its digest tells, or
    its head where it has none; None for none.
    """
    return next(
        (
            backup.path
            for backup in in_order_of_choice(list_backups(data))
            if find_damage(backup.path) is None
        ),
        None,
    )


def in_order_of_choice(backups: Iterable[Backup]) -> list[Backup]:
    """Return the newest first, and what a restore replaced last.

    Somebody did not want it any more.
    """
    return sorted(backups, key=lambda backup: (backup.kind == "restore", -backup.number))


def newest_readable(data: Path, *, sealed: bool) -> Path | None:
    """Return the newest one with a sound head that the program itself can read.

    With `sealed` it has the passphrase of those that the clock makes.
    """
    readable = [
        backup
        for backup in in_order_of_choice(list_backups(data))
        if sealed or not backup.is_sealed
    ]
    ordered = sorted(
        readable,
        key=lambda backup: (backup.kind == "restore", backup.is_sealed and backup.kind == "hand"),
    )
    return next((backup.path for backup in ordered if find_trouble(backup.path) is None), None)


def next_path(data: Path, kind: Kind, moment: datetime, *, sealed: bool = False) -> Path:
    """Give the name of the next backup.

    Numbers only grow, so that a clock that was set back changes no order.
    """
    number = max((backup.number for backup in list_backups(data)), default=0) + 1
    at = moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return backups_folder(data) / f"hearth-{number:06d}-{at}-{kind}.db{SEALED if sealed else ''}"


def find_outlived(backups: Iterable[Backup]) -> list[Backup]:
    """Return those that are not kept.

    Of the clock's 24 hours, 7 days and 8 weeks stay, of those before a change the newest five.

    Hours, days and weeks are counted where there is a backup in them, not back from now: so a
    clock that jumps ahead lets none go early, and one that jumps back loses none that are made
    from then on. What somebody asked for stays until they delete it.
    """
    ordered = sorted(backups, key=lambda backup: -backup.number)
    by_clock = [backup for backup in ordered if backup.kind == "clock"]
    kept = {backup.number for backup in ordered if backup.kind in ("hand", "rescue")}
    for most, period in PERIODS:
        kept |= _newest_of_each(by_clock, period, most)
    for kind in ("upgrade", "restore"):
        kept |= {backup.number for backup in [one for one in ordered if one.kind == kind][:OTHERS]}
    return [backup for backup in ordered if backup.number not in kept]


def drop_outlived(data: Path, kinds: Iterable[Kind] = get_args(Kind)) -> None:
    """Delete the backups of some kinds that are not kept any more."""
    for backup in find_outlived(list_backups(data)):
        if backup.kind in kinds:
            backup.path.unlink(missing_ok=True)
            backup_digests.drop_if_alone(backup.path)


def find_trouble(path: Path) -> str | None:
    """Say what is wrong with a backup as far as its head and its size tell; None for nothing.

    The file must not be a database in use.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEADER)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if head.startswith(AGE_MAGIC):
        return None
    if len(head) < HEADER or not head.startswith(SQLITE_MAGIC):
        return "it is not a database" if head else "it is empty"
    # SQLite's header: the size of a page, where 1 means 65,536, and the number of pages
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    whole = (65_536 if page == 1 else page) * pages
    return f"it is cut off: {size} of {whole} bytes are there" if size < whole else None


def find_damage(path: Path) -> str | None:
    """Say what is wrong with a backup, of which every byte is read where a digest lies beside
    it; None for nothing.
    """
    return find_trouble(path) or backup_digests.find_mismatch(path)


def is_sealed(path: Path) -> bool:
    """Return whether a file is encrypted, by what it begins with."""
    try:
        with path.open("rb") as file:
            return file.read(len(AGE_MAGIC)) == AGE_MAGIC
    except OSError:
        return False


def require_room(place: Path, size: int) -> None:
    """Raise NoRoom unless a copy of so many bytes fits and leaves the server room to write."""
    free, rest = shutil.disk_usage(place).free, bytes_to_leave_free(place)
    if free < size + rest:
        raise NoRoom(
            f"{place} has {size_text(free)} free, and a copy takes {size_text(size)} and "
            f"{size_text(rest)} to spare; make room first."
        )


def is_short_of_room(place: Path) -> bool:
    """Return whether so little room is left that a copy should be given up.

    While it reads, the server cannot fold its log, which goes on growing.
    """
    return shutil.disk_usage(place).free < bytes_to_leave_free(place) // 2


@contextlib.contextmanager
def write_whole_file(target: Path) -> Iterator[Path]:
    """Give a name beside `target` to write to.

    What is there at the end of the block is synced and renamed, and gone when it raises.
    """
    part = target.with_name(f".{target.name}{PART}")
    delete_part(part)
    try:
        yield part
        finish_file(part, target)
    except OSError as error:
        failed = NoRoom if is_disk_full(error) else BackupFailed
        raise failed(f"{target} cannot be written: {error.strerror or error}.") from None
    finally:
        delete_part(part)


@contextlib.contextmanager
def write_backup(target: Path) -> Iterator[Path]:
    """Do what `made_whole` does for a backup, which has its digest beside it."""
    try:
        with write_whole_file(target) as part:
            yield part
            backup_digests.write_digest(part, target)
    except BaseException:
        backup_digests.drop_if_alone(target)
        raise


def finish_file(part: Path, target: Path) -> None:
    """Sync a finished file, make it its owner's alone, give it its name, and sync the folder."""
    part.chmod(0o600)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(target)
    sync_folder(target.parent)


def copy_blocks(source: Path, target: Path, tell: Callable[[int], None] | None = None) -> None:
    """Copy a file that no database connection has open, block by block; `tell` hears how many
    bytes of it are there.
    """
    with (
        source.open("rb") as reading,
        os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as writing,
    ):
        while block := reading.read(BLOCK):
            writing.write(block)
            if tell is not None:
                tell(writing.tell())


def delete_part(part: Path) -> None:
    """Delete a file that was not finished, with what SQLite may have left beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            part.with_name(part.name + suffix).unlink(missing_ok=True)


def delete_parts_of(target: Path) -> None:
    """Delete what a process that was ended while it made `target` has left of it."""
    for part in target.parent.glob(f".*{glob.escape(target.stem)}*{PART}*"):
        delete_part(part)
    backup_digests.drop_if_alone(target)


def delete_leftovers(place: Path) -> None:
    """Delete what an earlier process that was killed left half made, and digests of backups that
    are not there any more.
    """
    for part in place.glob(f".*{PART}*"):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            delete_part(part)
    for digest in place.glob(f"*{backup_digests.SUFFIX}"):
        if _parse_name(place, digest.stem) is not None:
            backup_digests.drop_if_alone(place / digest.stem)


def _parse_name(place: Path, name: str) -> Backup | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        made_at = datetime.strptime(found[2], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return Backup(place / name, int(found[1]), made_at, cast(Kind, found[3]))


def _newest_of_each(
    backups: Iterable[Backup], period: Callable[[datetime], object], most: int
) -> set[int]:
    """Give the numbers of the newest backup of each of the last `most` periods that have one."""
    newest: dict[object, int] = {}
    for backup in backups:
        newest.setdefault(period(backup.made_at), backup.number)
        if len(newest) == most:
            break
    return set(newest.values())
