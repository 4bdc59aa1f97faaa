"""Two people's bridges at one server: from pairing to an answer, and what stands against it."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from app.commands.bridge import client, delegate, deliveries, registration, run_bridge
from app.commands.bridge.home import Home
from app.commands.bridge.registration import fresh_device, pair_by_code, pair_by_key
from app.commands.bridge.run_bridge import Bridge
from app.commands.bridge.run_program import Program
from app.commands.bridge.runtimes import Command, Echo
from tests.commands.bridge.conftest import until
from tests.commands.bridge.test_run_program import is_running
from tests.conftest import ORIGIN, Served
from tests.conftest import Client as Person
from tests.runtime.devices import Stream

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.name != "posix", reason="the programs are a shell's"),
]


class InProcess(httpx.AsyncBaseTransport):
    """The way to a server in process, with streams that stay open."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._plain = httpx.ASGITransport(app=served.asgi)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/stream"):
            return await self._plain.handle_async_request(request)
        return httpx.Response(200, stream=_Open(self._served, request))


class _Open(httpx.AsyncByteStream):
    def __init__(self, served: Served, request: httpx.Request) -> None:
        key = request.headers["Authorization"].removeprefix("Bearer ")
        asked = request.url.params
        self._stream = Stream(served, key, asked["endpointId"], asked["cursor"])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with self._stream as open_:
            while (part := await open_._parts.get()) is not None:
                yield part


class Laptop:
    """A person's machine with a bridge that runs."""

    def __init__(self, home: Home, runtime: Any, folder: Path) -> None:
        self.home = home
        self.said: list[str] = []
        self.bridge = Bridge(home, runtime, str(folder), self.said.append)
        self._running = asyncio.create_task(self.bridge.run())

    async def end(self) -> None:
        self.bridge.stop()
        await asyncio.wait_for(self._running, 10)


