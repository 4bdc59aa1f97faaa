"""Look through a database, which may be in use, for what is not as it should be; nothing is written."""

import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

from app.core.tx import Tx, snapshot, stamp
from app.migrations import NewerFile
from app.upkeep.checking import STEP_NAMES, demand_known, troubles
from app.upkeep.counts import miscounted
from app.upkeep.files import BackupFailed
from app.upkeep.findings import Finding, advice, well, wrong
from app.upkeep.opening import looking
from app.workspace import grams, word_checks

RESTORE = "Restore the newest good backup: `hearth backup --list` names it, `hearth restore FILE` puts it back and keeps what is there now."
WHOLE_BYTES = 16 << 20
"""Up to so many bytes of notes the indexes are compared with every word of them; beyond, with a part of the notes that is about as large."""
CLOCK_SLACK = timedelta(minutes=5)


def examine(path: Path, now: datetime, *, alone: bool = False) -> list[Finding]:
    """Give what there is to say of a database: its structure, references, version, counters, indexes and times.

    `alone`: nobody else can open it meanwhile.
    """
    try:
        with looking(path, alone=alone) as connection:
            return _examined(connection, path, now)
    except NewerFile as error:
        return [wrong("schema", str(error), "Install that version, or restore a backup that this one made.")]
    except BackupFailed as error:
        return [wrong("schema", error.message, "Name another data directory with --data.")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what SQLite says of a damaged file may be no text
        return [wrong("integrity", f"The database cannot be read: {error}.", RESTORE)]


def _examined(connection: sqlite3.Connection, path: Path, now: datetime) -> list[Finding]:
    if found := troubles(connection):
        return [wrong("integrity", trouble, RESTORE) for trouble in found]
    sound = well("integrity", "SQLite finds the database whole, and every reference has its row.")
    steps = demand_known(connection, path)
    if len(steps) < len(STEP_NAMES):
        late = f"{len(STEP_NAMES) - len(steps)} steps of the schema have not run yet."
        return [sound, advice("schema", late, "`hearth migrate` runs them, as the next start does; a backup is made before.")]
    with snapshot(connection):
        tx = Tx(connection, now)
        return [sound, well("schema", f"The schema is that of this Hearth ({STEP_NAMES[-1]})."), _counters(tx), *_indexes(tx), _clock(tx)]


def _counters(tx: Tx) -> Finding:
    if found := miscounted(tx):
        return wrong("counters", f"{len(found)} counters are wrong, the first: {found[0]}.", "`hearth doctor --fix` counts anew.", mends="counters")
    return well("counters", "Every counter is what is there to count.")


def _indexes(tx: Tx) -> list[Finding]:
    found = []
    step = max(1, (tx.value("SELECT sum(total_bytes) FROM workspaces") or 0) // WHOLE_BYTES)
    of = "the notes say" if step == 1 else f"one of {step} notes says"
    for name, index, look in (("words", "word index", _words), ("trigrams", "trigram index", _grams)):
        if trouble := look(tx, step):
            remedy = "`hearth doctor --fix` makes it anew in the background; until then a search goes through the notes."
            found.append(wrong(name, f"The {index} is not what {of}: {trouble}", remedy, mends=name))
        else:
            found.append(well(name, f"The {index} is what {of}."))
    return found


def _words(tx: Tx, step: int) -> str | None:
    try:
        return next(iter(word_checks.differences(tx)), None) if step == 1 else _missing(word_checks.unfound(tx, step))
    except sqlite3.DatabaseError as error:
        return f"it is damaged ({error})."


def _grams(tx: Tx, step: int) -> str | None:
    try:
        return _missing(grams.unfound(tx, step))
    except sqlite3.DatabaseError as error:
        return f"it is damaged ({error})."


def _missing(missing: list[int]) -> str | None:
    return f"{len(missing)} notes are not found by their own text, the first is {missing[0]}." if missing else None


def _clock(tx: Tx) -> Finding:
    """Compare the clock with the last change of a workspace: a clock that was set back shows there."""
    last = tx.value("SELECT max(changed_at) FROM workspaces")
    if last is not None and last > stamp(tx.moment + CLOCK_SLACK):
        return wrong("clock", f"The clock says {tx.now}, but something was changed at {last}.", "Set the clock of this machine.")
    return well("clock", f"The clock says {tx.now}.")
