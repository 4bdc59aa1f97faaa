"""What the server has done by processes of their own, done by the tests' own, for tests that are
about something else.

Each such process takes a tenth of a second or more. That there is one, and that it is ended when
it takes too long or its parent is gone, other tests hold.
"""

import asyncio
import importlib
import io
import os
import sqlite3
import sys
import types
from typing import Any

import msgspec
import pytest

from app.commands.prove_backup import prove_backup
from app.core.process import subprocess_reader
from app.errors import AppError
from app.migrations import NewerFile
from app.upkeep import worker
from tests.support import cheap_age

WORK = {
    "app.commands.prove_backup": prove_backup,
    worker.__name__: worker.run_worker_task,
    cheap_age.__name__: worker.run_worker_task,
}
EXPECTED = (AppError, NewerFile, OSError, sqlite3.DatabaseError)


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read what somebody sent within this process."""

    async def read_lines(
        module: str, *arguments: str, given: bytes, seconds: float
    ) -> tuple[list[Any], bool]:
        found: list[Any] = []
        reader = importlib.import_module(module)
        with monkeypatch.context() as patch:
            patch.setattr(subprocess_reader, "write_line", lambda line: found.append(sent(line)))
            patch.setattr(subprocess_reader, "limit_self", lambda _: None)
            patch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(given)))
            try:
                reader.main(*arguments)
            except SystemExit:
                return found, False
        return found, True

    monkeypatch.setattr(subprocess_reader, "read_lines", read_lines)


@pytest.fixture
def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy, measure and examine databases within this process."""

    def work(module: str, task: dict[str, Any]) -> dict[str, Any]:
        umask = os.umask(0o077)
        try:
            return WORK[module](sent(task))
        except EXPECTED as error:
            return {"error": str(error), "code": getattr(error, "code", "")}
        finally:
            os.umask(umask)

    async def run_reader(
        module: str, task: dict[str, Any], *, seconds: float, tell: object = None
    ) -> dict[str, Any]:
        return sent(await asyncio.to_thread(work, module, task))

    monkeypatch.setattr(subprocess_reader, "run_reader", run_reader)
    monkeypatch.setattr(subprocess_reader, "write_line", lambda line: None)


def sent(value: Any) -> Any:
    """Give what comes out of another process of it."""
    return msgspec.json.decode(msgspec.json.encode(value))
