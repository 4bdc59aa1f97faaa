"""Trying a model out while others go on: the test runs by itself, and is asked how far it is."""

import asyncio

from app.agent.models import models
from app.agent.models.models import Tested
from app.core.app import App
from app.core.caller import Caller
from app.core.operation import operation
from app.core.schema import Record
from app.errors import AppError

QUICK_SECONDS = 0.3
"""So long it is waited for a test, which then needs no sign that it runs."""


class ModelTest(Record):
    """What came of the last test of a model; nothing while it runs, or where there was none."""

    tested: Tested | None = None
    error: str | None = None


class ModelTests:
    """The last test of each model since the server began."""

    def __init__(self) -> None:
        self.running: dict[str, asyncio.Task[Tested]] = {}
        self.ended: dict[str, ModelTest] = {}


@operation("COMMAND")
async def begin_model_test(app: App, me: Caller, *, name: models.Name) -> ModelTest:
    """Begin to try a model out, unless it is being tried, and give what came of it if that came
    at once.
    """
    tests = app.part(ModelTests)
    if name not in tests.running:
        tests.ended.pop(name, None)
        task = app.tasks.start(models.test_model(app, me, name=name))
        tests.running[name] = task
        task.add_done_callback(lambda task: _note_end(tests, name, task))
    await asyncio.wait({tests.running[name]}, timeout=QUICK_SECONDS)
    return tests.ended.get(name, ModelTest())


@operation("COMMAND")
async def read_model_test(app: App, me: Caller, *, name: models.Name) -> ModelTest:
    """Give what came of the last test of a model."""
    return app.part(ModelTests).ended.get(name, ModelTest())


def _note_end(tests: ModelTests, name: str, task: asyncio.Task[Tested]) -> None:
    del tests.running[name]
    if task.cancelled():
        return
    match task.exception():
        case None:
            tests.ended[name] = ModelTest(tested=task.result())
        case AppError() as failure:
            tests.ended[name] = ModelTest(error=failure.message)
