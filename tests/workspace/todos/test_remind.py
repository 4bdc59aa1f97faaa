"""Telling people of todos at their time, without a page."""

import asyncio
import contextlib
import dataclasses
import logging
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core.process import reminder_command
from app.core.process.reminder_command import Reminder
from app.main import create_app
from app.settings import Command, Settings, SettingsError
from app.workspace.todos.remind import Reminders
from tests.conftest import Client, MovableClock, Served, open_settings

pytestmark = pytest.mark.anyio

TOLD = "told"
NOTES = """
import os, sys
told = [os.environ["HEARTH_REMIND_" + name] for name in ("USER", "DUE", "TITLE", "URL")]
open(sys.argv[1], "a").write("|".join(told) + "\\n")
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    command = [sys.executable, "-c", NOTES, str(tmp_path / TOLD)]
    return dataclasses.replace(open_settings(), remind=Command(shlex.join(command)))


async def look(served: Served) -> None:
    """Look for what has become due, and wait until all are told."""
    await served.command("tell_of_due_todos")
    await asyncio.gather(*served.parts.tasks._running)


def told(tmp_path: Path) -> list[str]:
    file = tmp_path / TOLD
    lines = sorted(file.read_text("utf-8").splitlines()) if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def titles(tmp_path: Path) -> list[str]:
    return [line.split("|")[2] for line in told(tmp_path)]


async def made(client: Client, title: str, due: str, **more: Any) -> int:
    body = {"title": title, "dueDate": due, **more}
    return int(
        (await client.ok("POST", "/os/todos", status=201, json=body))["result"]["todo"]["id"]
    )


async def test_each_todo_is_told_once_at_its_time_in_the_users_zone(
    served: Served, alice: Client, bob: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await alice.ok("PATCH", "/account/settings", json={"timezone": "Asia/Kolkata"})
    oven = await made(alice, "Oven", "2026-11-21T09:50:00Z")
    await made(bob, "Bread", "2026-11-21T09:50:30Z")
    await made(alice, "Call", "2026-11-21T11:00:00Z")
    assert served.parts.catalog.operations["tell_of_due_todos"].every == 60
    await look(served)
    clock.forward(minutes=19)
    await look(served)
    assert told(tmp_path) == []
    clock.forward(minutes=2)
    await look(served)
    assert told(tmp_path) == [
        f"alice|2026-11-21 15:20|Oven|http://127.0.0.1:8765/todos/{oven}",
        f"bob|2026-11-21 09:50|Bread|http://127.0.0.1:8765/todos/{oven + 1}",
    ]
    clock.forward(minutes=2)
    await look(served)
    assert told(tmp_path) == []
    await alice.ok("PATCH", f"/os/todos/{oven}", json={"dueDate": "2026-11-21T10:00:00Z"})
    clock.forward(minutes=10)
    await look(served)
    assert titles(tmp_path) == ["Oven"]


async def test_what_has_no_time_is_done_deleted_or_was_late_when_made_is_not_told(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await look(served)
    await made(alice, "Day", "2026-11-21")
    await made(alice, "Late", "2026-11-21T09:29:00Z")
    done = await made(alice, "Done", "2026-11-21T09:40:00Z")
    gone = await made(alice, "Gone", "2026-11-21T09:40:00Z")
    await alice.ok("POST", f"/os/todos/{done}/complete")
    await alice.ok("DELETE", f"/os/todos/{gone}")
    await made(alice, "Told", "2026-11-21T09:40:00Z")
    clock.forward(minutes=15)
    await look(served)
    clock.forward(hours=20)
    await look(served)
    assert titles(tmp_path) == ["Told"]


async def test_each_time_of_a_series_is_told(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    series = {"rule": "FREQ=DAILY", "from": "due"}
    pills = await made(alice, "Pills", "2026-11-21T10:00:00Z", recurrence=series)
    await look(served)
    clock.forward(minutes=40)
    await look(served)
    assert titles(tmp_path) == ["Pills"]
    await alice.ok("POST", f"/os/todos/{pills}/complete")
    clock.forward(days=1)
    await look(served)
    assert titles(tmp_path) == ["Pills"]


@contextlib.asynccontextmanager
async def started(settings: Settings, data: Path, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


async def test_a_start_tells_of_the_last_hour_and_of_nothing_twice(
    settings: Settings, data: Path, clock: MovableClock, tmp_path: Path
) -> None:
    async with started(settings, data, clock) as served:
        alice = await served.person("alice")
        for title, time in (("Before", "09:40"), ("Long ago", "10:10"), ("Lately", "11:00")):
            await made(alice, title, f"2026-11-21T{time}:00Z")
        clock.forward(minutes=11)
        await look(served)
        assert titles(tmp_path) == ["Before"]
    async with started(settings, data, clock) as served:
        await look(served)
        assert titles(tmp_path) == []
    clock.forward(hours=1, minutes=30)
    async with started(settings, data, clock) as served:
        await look(served)
        assert titles(tmp_path) == ["Lately"]
    (data / "reminded").write_text("damaged")
    clock.forward(hours=2)
    async with started(settings, data, clock) as served:
        await look(served)
        assert titles(tmp_path) == []


async def test_a_clock_that_was_put_back_silences_nobody_and_tells_nothing_twice(
    served: Served, alice: Client, clock: MovableClock, tmp_path: Path
) -> None:
    await made(alice, "First", "2026-11-21T09:40:00Z")
    await made(alice, "Second", "2026-11-21T10:05:00Z")
    clock.forward(minutes=30)
    await look(served)
    clock.forward(minutes=-25)
    await look(served)
    clock.forward(minutes=10)
    await look(served)
    assert titles(tmp_path) == ["First"]
    clock.forward(days=400)
    await look(served)
    clock.forward(days=-400)
    await look(served)
    clock.forward(minutes=30)
    await look(served)
    assert titles(tmp_path) == ["Second"]


async def test_why_the_command_fails_is_logged_once_for_each_cause_and_holds_up_nobody(
    served: Served, alice: Client, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    def runs(command: str) -> None:
        served.parts.settings = dataclasses.replace(served.parts.settings, remind=Command(command))

    with caplog.at_level(logging.WARNING):
        for command in ("false", "false", "/no/such/program", "sh -c 'echo busy >&2; exit 7'"):
            runs(command)
            for title in ("One", "Two"):
                await made(alice, title, f"{clock.now:%Y-%m-%dT%H:%M}:30Z")
            clock.forward(minutes=1)
            await look(served)
    assert [record.getMessage().partition(" todo: ")[2] for record in caplog.records] == [
        "it ended with exit code 1",
        "it cannot be started (No such file or directory)",
        "it ended with exit code 7: busy",
    ]
    runs("sleep 600")
    await made(alice, "Hangs", f"{clock.now:%Y-%m-%dT%H:%M}:30Z")
    clock.forward(minutes=1)
    await served.command("tell_of_due_todos")
    await served.command("tell_of_due_todos")
    assert (await alice.ok("GET", "/os/todos"))["result"]["total"] == 9
    for task in (hanging := [*served.parts.tasks._running]):
        task.cancel()
    await asyncio.wait(hanging)


async def test_on_the_desktop_only_one_who_is_alone_is_told_and_whose_pages_are_silent(
    served: Served, alice: Client, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    def desktop(reminder: Reminder) -> list[str]:
        shown.append(reminder.title)
        return ["true"]

    monkeypatch.setattr(reminder_command, "desktop_command", desktop)
    served.parts.settings = dataclasses.replace(served.parts.settings, remind=Command("auto"))
    user = served.parts.store.quick(lambda tx: tx.value("SELECT id FROM users"))

    async def minute(title: str) -> None:
        await made(alice, title, f"{clock.now:%Y-%m-%dT%H:%M}:30Z")
        clock.forward(minutes=1)
        await look(served)

    await minute("Alone")
    served.parts.part(Reminders).note_page(user)
    await minute("A page is open")
    await minute("It was a moment ago")
    await minute("It is closed")
    await served.person("carol")
    await minute("Two people")
    assert shown == ["Alone", "It is closed"]
    served.parts.settings = dataclasses.replace(served.parts.settings, remind=Command("off"))
    await minute("Off")
    assert shown == ["Alone", "It is closed"]


def test_the_setting_is_a_word_or_a_command() -> None:
    for text in ("auto", "off", "curl -d @- https://ntfy.example"):
        assert Settings.from_environment({"HEARTH_REMIND": text}).remind == text
    assert Settings.from_environment({}).remind == "auto"
    for text, why in (("sh -c 'oops", "cannot be split into words"), (" ", "auto, off or a comm")):
        with pytest.raises(SettingsError, match=why):
            Settings.from_environment({"HEARTH_REMIND": text})
