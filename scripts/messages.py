"""Measure messages over HTTP: `python3 scripts/messages.py [--senders 50] [--messages 10000]
[--beside 500]`.

First one client sends messages into a person's inbox and, turn about, creates todos: what a
message costs beside a bare write. Then many senders send at once, a third of the messages twice,
and every message must be there exactly once, those of each sender in order. Prints one JSON
object and exits with 1 where one was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from environment import ROOT, use_own_python

WAIT_SECONDS = 60.0
SETTINGS = {"HEARTH_RATE_LIMIT": "0", "HEARTH_ACCESS_LOG": "off", "HEARTH_EMBEDDINGS": "off"}


class Client:
    """One connection with the key of one user."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def post(self, path: str, body: dict[str, Any], key: str | None = None) -> tuple[int, Any]:
        """Give the status and the body of an answer."""
        headers = self.headers if key is None else {**self.headers, "Idempotency-Key": key}
        self.connection.request("POST", f"/api/v1{path}", json.dumps(body), headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def send(self, text: str, key: str | None = None) -> int:
        """Send a message into the inbox and give its id.

        While the same one is on its way, wait for that.
        """
        while True:
            status, body = self.post("/agent/message", {"to": "inbox", "message": text}, key)
            if status == 200:
                return int(body["messageId"])
            if body.get("error") != "idempotency_in_progress":
                raise RuntimeError(f"{status}: {body}")
            time.sleep(0.005)


def main() -> int:
    """Do what the command line asks and return the exit code."""
    use_own_python()
    sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--senders", type=int, default=50)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument(
        "--beside",
        type=int,
        default=500,
        help="messages and todos that one client writes turn about",
    )
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        keys = asyncio.run(people(data, given.senders))
        with serving(data, given.port) as port:
            beside = alternately(port, keys[0], given.beside)
            took = storm(port, keys, given.messages)
        troubles = wrong(data, given.senders, given.messages)
    figures = {
        **beside,
        "storm": {
            "messages": given.messages,
            "seconds": round(took, 1),
            "perSecond": round(given.messages / took),
        },
    }
    print(
        json.dumps(
            {**figures, "exactlyOnceAndInOrder": not troubles, "troubles": troubles[:10]}, indent=2
        )
    )
    return 1 if troubles else 0


async def people(data: Path, number: int) -> list[str]:
    """Make a database with the one who is written to and the senders, and give the senders'
    keys.
    """
    from app.core.caller import OPERATOR
    from app.core.database.data_dir import DATABASE
    from app.main import build_parts
    from app.migrations import migrate
    from app.settings import Settings

    migrate(data / DATABASE)
    parts = build_parts(Settings(), data)
    await parts.store.open()
    try:
        await parts.call(OPERATOR, "add_user", {"username": "inbox"})
        keys = []
        for place in range(number):
            await parts.call(OPERATOR, "add_user", {"username": f"p{place:03}"})
            keys.append(
                str(
                    (
                        await parts.call(
                            OPERATOR, "issue_key", {"username": f"p{place:03}", "name": "sender"}
                        )
                    ).secret
                )
            )
    finally:
        await parts.store.close()
    return keys


@contextmanager
def serving(data: Path, port: int) -> Iterator[int]:
    """Start a server over the data and give its port until the block ends."""
    from socket import socket

    if not port:
        with socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app", "serve", "--data", str(data), "--port", str(port)]
    with (
        (data / "serve.log").open("wb") as log,
        subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **SETTINGS}, stdout=log, stderr=log
        ) as process,
    ):
        try:
            until = time.monotonic() + WAIT_SECONDS
            while not answers(port):
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((data / "serve.log").read_text("utf-8"))
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(WAIT_SECONDS)


