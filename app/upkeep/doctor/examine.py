"""Look through a database, which may be in use, for what is not as it should be.

Nothing is written.
"""

import re
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from app.core.database import integrity
from app.core.database.tx import Tx, read_snapshot
from app.core.process.counted import counted
from app.migrations import NewerFile
from app.upkeep.backups.backup_files import BackupFailed
from app.upkeep.backups.check_file import STEP_NAMES, find_troubles, require_known_steps
from app.upkeep.doctor import derived_rows, impossible_times, schema_check, structure
from app.upkeep.doctor.counters import find_miscounted
from app.upkeep.doctor.findings import Finding, advice, ok, wrong
from app.upkeep.open_read_only import open_read_only
from app.workspace.index import trigram_index, word_index_check

RESTORE = (
    "Restore the newest intact backup: find it with `hearth backup --list` and run `hearth "
    "restore FILE`. The current database is kept."
)
WHOLE_BYTES = 16 << 20
"""Up to so many bytes of notes the indexes are compared with every word of them.

Beyond, with a part of the notes that is about as large.
"""
_OF_AN_INDEX = re.compile(
    r"row \d+ missing from index \S+|wrong # of entries in index \S+|non-unique entry in index \S+"
)


def examine_database(path: Path, now: datetime, *, alone: bool = False) -> list[Finding]:
    """Return what there is to say of a database.

    Its structure, references, version, counters, indexes and times.

    `alone`: nobody else can open it meanwhile.
    """
    try:
        with open_read_only(path, alone=alone) as connection:
            return _examine_connection(connection, path, now)
    except NewerFile as error:
        return [
            wrong(
                "schema", str(error), "Install that version, or restore a backup made by this one."
            )
        ]
    except BackupFailed as error:
        return [wrong("schema", error.message, "Name another data directory with --data.")]
    except (
        sqlite3.DatabaseError,
        UnicodeDecodeError,
    ) as error:  # what SQLite says of a damaged file may be no text
        return [wrong("integrity", f"The database cannot be read: {error}.", RESTORE)]


def _examine_connection(connection: sqlite3.Connection, path: Path, now: datetime) -> list[Finding]:
    if found := find_troubles(connection):
        return _integrity_findings(found)
    sound = ok("integrity", "The database file is intact, and all references are valid.")
    steps = require_known_steps(connection, path)
    if len(steps) < len(STEP_NAMES) and not schema_check.find_differences(connection):
        return [
            sound,
            wrong(
                "schema", "The schema is complete, but the list of its migrations is not.", RESTORE
            ),
        ]
    if len(steps) < len(STEP_NAMES):
        late = (
            counted(len(STEP_NAMES) - len(steps), "migration has", "migrations have")
            + " not run yet."
        )
        return [
            sound,
            advice(
                "schema", late, "Run `hearth migrate`, or start the server. A backup is made first."
            ),
        ]
    with read_snapshot(connection):
        tx = Tx(connection, now)
        if other := schema_check.find_differences(connection):
            return [sound, *_schema_findings(other)]
        looked = [sound, ok("schema", f"The schema is up to date ({STEP_NAMES[-1]}).")]
        # told alone: the looks below would fail on the same rows
        if unreadable := [
            *_first_finding("texts", structure.check_texts(tx)),
            *_first_finding("records", structure.check_records(tx)),
            *_first_finding("records", integrity.broken_constraints(connection)),
        ]:
            return [*looked, *unreadable]
        return [
            *looked,
            _counters_finding(tx),
            *_index_findings(tx),
            *_derived_findings(tx),
            *_structure_findings(tx),
            *_time_findings(tx),
        ]


def _integrity_findings(found: list[str]) -> list[Finding]:
    """Return what SQLite found; where only indexes are not what their tables say, they can be made
    anew.
    """
    only_indexes = all(_OF_AN_INDEX.fullmatch(trouble) for trouble in found)
    remedy = (
        "Run `hearth doctor --fix` to rebuild the indexes. If that does not help: "
        if only_indexes
        else ""
    )
    return [
        wrong("integrity", trouble, remedy + RESTORE, mends="indexes" if only_indexes else None)
        for trouble in found
    ]


def _schema_findings(differences: list[schema_check.Difference]) -> list[Finding]:
    """Return what is missing in the schema; what the rows say is looked at once it is whole."""
    remedy = "Run `hearth doctor --fix` to rebuild it."
    found = []
    for difference in differences:
        said = difference.said[0].upper() + difference.said[1:] + "."
        found += [wrong("schema", said, remedy, mends=repair) for repair in difference.mends] or [
            wrong("schema", said, RESTORE)
        ]
    return found


