"""A dry run: an operation runs with the same checks as a real call, and nothing is kept."""

import dataclasses
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from app.core.app import App
from app.core.database.events import Events
from app.core.database.store import Store
from app.core.database.tx import Tx
from app.core.process.background_tasks import Tasks
from app.core.process.caches import ByteCache

P = ParamSpec("P")
R = TypeVar("R")


class WriteUndone(Exception):
    """The operation reached its write, which succeeded and was undone; nothing after it runs."""


class DryRunStore(Store):
    """A store that shares everything with the real one, but undoes the first write and stops."""

    def __init__(self, real: Store) -> None:
        # The same writer thread and readers: a second store would need the file's lock, which is
        # taken.
        self.__dict__.update(real.__dict__)
        # Events of a write that is undone must reach nobody.
        self.events = Events()

    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run the write, undo it, and raise Written where it went through, else what it raised."""
        await super().write(_undone, lambda tx: function(tx, *args, **kwargs))
        raise WriteUndone


def dry_run_app(app: App) -> App:
    """Return the App in which an operation can be run without any trace.

    It has the same parts, but what is written or remembered is lost.
    """
    return dataclasses.replace(
        app, store=DryRunStore(app.store), events=Events(), memory=ByteCache(), tasks=Tasks()
    )


def _undone(tx: Tx, step: Callable[[Tx], Any]) -> None:
    # A savepoint in the writer's shared transaction, so real writes beside it commit as usual.
    with tx.always_undo():
        step(tx)