def answers(port: int) -> bool:
    """Say whether the server is up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def alternately(port: int, key: str, number: int) -> dict[str, Any]:
    """Give the milliseconds of messages and of bare writes, which one client makes turn about."""
    client = Client(port, key)
    times: dict[str, list[float]] = {"message": [], "messageWithKey": [], "todo": []}
    for place in range(number + 20):
        requests = {
            "message": (
                "/agent/message",
                {
                    "to": "inbox",
                    "message": f"This is the message number {place} of the first sender.",
                },
                None,
            ),
            "todo": (
                "/os/todos",
                {"title": f"This is the todo number {place} of the first sender."},
                None,
            ),
            "messageWithKey": (
                "/agent/message",
                {"to": "inbox", "message": f"Another one, number {place}."},
                f"beside-{place}",
            ),
        }
        for name, (path, body, once) in requests.items():
            began = time.perf_counter()
            status, answer = client.post(path, body, once)
            times[name].append((time.perf_counter() - began) * 1000)
            if status not in (200, 201):
                raise RuntimeError(f"{status}: {answer}")
    # the first 20 of each open connections and fill caches
    return {name: percentiles(found[20:]) for name, found in times.items()}


def percentiles(times: list[float]) -> dict[str, float]:
    """Give the median and the 99th percentile."""
    return {
        "p50": round(statistics.median(times), 2),
        "p99": round(statistics.quantiles(times, n=100)[98], 2),
    }


def storm(port: int, keys: list[str], messages: int) -> float:
    """Let every sender send their messages, all at once; give the seconds that it took."""
    errors: list[Exception] = []
    threads = [
        threading.Thread(target=sending, args=(port, key, place, messages // len(keys), errors))
        for place, key in enumerate(keys)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return time.perf_counter() - began


def sending(port: int, key: str, place: int, number: int, errors: list[Exception]) -> None:
    """Send one person's messages in order.

    Each third is sent twice, after its answer or on a second connection at the same time.
    """
    client, second, chance = Client(port, key), Client(port, key), random.Random(place)
    # pairs of ids that should be one
    doubled: list[list[int]] = []
    try:
        for turn in range(number):
            text, once = f"storm {turn}", f"storm-{turn}"
            if turn % 3:
                client.send(text, once)
                continue
            found: list[int] = []
            twin = threading.Thread(
                target=lambda text=text, once=once, found=found: found.append(
                    second.send(text, once)
                )
            )
            at_once = chance.random() < 0.5
            if at_once:
                twin.start()
            found.append(client.send(text, once))
            if not at_once:
                twin.start()
            twin.join()
            doubled += [found] if len(found) != 2 or found[0] != found[1] else []
    except (OSError, RuntimeError, http.client.HTTPException) as error:
        errors.append(error)
    errors += [RuntimeError(f"A message that was sent twice is two: {pair}") for pair in doubled]


def wrong(data: Path, senders: int, messages: int) -> list[str]:
    """Give what is not as it should be in the database of a server that has ended."""
    from app.core.database.data_dir import DATABASE

    connection = sqlite3.connect(data / DATABASE)
    try:
        rows = connection.execute(
            "SELECT u.username, m.content FROM messages m JOIN users u ON u.id = m.sender_id "
            "WHERE m.content LIKE 'storm %' ORDER BY m.id"
        ).fetchall()
        unread = connection.execute(
            "SELECT count(*) FROM conversation_members m JOIN users u ON u.id = m.user_id "
            "WHERE u.username = 'inbox'"
        ).fetchone()
    finally:
        connection.close()
    heard: dict[str, list[str]] = {f"p{place:03}": [] for place in range(senders)}
    for name, content in rows:
        heard[name].append(content)
    wanted = [f"storm {turn}" for turn in range(messages // senders)]
    troubles = [
        f"{name}: {len(found)} messages of {len(wanted)}, or out of order"
        for name, found in heard.items()
        if found != wanted
    ]
    return troubles + (
        [] if unread[0] == senders else [f"{unread[0]} conversations instead of {senders}"]
    )


if __name__ == "__main__":
    sys.exit(main())