def _first_finding(check: str, found: Iterator[str], *, mends: str | None = None) -> list[Finding]:
    """Return a finding of the first trouble, with the number of all; none where there is none."""
    troubles = list(found)
    if not troubles:
        return []
    more = f" and {len(troubles) - 1} more" if len(troubles) > 1 else ""
    remedy = "Run `hearth doctor --fix` to repair it." if mends else RESTORE
    return [wrong(check, f"{troubles[0][0].upper()}{troubles[0][1:]}{more}.", remedy, mends=mends)]


def _derived_findings(tx: Tx) -> list[Finding]:
    found = []
    for name, (called, check) in derived_rows.CHECKS.items():
        try:
            found += _first_finding(name, check(tx), mends=name)
        except sqlite3.DatabaseError as error:
            found.append(
                wrong(
                    name,
                    f"The {called} cannot be read: {error}.",
                    "Run `hearth doctor --fix` to rebuild it.",
                    mends=name,
                )
            )
    found += _first_finding("vectors", derived_rows.check_vectors(tx), mends="vectors")
    return found or [ok("derived", "Tags, links, names, words and sizes match the texts.")]


def _structure_findings(tx: Tx) -> list[Finding]:
    found = [
        *_first_finding("folders", structure.check_cycles(tx), mends="folders"),
        *_first_finding("numbers", structure.check_sequences(tx), mends="numbers"),
        *_first_finding("places", structure.check_places(tx)),
        *_first_finding("trash", structure.check_trash(tx)),
        *_first_finding("attachments", structure.check_attachments(tx)),
        *_first_finding("raw memory", structure.check_raw_records(tx)),
    ]
    return found or [
        ok("structure", "Everything is where it belongs, and no ID can be used twice.")
    ]


def _counters_finding(tx: Tx) -> Finding:
    if found := find_miscounted(tx):
        return wrong(
            "counters",
            f"{counted(len(found), 'counter is', 'counters are')} wrong. The first: {found[0]}.",
            "Run `hearth doctor --fix` to count again.",
            mends="counters",
        )
    return ok("counters", "All counters are correct.")


def _index_findings(tx: Tx) -> list[Finding]:
    found = []
    step = max(1, (tx.value("SELECT sum(total_bytes) FROM workspaces") or 0) // WHOLE_BYTES)
    of = "the notes" if step == 1 else f"the notes (1 in {step} checked)"
    for name, index, look in (
        ("words", "word index", _check_words),
        ("trigrams", "trigram index", _check_trigrams),
    ):
        if trouble := look(tx, step):
            remedy = (
                "Run `hearth doctor --fix` to rebuild it in the background. Search works "
                "meanwhile, but slower."
            )
            found.append(
                wrong(name, f"The {index} does not match {of}: {trouble}", remedy, mends=name)
            )
        else:
            found.append(ok(name, f"The {index} matches {of}."))
    return found


def _check_words(tx: Tx, step: int) -> str | None:
    try:
        return (
            next(iter(word_index_check.find_differences(tx)), None)
            if step == 1
            else _missing_message(word_index_check.find_unindexed(tx, step))
        )
    except sqlite3.DatabaseError as error:
        return f"it is damaged ({error})."


def _check_trigrams(tx: Tx, step: int) -> str | None:
    try:
        return _missing_message(trigram_index.find_unindexed(tx, step))
    except sqlite3.DatabaseError as error:
        return f"it is damaged ({error})."


def _missing_message(missing: list[int]) -> str | None:
    return (
        f"{counted(len(missing), 'note')} cannot be found by the words of the note. The first is "
        f"note {missing[0]}."
        if missing
        else None
    )


def _time_findings(tx: Tx) -> list[Finding]:
    """Look for moments that are none, and for those to come.

    A clock that jumped ahead and came back leaves them, and one that is wrong now.
    """
    found = _first_finding("times", impossible_times.find_impossible(tx), mends="times")
    if not (to_come := impossible_times.find_future(tx)):
        return [*found, ok("clock", f"The clock shows {tx.now}.")]
    table, column, row, moment = max(to_come, key=lambda one: one[3])
    notes = sorted({one[2] for one in to_come if one[0] == "notes"})
    named = (
        f", including notes {', '.join(map(str, notes[:5]))}{' …' if len(notes) > 5 else ''}"
        if notes
        else ""
    )
    said = (
        f"The clock shows {tx.now}, but {counted(len(to_come), 'time')} in the database lie in "
        f"the future{named}. The latest is {moment} ({table}.{column}, row {row})."
    )
    if 2 * len(notes) > (
        tx.value("SELECT count(*) FROM notes") or 0
    ) and not impossible_times.is_explained(tx):
        return [
            *found,
            wrong(
                "clock",
                said,
                "Set the clock of this machine: more than half of the notes are newer than it.",
            ),
        ]
    remedy = (
        "If the clock is right, run `hearth doctor --fix` to set them back to when they "
        "were stored. If not, set the clock."
    )
    return [*found, wrong("clock", said, remedy, mends="times")]
