"""The clock of the background work."""

import logging
import sys
import types

import pytest

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Catalog, operation
from app.core.schema import Record
from app.interfaces.schedule import Schedule
from tests.conftest import Served

pytestmark = pytest.mark.anyio
ran: list[str] = []


@operation("COMMAND", category="workspace", every=1)
async def fails(app: App, me: Caller) -> Record:
    """Fail each time."""
    ran.append("fails")
    raise ValueError("spilled")


@operation("COMMAND", category="workspace", every=1)
def works(tx: Tx, me: Caller) -> Record:
    """Work each time."""
    ran.append("works")
    return Record()


@operation("COMMAND", category="workspace")
def waits(tx: Tx, me: Caller) -> Record:
    """Wait until somebody asks."""
    ran.append("waits")
    return Record()


async def test_the_clock_runs_what_declares_it_and_goes_on_after_a_failure(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(served.parts, "catalog", Catalog([sys.modules[__name__]]))
    ran.clear()
    schedule = Schedule(served.parts)
    with caplog.at_level(logging.ERROR, "hearth"):
        for job in (fails, works, fails, works):
            await schedule.run(job)
    assert ran == ["fails", "works"] * 2
    assert [record.getMessage() for record in caplog.records] == [
        "the background job fails failed"
    ] * 2


async def test_nothing_runs_while_the_database_cannot_be_written(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.parts, "catalog", Catalog([sys.modules[__name__]]))
    monkeypatch.setattr(served.parts.store.health, "state", "damaged")
    ran.clear()
    await Schedule(served.parts).run(works)
    assert ran == []


def test_an_operation_with_fields_cannot_be_run_by_the_clock() -> None:
    @operation("COMMAND", category="workspace", every=1)
    def asks(tx: Tx, me: Caller, *, name: str) -> Record:
        """Ask for a name."""
        return Record()

    module = types.ModuleType(asks.function.__module__)
    module.asks = asks  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="asks has `every`, so it must be a COMMAND"):
        Catalog([module])