@pytest.fixture(autouse=True)
def quick(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.Client, "transport", InProcess(served))
    monkeypatch.setattr(deliveries, "ASK_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(delegate, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(delegate, "ASK_SECONDS", 0.05)
    monkeypatch.setattr(registration, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(run_bridge, "HEARTBEAT_SECONDS", 0.05)


async def paired(person: Person, folder: Path) -> Home:
    home = Home(folder)
    key = person.headers["Authorization"].removeprefix("Bearer ")
    await pair_by_key(home, fresh_device(home, ORIGIN, person.username), key)
    return home


@contextlib.asynccontextmanager
async def two_laptops(
    served: Served, alice: Person, bob: Person, tmp_path: Path, *command: str
) -> AsyncIterator[tuple[Home, Laptop]]:
    """Give alice's home, and bob's laptop at work with a program."""
    await served.command("connect_users", username="alice", contact="bob")
    mine = await paired(alice, tmp_path / "alice")
    runtime: Any = Echo()
    laptop_home = await paired(bob, tmp_path / "bob")
    if command:
        runtime = Command(Program(command, tmp_path, 10, 1_000), lambda line: None)
    laptop = Laptop(laptop_home, runtime, tmp_path)
    await until(lambda: laptop.bridge.device.session_handle)
    route = served.client(laptop_home.device().token)
    while (await route.get("/local-agent/default-route")).status_code != 200:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await route.aclose()
    try:
        yield mine, laptop
    finally:
        await laptop.end()


async def sent(home: Home, task: str) -> Any:
    """Send bob a task as the command does, and give the answer."""

    async def work(device: Any, client_: Any) -> Any:
        who = await client_.ask("GET", "local-agent/resolve-person", q="@bob")
        id_ = f"delegate:{task}"
        body = {
            "target": {"kind": "person_default_runtime", "principalId": who["principalId"]},
            "task": task,
            "sessionHandle": device.session_handle,
            "clientMessageId": id_,
            "correlationId": id_,
        }
        return await delegate._Sending(home, client_, body, "@bob").see_through(wait=True)

    return await delegate._at_work(home, 1, work, listens=True)


async def first(person: Person, path: str, **wanted: str) -> Any:
    """Give the first row of a list that is as wanted, once there is one."""
    while True:
        listed = (await person.get(path)).json()
        rows = listed if isinstance(listed, list) else listed["escalations"]
        for row in rows:
            if all(row[name] == value for name, value in wanted.items()):
                return row
        await asyncio.sleep(0.01)


async def accepted(bob: Person) -> str:
    row = await first(bob, "/local-agent/grants", status="pending")
    await bob.ok("POST", f"/local-agent/grants/{row['commSessionId']}/accept")
    return str(row["commSessionId"])


async def test_a_task_is_accepted_allowed_run_and_answered(
    served: Served, alice: Person, bob: Person, tmp_path: Path
) -> None:
    script = "sed -n '/^-----/{n;p;q}'; pwd"
    async with two_laptops(served, alice, bob, tmp_path, "sh", "-c", script) as (mine, laptop):
        answering = asyncio.create_task(sent(mine, "Count the beds"))
        await accepted(bob)
        asked = await first(bob, "/escalations", kind="runtime_tool_call")
        shown = asked["preview"]["text"]
        assert shown == f"sh -c {script}\nin {tmp_path}\n\nCount the beds"
        assert not answering.done()
        decision = {"decision": "continue", "remember": "session"}
        await bob.ok("POST", f"/escalations/{asked['id']}/decision", json=decision)
        answer = await answering
        assert answer.envelope["payload"]["text"] == f"Count the beds\n{tmp_path}"
        # allowed for this grant, so it runs without asking
        again = await sent(mine, "Count them again")
        assert again.envelope["payload"]["text"] == f"Count them again\n{tmp_path}"
    assert laptop.said[0] == "@alice asks to send tasks. Accept or decline with `hearth bridge`."


async def test_a_device_cannot_decide_for_itself_and_a_no_is_told(
    served: Served, alice: Person, bob: Person, tmp_path: Path
) -> None:
    async with two_laptops(served, alice, bob, tmp_path, "touch", "ran") as (mine, laptop):
        answering = asyncio.create_task(sent(mine, "Do it"))
        await accepted(bob)
        asked = await first(bob, "/escalations", kind="runtime_tool_call")
        async with served.client(laptop.home.device().token) as device:
            path = f"/escalations/{asked['id']}/decision"
            tried = await device.post(path, json={"decision": "continue"})
        assert tried.status_code == 403
        await bob.ok("POST", path, json={"decision": "stop"})
        answer = await answering
        assert answer.envelope["payload"]["text"] == "The owner did not allow this."
        assert answer.turn["outcome"] == "failed"
    assert not (tmp_path / "ran").exists()


async def test_a_trusted_person_is_not_asked_for_in_that_folder(
    served: Served, alice: Person, bob: Person, tmp_path: Path
) -> None:
    async with two_laptops(served, alice, bob, tmp_path, "echo", "trusted") as (mine, laptop):
        who = await bob.ok("GET", "/local-agent/resolve-person?q=@alice")
        policy = {
            "peerPrincipalId": who["principalId"],
            "accessPreset": "edit-project",
            "canonicalFolder": str(tmp_path),
            "scope": "persistent",
            "tools": ["run_command"],
        }
        await bob.ok("POST", "/local-agent/trusted-tool-policies", status=201, json=policy)
        await until(lambda: any("Taken note" in line for line in laptop.said))
        answering = asyncio.create_task(sent(mine, "Do it"))
        await accepted(bob)
        assert (await answering).envelope["payload"]["text"] == "trusted"


async def test_a_revoked_grant_ends_the_run(
    served: Served, alice: Person, bob: Person, tmp_path: Path
) -> None:
    script = "echo $$ > pid; sleep 60"
    async with two_laptops(served, alice, bob, tmp_path, "sh", "-c", script) as (mine, _):
        answering = asyncio.create_task(sent(mine, "Do it"))
        grant = await accepted(bob)
        asked = await first(bob, "/escalations", kind="runtime_tool_call")
        decision = {"decision": "continue"}
        await bob.ok("POST", f"/escalations/{asked['id']}/decision", json=decision)
        pid = tmp_path / "pid"
        await until(lambda: pid.exists() and pid.read_text().strip())
        assert (await alice.post(f"/local-agent/grants/{grant}/revoke")).status_code == 204
        await until(lambda: not is_running(int(pid.read_text())))
        answering.cancel()
        await asyncio.wait([answering])


async def test_a_code_pairs_and_removing_the_device_ends_the_bridge(
    served: Served, alice: Person, tmp_path: Path
) -> None:
    home, told = Home(tmp_path / "new"), []
    pairing = asyncio.create_task(
        pair_by_code(home, fresh_device(home, ORIGIN, "Laptop"), told.append)
    )
    await until(lambda: told)
    code = told[0].partition("code is ")[2].partition(":")[0]
    caller = await served.command("read_device_code", userCode=code)
    assert (caller.label, caller.status) == ("Laptop", "pending")
    from app.account import users

    me = served.parts.quick(users.local_caller, "alice")
    fields = {"userCode": code, "decision": "approve"}
    await served.parts.call(me, "decide_device_code", fields)
    device = await pairing
    assert device.username == "alice"
    assert device.endpoint_id.startswith("ep_")
    laptop = Laptop(home, Echo(), tmp_path)
    await until(lambda: laptop.bridge.device.session_handle)
    removed = await alice.delete(f"/local-agent/endpoints/{device.endpoint_id}")
    assert removed.status_code == 204
    with pytest.raises(Exception, match="Pair it again"):
        await asyncio.wait_for(laptop._running, 15)
