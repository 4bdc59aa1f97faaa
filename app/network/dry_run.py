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


class Written(Exception):
    """The operation has come to its write, which went through and was undone.

    What would come after it is not run.
    """


class RehearsedStore(Store):
    """The store of a rehearsal, which shares all with the real one.

    The first write is undone and ends the rehearsal.
    """

    def __init__(self, real: Store) -> None:
        self.__dict__.update(real.__dict__)
        self.events = Events()

    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run the write, undo it, and raise Written where it went through, else what it raised."""
        await super().write(_undone, lambda tx: function(tx, *args, **kwargs))
        raise Written


def rehearsing(app: App) -> App:
    """Return the App in which an operation can be run without any trace.

    It has the same parts, but what is written or remembered is lost.
    """
    return dataclasses.replace(
        app, store=RehearsedStore(app.store), events=Events(), memory=ByteCache(), tasks=Tasks()
    )


def _undone(tx: Tx, step: Callable[[Tx], Any]) -> None:
    with tx.always_undo():
        step(tx)
