"""The part of `hearth doctor` that needs the database.

Looking through it by a process of its own, and mending what can be made anew.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import operation
from app.core.schema import Record
from app.upkeep.doctor import impossible_times, schema_check, structure
from app.upkeep.doctor.findings import Finding
from app.upkeep.worker_tasks import WORKER, run_in_process
from app.workspace.folders import folder_rows, workspace_counters
from app.workspace.index import link_rows, name_index, note_tags, trigram_index, word_index
from app.workspace.notes import note_rows
from app.workspace.search.vectors import note_vectors
from app.workspace.todos import todo_counts, todo_rows

Repair = Literal[
    "schema",
    "indexes",
    "folders",
    "keys",
    "numbers",
    "measures",
    "counters",
    "tags",
    "links",
    "names",
    "todos",
    "vectors",
    "times",
    "words",
    "trigrams",
]
"""In the order in which they are made."""


class Examined(Record):
    findings: list[Finding]


@operation("COMMAND")
async def examine_database(app: App, me: Caller) -> Examined:
    """Look through the whole database for what is not as it should be, while it is in use."""
    app.store.require_file()
    found = await run_in_process(
        WORKER, {"task": "examine", "source": str(app.store.path), "now": stamp(app.clock())}
    )
    return msgspec.convert(found, Examined)


@operation("COMMAND")
def mend(tx: Tx, me: Caller, *, repairs: list[Repair]) -> Record:
    """Make anew what is made from other rows, and mend what can be mended without a guess."""
    for name, parts in _REPAIRS.items():
        if name in repairs:
            for part in parts:
                part(tx)
    return Record()


def _reindex(tx: Tx) -> None:
    tx.run("REINDEX")


_REPAIRS: dict[Repair, tuple[Callable[[Tx], None], ...]] = {
    "schema": (schema_check.rebuild_parts,),
    "indexes": (_reindex,),
    "folders": (folder_rows.break_cycles,),
    "keys": (folder_rows.refold_names,),
    "numbers": (structure.raise_sequences,),
    "measures": (note_rows.remeasure_all,),
    "counters": (
        workspace_counters.recount,
        folder_rows.recount_notes,
        note_rows.recount_snapshots,
        todo_counts.recount,
    ),
    "tags": (note_tags.rebuild,),
    "links": (link_rows.rebuild,),
    "names": (name_index.rebuild,),
    "todos": (todo_rows.rebuild,),
    "vectors": (note_vectors.TABLE.drop_unsound,),
    "times": (impossible_times.set_back_all,),
    "words": (word_index.clear,),
    "trigrams": (trigram_index.rebuild,),
}
