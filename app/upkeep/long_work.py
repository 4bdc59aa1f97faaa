"""What long work goes on, for pages and commands that show how far it is."""

from app.core.app import App
from app.core.caller import Caller
from app.core.fit_types import copy_fields
from app.core.operation import operation
from app.core.schema import Record


class LongWork(Record):
    """A piece of work; `total` is null where nobody knows how much its step takes."""

    kind: str
    name: str
    since: str
    step: str
    done: int
    total: int | None


class LongWorks(Record):
    works: list[LongWork]


@operation("COMMAND")
async def list_running_work(app: App, me: Caller) -> LongWorks:
    """List the backups, proofs and tests of models that run, and how far each is."""
    return LongWorks([copy_fields(LongWork, work) for work in app.works.list()])
