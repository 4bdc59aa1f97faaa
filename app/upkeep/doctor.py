"""The part of `hearth doctor` that needs the database: looking through it by a process of its own, and mending what can be made anew."""

from typing import Literal

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.shapes import Record
from app.core.tx import Tx, stamp
from app.upkeep.findings import Finding
from app.upkeep.tasks import WORKER, worked
from app.workspace import counters, folder_rows, grams, note_rows, todo_lists, words

Repair = Literal["counters", "words", "trigrams"]


class Examined(Record):
    findings: list[Finding]


@operation("COMMAND", category="upkeep")
async def examine_database(app: App, me: Caller) -> Examined:
    """Look through the whole database for what is not as it should be, while it is in use."""
    app.store.require_file()
    found = await worked(WORKER, {"task": "examine", "source": str(app.store.path), "now": stamp(app.clock())})
    return msgspec.convert(found, Examined)


@operation("COMMAND", category="upkeep")
def mend(tx: Tx, me: Caller, *, repairs: list[Repair]) -> Record:
    """Count anew, and let indexes be made anew from what they are made of."""
    if "counters" in repairs:
        for recount in (counters.recount, folder_rows.recount, note_rows.recount, todo_lists.recount):
            recount(tx)
    if "words" in repairs:
        words.begin_anew(tx)
    if "trigrams" in repairs:
        grams.rebuild(tx)
    return Record()
