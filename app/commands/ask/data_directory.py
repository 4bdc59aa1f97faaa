"""The first steps in a data directory: finding its database, owning it, bringing it up to date."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from app.commands.ask import locate_data
from app.commands.ask.locate_data import data_directory
from app.commands.terminal.command_group import Refused
from app.core.database import data_dir, disk_kind, integrity
from app.core.database.small_files import file_size
from app.migrations import migrate
from app.settings import Settings

T = TypeVar("T")
PATIENCE_SECONDS = 3.0
PAUSE_SECONDS = 0.05


def models_directory(settings: Settings, data: Path) -> Path:
    """Return the directory of models.

    In a checkout every data directory without a model of its own may use the checkout's.
    """
    from app.embedding.choose_embedder import models_directory
    from app.embedding.known_models import installed_models

    own, shared = models_directory(settings, data), locate_data.CHECKOUT / "data" / data_dir.MODELS
    use_shared = (
        settings.models is None
        and locate_data.in_checkout()
        and not installed_models(own)
        and bool(installed_models(shared))
    )
    return shared if use_shared else own


def existing_directory(settings: Settings) -> Path:
    """Return the data directory; refuse when there is no database in it."""
    path = data_directory(settings)
    if not (path / data_dir.DATABASE).exists():
        raise Refused(
            _lost(path)
            or f"There is no database in {path}. Start with `hearth serve`, or make one with "
            "`hearth init`, or name another directory with --data."
        )
    return path


def _lost(path: Path) -> str | None:
    """Say what tells that a database was here and how to get it back, where none is now."""
    database = path / data_dir.DATABASE
    if not path.is_dir() or file_size(database):
        return None
    from app.upkeep.backups import backup_files  # most starts have a database

    backups = backup_files.list_backups(path)
    newest = backup_files.newest_good(path)
    anew = "To start with an empty database instead, run `hearth serve --new-database`."
    if newest is not None:
        made = next(one.made_at for one in backups if one.path == newest)
        return (
            f"The database {database} is missing, but there are backups of it, the newest intact "
            f"one from {made:%Y-%m-%d %H:%M} UTC. Nothing was changed.\n"
            f"To restore it, run `hearth restore {newest} --data {path}`.\n{anew}"
        )
    if backups:
        return (
            f"The database {database} is missing, and no backup of it is intact. Nothing was "
            f"changed. `hearth backup --list` shows what is wrong with them.\n{anew}"
        )
    if integrity.was_left(database) or file_size(database.with_name(database.name + "-wal")):
        return (
            f"The database {database} is missing, and there is no backup of it. Nothing was "
            f"changed. If it was moved, put it back, with the files beside it.\n{anew}"
        )
    return None


def bring_up_to_date(settings: Settings) -> list[str]:
    """Make the database or bring it up to date, alone in its directory.

    Give the names of the steps that ran.
    """
    path = data_directory(settings)
    require_suitable_disk(settings, path)
    data_dir.prepare(path)
    with own_when_free(path) as ownership:
        return migrate_database(path, ownership)


def require_suitable_disk(settings: Settings, path: Path) -> None:
    """Raise DataDirError where no database should live, unless the settings allow it."""
    if not settings.allow_unsafe_place and (why := disk_kind.unsuitable_reason(path)):
        raise data_dir.DataDirError(why)


def migrate_database(
    path: Path, ownership: data_dir.Ownership, *, accept: bool = False, anew: bool = False
) -> list[str]:
    """Make the database, or look at it where its last owner gave a reason, and bring it up to date.

    Give the names of the steps that ran.

    Before a step changes it, it is backed up. Raises Damaged instead of writing to a damaged
    file; with `accept` what another program changed is no damage. Raises Refused instead of
    making one in the place of one that is gone, but not with `anew`.
    """
    if not anew and (why := _lost(path)) is not None:
        ownership.in_order = False
        raise Refused(why)
    found = integrity.check_before_use(
        path / data_dir.DATABASE, unclean=ownership.unclean, accept=accept
    )
    if found is not None and found.damaged:
        ownership.in_order = False
        raise data_dir.Damaged(damage_message(path, found))

    def begin(file: Path) -> None:
        _back_up_before(file)
        ownership.in_order = False  # a step that fails leaves what those before it have changed

    done = migrate(path / data_dir.DATABASE, before=begin)
    ownership.mark_sound()
    return done


def damage_message(path: Path, found: integrity.Check) -> str:
    """Return what is damaged, and what to do."""
    # only where it is needed: most starts have nothing to say here
    from app.core.database.health import damage_message
    from app.upkeep.backups.backup_files import newest_good

    return (
        f"{damage_message(newest_good(path))} Found in {path / data_dir.DATABASE}: "
        f"{'; '.join(found.findings[:3])}."
    )


def _back_up_before(file: Path) -> None:
    from app.core.database.tx import utc_now  # only when a step is due
    from app.upkeep.backups import backup_files, copy_database

    data = file.parent
    backup_files.delete_leftovers(backup_files.make_folder(data))
    try:
        copy_database.make_backup(file, backup_files.next_path(data, "upgrade", utc_now()))
    except backup_files.BackupFailed as error:
        raise Refused(
            "The database must be updated, but the backup before the update failed, so nothing "
            f"was changed. {error}"
        ) from None
    backup_files.drop_outlived(data)


def own_when_free(path: Path) -> contextlib.AbstractContextManager[data_dir.Ownership]:
    """Own the data directory while the block runs, after a command that is at work in it.

    Raise InUse at once when a server has it.
    """
    return _enter_when_free(path, data_dir.own_directory)


def visit_when_free(path: Path) -> contextlib.AbstractContextManager[bool]:
    """Keep others out of the data directory in the same way while the block only looks at it.

    Gives whether its last owner did not end in order.
    """
    return _enter_when_free(path, data_dir.visit_directory)


@contextlib.contextmanager
def _enter_when_free(
    path: Path, enter: Callable[[Path], contextlib.AbstractContextManager[T]]
) -> Iterator[T]:
    until = time.monotonic() + PATIENCE_SECONDS
    with contextlib.ExitStack() as stack:
        while True:
            try:
                entered = stack.enter_context(enter(path))
                break
            except data_dir.InUse as busy:
                door = data_dir.read_announcement(path)
                if time.monotonic() > until or (door is not None and door.pid == busy.pid):
                    raise
            time.sleep(PAUSE_SECONDS)
        yield entered
