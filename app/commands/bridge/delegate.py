"""`hearth bridge delegate`: send somebody's device a task and wait for its answer."""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click

from app.commands.bridge.client import Answered, Client, NotReached
from app.commands.bridge.context_files import read_context
from app.commands.bridge.home import Device, Home, home_option
from app.commands.bridge.journal import Entry, find_answer, read_journal
from app.commands.bridge.prompt import task_text
from app.commands.bridge.registration import begin_session, run
from app.commands.bridge.run_bridge import Bridge
from app.commands.bridge.run_program import plain_text
from app.commands.terminal.command_group import Misused, Refused
from app.commands.terminal.terminal_safe import strip_controls
from app.core import random_tokens

LOOK_SECONDS = 0.2
ASK_SECONDS = 5.0
LAST_WORDS_SECONDS = 3.0
MOST_TASK = 16_000
GRANT_MINUTES = 30
LOST = ("failed", "rejected", "expired", "revoked")
WAIT_AGAIN = "Wait for it again with `hearth bridge wait {}`."
NO_ROUTE = "no_default_route"
TOLD = {
    "delegated": "Sent to {who}.",
    "grant_requested": "Asked {who} to accept tasks from you; this one follows their yes.",
    "folder_access_requested": "Asked {who} for access to the folder; the task follows their yes.",
    "collaboration_requested": "{who} is no contact of yours yet, and was asked to become one.",
    NO_ROUTE: "No device of {who} can be reached. Sending the task as soon as one can.",
}
Work = Callable[[Device, Client], Coroutine[Any, Any, Entry | None]]
minutes_option = click.option(
    "--minutes",
    type=click.FloatRange(0, 60 * 24),
    default=30.0,
    show_default=True,
    help="How long to wait for the answer.",
)


@click.command()
@click.argument("person", metavar="@NAME")
@click.argument("task", required=False)
@click.option(
    "--context",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Text file to send along; repeatable.",
)
@click.option("--no-wait", is_flag=True, help="Send the task and print its id.")
@minutes_option
@home_option
def delegate(
    person: str,
    task: str | None,
    files: tuple[Path, ...],
    no_wait: bool,
    minutes: float,
    home: Home,
) -> None:
    """Send somebody's device a task, wait for the answer and print it.

    Without TASK, it is read from standard input. Only the answer goes to standard output.
    """
    words = task if task is not None else sys.stdin.read(MOST_TASK + 1)
    if not words.strip() or len(words) > MOST_TASK:
        raise Misused(f"The task needs 1 to {MOST_TASK:,} characters.")
    context = read_context(words, files)
    id_ = f"delegate:{random_tokens.new_uuid()}"

    async def work(device: Device, client: Client) -> Entry | None:
        who = await client.ask("GET", "local-agent/resolve-person", q=person)
        body = {
            "target": {"kind": "person_default_runtime", "principalId": who["principalId"]},
            "task": words,
            "sessionHandle": device.session_handle,
            "clientMessageId": id_,
            "correlationId": id_,
            "requestedTtlMinutes": GRANT_MINUTES,
            **({"context": context} if context else {}),
        }
        return await _Sending(home, client, body, f"@{who['handle']}").see_through(wait=not no_wait)

    try:
        answer = run(_at_work(home, minutes, work, listens=not no_wait))
    except click.Abort:
        click.echo(WAIT_AGAIN.format(id_), err=True)
        raise
    if no_wait:
        click.echo(id_)
    else:
        _show(answer, id_)


@click.command()
@click.argument("id_", metavar="ID")
@minutes_option
@home_option
def wait(id_: str, minutes: float, home: Home) -> None:
    """Wait for the answer to a task that was sent before, and print it."""

    async def work(_device: Device, _client: Client) -> Entry | None:
        return await _answer(home, id_)

    _show(run(_at_work(home, minutes, work, listens=True)), id_)


