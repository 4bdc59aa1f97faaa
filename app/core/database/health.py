"""Whether the database takes writes, why not, and what its last check found."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from app.core.database.disk_reserve import FULL
from app.core.database.integrity import Check
from app.core.database.sqlite_setup import Sealed, classify_failure
from app.errors import StorageFull, Unavailable

Stop = Literal["failing", "damaged", "replaced"]
State = Literal["writable", "full", "read_only"] | Stop
READ_ONLY = "This server was started read-only. It changes nothing."
FAILING = (
    "The disk reported an error, so nothing was stored, and nothing will be until the server is "
    "restarted, which checks the database. Reading still works. Check the disk first."
)
REPLACED = (
    "The database file was deleted or replaced while the server was running, so nothing is "
    "written any more. {rescue}"
)
SAVING = "Its content is being saved as a backup."
DAMAGED = (
    "The database is damaged. Nothing more is written to it, and reading goes on as far as it "
    "can.{offer}"
)
OFFER = (
    " To restore the newest intact backup, run `hearth restore {backup}`. The damaged database "
    "is kept."
)
log = logging.getLogger("hearth")


class DatabaseHealth(msgspec.Struct, frozen=True, rename="camel"):
    """Whether the database takes writes (`state` says why not), and when it was last looked
    through, by what check and with how many findings.
    """

    writable: bool
    state: State
    message: str | None
    checked_at: str | None
    check: Literal["quick", "full"] | None
    findings: int


class Health:
    """What the store knows of its file.

    Once the disk has failed or damage was seen, only a new start writes again.
    """

    def __init__(self, *, sealed: Sealed = "") -> None:
        self.state: Literal["writable", "read_only"] | Stop = "read_only" if sealed else "writable"
        self.check: Check | None = None
        self.newest: Callable[[], Path | None] = lambda: None
        """Names the newest good backup."""
        self._rescue = SAVING

    @property
    def message(self) -> str:
        """Return why nothing is written; empty where writes are taken."""
        if self.state == "damaged":
            return damage_message(self.newest())
        if self.state == "replaced":
            return REPLACED.format(rescue=self._rescue)
        return {"writable": "", "read_only": READ_ONLY, "failing": FAILING}[self.state]

    def require(self) -> None:
        """Raise Unavailable when nothing may be written."""
        if self.state != "writable":
            raise Unavailable(self.message, database=self.state)

    def stop(self, state: Stop, why: object) -> None:
        """Take no write from now on, and say so in the log once."""
        is_first = self.state in ("writable", "read_only")
        # these two say more than what comes after them, and what to do
        if self.state not in ("damaged", "replaced"):
            self.state = state
        if is_first:
            log.critical("%s (%s)", self.message, why)

    def note_rescue(self, rescue: str) -> None:
        """Say what became of what a file held that was deleted or replaced."""
        self._rescue = rescue
        log.critical("%s", rescue)

    def report(self, *, full: bool) -> DatabaseHealth:
        """Return what the status shows; `full`: the disk has no room just now."""
        state: State = "full" if full and self.state == "writable" else self.state
        check = self.check
        at, kind, findings = (
            (check.at, check.kind, len(check.findings)) if check is not None else (None, None, 0)
        )
        return DatabaseHealth(state == "writable", state, self.message or None, at, kind, findings)


def damage_message(backup: Path | None) -> str:
    """Say that the database is damaged, and which backup there is."""
    return DAMAGED.format(offer="" if backup is None else OFFER.format(backup=backup))


def translate_database_error(error: BaseException, health: Health) -> BaseException:
    """Translate what SQLite says of a full or failing disk or a damaged file.

    Everything else stays what it is.
    """
    kind = classify_failure(error)
    if kind == "full":
        return StorageFull(FULL)
    if kind == "failing":
        return Unavailable(FAILING, database=kind)
    return Unavailable(health.message, database=kind) if kind == "damaged" else error
