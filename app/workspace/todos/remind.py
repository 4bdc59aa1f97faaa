"""Telling people of todos at their time while no page is open: the command of HEARTH_REMIND."""

import contextlib
import logging
import shlex
import sqlite3
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.account import users
from app.core.app import App
from app.core.caller import Caller
from app.core.database.data_dir import REMINDED
from app.core.database.small_files import replace_file
from app.core.database.tx import Tx, stamp
from app.core.operation import MINUTE, operation
from app.core.process import reminder_command
from app.core.process.background_tasks import FewAtOnce
from app.core.process.reminder_command import Failed, Reminder
from app.core.schema import Record
from app.workspace.todos import due

AT_ONCE = 4
LONGEST_AGO = timedelta(hours=1)
"""What became due longer ago, while the server was away, is no news any more."""
PAGE_RINGS = timedelta(minutes=2)
"""So long after it has asked a page is taken to ring."""
MOST = 100
log = logging.getLogger(__name__)


class Reminders:
    """Up to which moment people were told, and whose pages ring by themselves.

    That moment stands in a file, since a row of the database would be a change each time, for which
    pages look anew and a backup is made.
    """

    def __init__(self, app: App) -> None:
        self._clock = app.clock
        self._file = app.store.path.parent / REMINDED
        self._told_until: datetime | None = None
        self._pages: dict[int, datetime] = {}
        self._logged: set[str] = set()
        self.work = FewAtOnce(app.tasks, AT_ONCE)

    def told_until(self, now: datetime) -> datetime:
        """Return the moment up to which all were told; never one that is an hour ago."""
        if self._told_until is None:
            self._told_until = self._read()
        earliest, last = now - LONGEST_AGO, self._told_until
        if last is None or last < earliest:
            return earliest
        # a clock that was put back would otherwise silence everybody until it has caught up
        return now if last > now + LONGEST_AGO else last

    def tell_until(self, now: datetime, *, keep: bool) -> None:
        """Take down that all are told up to now; `keep`: the next start must know it."""
        self._told_until = max(now, self.told_until(now))
        if keep:
            # on a full disk it is known as long as the program runs
            with contextlib.suppress(OSError):
                replace_file(self._file, stamp(self._told_until).encode())

    def note_page(self, user: int) -> None:
        """Note that a page of a user has asked what to ring for."""
        self._pages[user] = self._clock()

    def has_page(self, user: int) -> bool:
        """Return whether a page of a user rings."""
        asked = self._pages.get(user)
        return asked is not None and abs(self._clock() - asked) <= PAGE_RINGS

    def log_once(self, failure: Failed) -> None:
        """Log why the command failed, once for each cause."""
        if failure.cause not in self._logged:
            self._logged.add(failure.cause)
            log.warning("The command of HEARTH_REMIND told nobody of a todo: %s", failure)

    def _read(self) -> datetime | None:
        try:
            found = datetime.fromisoformat(self._file.read_text("ascii").strip())
        except (OSError, ValueError):
            return None
        return found if found.tzinfo else None


class Due(NamedTuple):
    """A todo that has become due: whose it is, whether they use this server alone, and what is
    told of it.
    """

    todo: int
    user: int
    is_alone: bool
    reminder: Reminder


@operation("COMMAND", every=MINUTE)
async def tell_of_due_todos(app: App, me: Caller) -> Record:
    """Run the command of HEARTH_REMIND for each todo that has become due since the last look,
    without waiting for its end.
    """
    if app.settings.remind == "off":
        return Record()
    reminders, now = app.part(Reminders), app.clock()
    found = await app.read(_became_due, reminders.told_until(now), now)
    # before anybody is told: after a crash it is better to say nothing than to say it twice
    reminders.tell_until(now, keep=bool(found))
    for one in found:
        if (command := _command_for(app, one)) is not None:
            reminders.work.start(one.todo, partial(_tell, reminders, command, one.reminder))
    return Record()


async def _tell(reminders: Reminders, command: list[str], reminder: Reminder) -> None:
    try:
        await reminder_command.run_command(command, reminder)
    except Failed as failure:
        reminders.log_once(failure)


def _command_for(app: App, one: Due) -> list[str] | None:
    """Return the words of the command to run; None where nobody is to be told."""
    if app.settings.remind != "auto":
        return shlex.split(app.settings.remind)
    # the screen of this machine is that of whoever uses the server alone
    if not one.is_alone or app.part(Reminders).has_page(one.user):
        return None
    return reminder_command.desktop_command(one.reminder)


def _became_due(tx: Tx, since: datetime, now: datetime) -> list[Due]:
    # what was late already when it was made is not told, nor more than anybody would read; CROSS
    # JOIN: user by user, each by the index, and not all todos that there are
    rows = tx.all(
        """SELECT t.id, t.title, t.due_date, u.id AS user, u.username FROM users u
           CROSS JOIN todos t ON t.owner_id = u.id AND t.completed = 0 AND t.trash_id IS NULL
             AND t.deadline > :since AND t.deadline <= :now
           WHERE length(t.due_date) > 10 AND t.created_at < t.due_date
           ORDER BY t.deadline, t.id LIMIT :most""",
        since=stamp(since),
        now=stamp(now),
        most=MOST,
    )
    return [
        Due(
            row["id"],
            row["user"],
            not users.any_other_user(tx, row["user"]),
            _reminder_of(tx, row, now),
        )
        for row in rows
    ]


def _reminder_of(tx: Tx, row: sqlite3.Row, now: datetime) -> Reminder:
    zone = ZoneInfo(users.settings_of(tx, row["user"]).timezone)
    local = due.local_moment(row["due_date"], zone)
    day_and_time, clock = f"{local:%Y-%m-%d %H:%M}", f"{local:%H:%M}"
    is_today = local.date() == now.astimezone(zone).date()
    return Reminder(
        title=row["title"],
        due=day_and_time,
        told=clock if is_today else day_and_time,
        user=row["username"],
        url=f"{tx.settings.origin}/todos/{row['id']}",
    )
