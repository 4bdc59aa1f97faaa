"""Kill the server at random moments while runtimes send each other messages under many grants.

`python -m tests.support.delegation_kills 1000 10000`: so many grants and messages, over HTTP.

In each lane a device of Alice's asks one of Bob's in, both send, and their streams acknowledge;
one grant of five is revoked in the middle. Every message that was answered must arrive or end with
its grant, none may be given to a runtime twice, none after its grant was revoked, and the numbers
under each grant must have no gaps. Prints one JSON object; exits 1 when anything was wrong.
"""

import asyncio
import contextlib
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.main import build_parts
from app.migrations import migrate
from tests.runtime.bodies import LAPTOP, SESSION
from tests.support.kill_cycles import SETTINGS, serve

LANES = 8
SHORTEST, LONGEST = 0.1, 1.5
PATIENCE = 90.0
REVOKED, FAILING, FORGETTING = 0.2, 0.004, 0.2
"""How often a grant is revoked in the middle, a runtime fails once, and a bridge that connects
again has forgotten where it was."""
TAKEN = ("runtime_acked", "handled", "replied")


class Wire:
    """One client's connection, which asks until it is answered, whatever becomes of the server."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.repeats = 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        until = time.monotonic() + PATIENCE
        text = None if body is None else json.dumps(body)
        while True:
            try:
                self.connection.request(method, f"/api/v1/local-agent{path}", text, self.headers)
                answer = self.connection.getresponse()
                said = answer.read()
                return answer.status, json.loads(said) if said else {}
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.repeats += 1
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def ok(self, method: str, path: str, body: Any = None) -> Any:
        status, found = self.ask(method, path, body)
        assert status < 300, (method, path, status, found)
        return found


class Device(threading.Thread):
    """A bridge: it reads its stream, gives each message to its runtime and acknowledges it.

    What it remembers outlives the server, as the spool of a bridge does.
    """

    def __init__(self, port: int, key: str, name: str, wrong: Counter[str]) -> None:
        super().__init__(daemon=True)
        made = Wire(port, key).ok("POST", "/endpoints", {**LAPTOP, "deviceId": name})
        self.endpoint = made["endpoint"]["endpointId"]
        self.token = made["deviceToken"]
        self.wire = Wire(port, self.token)
        begun = self.wire.ok("POST", "/sessions", {**SESSION, "endpointId": self.endpoint})
        self.session = begun["sessionHandle"]
        self.principal = made["endpoint"]["principalId"]
        self.chance = random.Random(name)
        self.wrong = wrong
        self.cursor = 0
        self.given: Counter[str] = Counter()
        self.done: set[str] = set()
        self.failed: set[str] = set()
        self.revoked: set[str] = set()
        self.ended = False

    def run(self) -> None:
        while not self.ended:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.listen()
            time.sleep(0.01)

    def listen(self) -> None:
        """Read the stream until it breaks."""
        if self.chance.random() < FORGETTING:
            self.cursor = 0
        connection = http.client.HTTPConnection("127.0.0.1", self.wire.port, timeout=20)
        with contextlib.closing(connection):
            path = f"/api/v1/local-realtime/stream?endpointId={self.endpoint}&cursor={self.cursor}"
            connection.request("GET", path, headers=self.wire.headers)
            answer = connection.getresponse()
            for line in answer:
                if self.ended:
                    return
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    if event["type"] == "message.dispatch":
                        self.take(event["data"]["envelope"])
                    self.cursor = int(event["cursor"])

    def take(self, envelope: Any) -> None:
        id_, grant = envelope["id"], envelope["communicationSessionId"]
        if id_ in self.done:
            self.wrong["sent again after runtime_ack"] += 1
        self.acknowledge(id_, "device_ack", f"device_ack:{id_}")
        if id_ not in self.failed and self.chance.random() < FAILING:
            self.failed.add(id_)
            self.acknowledge(id_, "runtime_failed", "failed", retryable=True)
            return
        if not self.given[id_]:
            was_revoked = grant in self.revoked
            body = {
                "messageId": id_,
                "communicationSessionId": grant,
                "endpointId": self.endpoint,
                "sessionHandle": self.session,
            }
            if not self.wire.ok("POST", "/injections/validate", body)["valid"]:
                return
            if was_revoked:
                self.wrong["crossed a revoked grant"] += 1
            self.given[id_] += 1
        self.acknowledge(id_, "runtime_ack", f"attempt:{id_}", runtimeAckId="r")
        self.done.add(id_)

    def acknowledge(self, id_: str, phase: str, attempt: str, **more: Any) -> None:
        body = {"phase": phase, "attemptId": attempt, **more}
        self.wire.ok("POST", f"/messages/{id_}/ack", body)


class Lane(threading.Thread):
    """A pair of devices with one grant after the other."""

    def __init__(self, port: int, keys: tuple[str, str], number: int, plan: list[int]) -> None:
        super().__init__()
        self.wrong: Counter[str] = Counter()
        self.alice = Device(port, keys[0], f"alice-{number}", self.wrong)
        self.bob = Device(port, keys[1], f"bob-{number}", self.wrong)
        self.wires = {one: Wire(port, one.token) for one in (self.alice, self.bob)}
        self.number, self.plan = number, plan
        self.chance = random.Random(number)
        self.sent: dict[str, Device] = {}
        self.broken, self.cut = "", 0
        offer = {
            "endpointId": self.bob.endpoint,
            "sessionHandle": self.bob.session,
            "audiencePrincipalId": self.alice.principal,
        }
        self.offer = self.wires[self.bob].ok("POST", "/target-offers", offer)["targetOfferId"]

    def run(self) -> None:
        self.alice.start()
        self.bob.start()
        try:
            for turn, messages in enumerate(self.plan):
                self.under_a_grant(turn, messages)
        except Exception as error:
            self.broken = repr(error)
        self.alice.ended = self.bob.ended = True

    def under_a_grant(self, turn: int, messages: int) -> None:
        grant = self.grant()
        revoked_at = self.chance.randrange(messages) if self.chance.random() < REVOKED else None
        ids = []
        for number in range(messages):
            if number == revoked_at:
                self.revoke(grant)
                self.cut += 1
            sender = self.chance.choice([self.alice, self.bob])
            body = {
                "communicationSessionId": grant,
                "clientMessageId": f"{self.number}.{turn}.{number}",
                "kind": "text",
                "payload": {"text": "some words"},
            }
            status, found = self.wires[sender].ask("POST", "/messages", body)
            if revoked_at is not None and number >= revoked_at:
                if (status, found.get("error")) != (409, "communication_session_revoked"):
                    self.wrong["sent under a revoked grant"] += 1
                continue
            assert status == 200, found
            receiver = self.bob if sender is self.alice else self.alice
            self.sent[found["messageId"]] = receiver
            ids.append(found["messageId"])
        if revoked_at is None:
            self.wait_for(ids)
            self.revoke(grant)

    def grant(self) -> str:
        body = {
            "target": {
                "kind": "runtime_session",
                "principalId": self.bob.principal,
                "targetOfferId": self.offer,
            },
            "replyEndpointId": self.alice.endpoint,
            "replySessionHandle": self.alice.session,
        }
        id_ = str(self.wires[self.alice].ok("POST", "/grants", body)["commSessionId"])
        status, found = self.wires[self.bob].ask("POST", f"/grants/{id_}/accept")
        # its first answer may have been lost with the server
        assert status == 200 or found["error"] == "request_not_pending", found
        return id_

    def revoke(self, grant: str) -> None:
        self.wires[self.chance.choice([self.alice, self.bob])].ok("POST", f"/grants/{grant}/revoke")
        self.alice.revoked.add(grant)
        self.bob.revoked.add(grant)

    def wait_for(self, ids: list[str]) -> None:
        until = time.monotonic() + PATIENCE
        while not all(id_ in self.sent[id_].done for id_ in ids):
            if time.monotonic() > until:
                self.wrong["did not arrive"] += sum(id_ not in self.sent[id_].done for id_ in ids)
                return
            time.sleep(0.005)

    def check(self) -> None:
        """Compare what the server says of each message with what its device knows."""
        for id_, receiver in self.sent.items():
            status = self.wires[self.alice].ok("GET", f"/messages/{id_}")["delivery"]["status"]
            given = receiver.given[id_]
            if given > 1:
                self.wrong["given twice"] += 1
            if (id_ in receiver.done) != (status in TAKEN) and status != "revoked":
                self.wrong[f"is {status}, given {given} times"] += 1


def clients(port: int, keys: tuple[str, str], grants: int, messages: int) -> dict[str, Any]:
    """Be all the devices, and give what became of their messages."""
    counts = [messages // grants + (one < messages % grants) for one in range(grants)]
    lanes = [
        Lane(port, keys, number, counts[number :: min(LANES, grants)])
        for number in range(min(LANES, grants))
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    for lane in lanes:
        lane.check()
    devices = [device for lane in lanes for device in (lane.alice, lane.bob)]
    wires = [wire for lane in lanes for wire in lane.wires.values()] + [one.wire for one in devices]
    wrong = sum((lane.wrong for lane in lanes), Counter())
    wrong.update(lane.broken for lane in lanes if lane.broken)
    return {
        "answered": sum(len(lane.sent) for lane in lanes),
        "given to a runtime": sum(sum(one.given.values()) for one in devices),
        "failed once": sum(len(one.failed) for one in devices),
        "revoked in the middle": sum(lane.cut for lane in lanes),
        "asked again": sum(wire.repeats for wire in wires),
        "wrong": dict(wrong),
    }


def start(data: Path, listener: socket.socket) -> int:
    child = os.fork()
    if child == 0:
        serve(data, listener)
        os._exit(1)
    return child


def gaps(data: Path) -> int:
    """Count the grants whose messages are not numbered from 1 without a gap."""
    connection = sqlite3.connect(data / DATABASE)
    with contextlib.closing(connection):
        return int(
            connection.execute(
                """SELECT count(*) FROM (SELECT g.sequence AS given, count(m.number) AS count,
                     ifnull(min(m.sequence), 1) AS least, ifnull(max(m.sequence), 0) AS most
                   FROM runtime_grants g LEFT JOIN runtime_messages m ON m.grant_id = g.id
                   GROUP BY g.id) WHERE NOT (least = 1 AND most = count AND given = count)"""
            ).fetchone()[0]
        )


def run(grants: int, messages: int, data: Path) -> dict[str, Any]:
    """Let the clients work, kill the server again and again, and give what came of it."""
    keys = set_up_two(data)
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        port = listener.getsockname()[1]
        said = data.parent / "said.json"
        server, chance, kills = start(data, listener), random.Random(1), 0
        began = time.monotonic()
        worker = os.fork()
        if worker == 0:
            said.write_text(json.dumps(clients(port, keys, grants, messages)), "utf-8")
            os._exit(0)
        while True:
            until = time.monotonic() + chance.uniform(SHORTEST, LONGEST)
            while time.monotonic() < until and os.waitpid(worker, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
            if said.exists():
                break
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)
            kills += 1
            server = start(data, listener)
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
    found = json.loads(said.read_text("utf-8"))
    seconds = round(time.monotonic() - began, 1)
    return {"grants": grants, "kills": kills, "seconds": seconds, **found, "gaps": gaps(data)}


def set_up_two(data: Path) -> tuple[str, str]:
    """Make a database with two contacts and give their keys."""

    async def made() -> tuple[str, str]:
        parts = build_parts(SETTINGS, data)
        await parts.store.open()
        keys = []
        for name in ("alice", "bob"):
            await parts.call(OPERATOR, "add_user", {"username": name})
            key = await parts.call(OPERATOR, "issue_key", {"username": name, "name": "test"})
            keys.append(str(key.secret))
        contact = {"username": "alice", "contact": "bob"}
        await parts.call(OPERATOR, "connect_users", contact)
        await parts.store.close()
        return keys[0], keys[1]

    migrate(data / DATABASE)
    return asyncio.run(made())


def main() -> int:
    grants, messages = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        found = run(grants, messages, data)
    sys.stdout.write(json.dumps(found) + "\n")
    return 1 if found["wrong"] or found["gaps"] else 0


if __name__ == "__main__":
    sys.exit(main())