class _Sending:
    """One task on its way; the same request is sent again to learn how it stands."""

    def __init__(self, home: Home, client: Client, body: dict[str, Any], who: str) -> None:
        self._home = home
        self._client = client
        self._body = body
        self._who = who
        self._status = ""
        self._message_id = ""
        self._session = ""
        self._is_over = False

    async def see_through(self, *, wait: bool) -> Entry | None:
        """Return the answer; None where it shall not be waited for. Raise Refused."""
        if not wait:
            await self._send()
            return None
        await self._send_when_reachable()
        watching = asyncio.create_task(self._watch())
        waiting = asyncio.create_task(_answer(self._home, self._body["correlationId"]))
        try:
            await asyncio.wait((watching, waiting), return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                # what became of a message may be told before the answer that explains it
                await asyncio.wait((waiting,), timeout=LAST_WORDS_SECONDS)
            return waiting.result() if waiting.done() else watching.result()
        finally:
            self._is_over = True  # a request may be answered in spite of being cancelled
            watching.cancel()
            waiting.cancel()
            await asyncio.gather(watching, waiting, return_exceptions=True)

    async def _send_when_reachable(self) -> None:
        while True:
            try:
                await self._send()
            except Answered as refusal:
                if refusal.code != NO_ROUTE:
                    raise
                self._tell(NO_ROUTE)
                await asyncio.sleep(ASK_SECONDS)
            else:
                return

    async def _send(self) -> None:
        found = await self._client.ask("POST", "local-agent/delegations", self._body)
        self._message_id = found.get("messageId") or self._message_id
        self._session = found.get("communicationSessionId") or self._session
        self._tell(found["status"])

    def _tell(self, status: str) -> None:
        if status != self._status:
            self._status = status
            click.echo(TOLD.get(status, status).format(who=self._who), err=True)

    async def _watch(self) -> None:
        """Raise Refused when the task cannot be answered any more."""
        while not self._is_over:
            await asyncio.sleep(ASK_SECONDS)
            with contextlib.suppress(NotReached):
                if self._message_id:
                    found = await self._client.ask(
                        "GET", f"local-agent/messages/{self._message_id}"
                    )
                    self._check("The task", found["delivery"]["status"], LOST)
                    continue
                if self._session:
                    rows = await self._client.ask("GET", "local-agent/grants")
                    own = [one for one in rows if one["commSessionId"] == self._session]
                    status = own[0]["status"] if own else "active"
                    self._check("The request", status, ("declined", *LOST))
                await self._send()

    def _check(self, what: str, status: str, lost: tuple[str, ...]) -> None:
        if status in lost:
            raise Refused(f"{what} came to nothing: it was {status}.")


async def _at_work(home: Home, minutes: float, work: Work, *, listens: bool) -> Entry | None:
    """Do something while a bridge of this folder listens: the one that runs, or one for so long."""
    with home.owned_if_free() as is_free, contextlib.suppress(TimeoutError):
        async with asyncio.timeout(minutes * 60 if listens else None):
            if is_free and listens:
                return await _beside_a_bridge(home, work)
            device = home.device()
            async with Client(device.server, device.token) as client:
                if is_free or not device.session_handle:
                    device = await begin_session(home, device, client, None)
                return await work(device, client)
    return None


async def _beside_a_bridge(home: Home, work: Work) -> Entry | None:
    bridge = Bridge(home, None, None, lambda line: click.echo(strip_controls(line), err=True))
    is_ready = asyncio.Event()
    running = asyncio.create_task(bridge.run(is_ready.set))
    try:
        starting = asyncio.create_task(is_ready.wait())
        await asyncio.wait((running, starting), return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        if running.done():
            await running
        device = bridge.device
        async with Client(device.server, device.token) as client:
            working = asyncio.create_task(work(device, client))
            try:
                await asyncio.wait((running, working), return_when=asyncio.FIRST_COMPLETED)
                if not working.done():
                    await running  # it ended, with its reason
                return await working
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
    finally:
        bridge.stop()
        with contextlib.suppress(Refused, asyncio.CancelledError):
            await running


async def _answer(home: Home, id_: str) -> Entry:
    """Return the answer once the bridge has written it down."""
    # Another process may be the bridge that writes it, so the size of its file tells of news.
    seen = -1
    while True:
        size = home.journal.stat().st_size if home.journal.exists() else 0
        if size != seen:
            seen = size
            found = find_answer(read_journal(home.journal)[1].values(), id_)
            if found is not None:
                return found
        await asyncio.sleep(LOOK_SECONDS)


def _show(answer: Entry | None, id_: str) -> None:
    if answer is None:
        raise Refused(f"No answer has come yet. {WAIT_AGAIN.format(id_)}")
    payload = answer.envelope["payload"]
    click.echo(plain_text(task_text(payload)))
    if "failed" in (payload.get("outcome"), answer.turn.get("outcome")):
        raise SystemExit(1)
