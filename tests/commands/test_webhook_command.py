"""`hearth webhook`: adding, looking, testing, pausing and removing."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.support.command_line import hearth

NOBODY = "http://127.0.0.1:9/hook"


class Taking(BaseHTTPRequestHandler):
    """Keeps what it is sent."""

    taken: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.taken.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def place(data: Path) -> Path:
    assert hearth("user", "add", "alice", data=data).exit_code == 0
    return data


@contextlib.contextmanager
def taking() -> Iterator[HTTPServer]:
    Taking.taken = []
    with HTTPServer(("127.0.0.1", 0), Taking) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def webhook(place: Path, *words: str) -> Any:
    return hearth("webhook", *words, data=place)


def test_a_webhook_goes_its_whole_way(place: Path) -> None:
    assert webhook(place, "list").output == "There are no webhooks.\n"
    with taking() as server:
        url = f"http://127.0.0.1:{server.server_port}/hook"
        said = webhook(place, "add", url, "--event", "grant.revoked", "--description", "To me")
        assert said.exit_code == 0, said.output
        first, _, _, secret = said.output.splitlines()
        assert first == f"Webhook 1 sends to {url}."
        assert webhook(place, "test", "1").output.startswith(
            "Delivery 1 was taken: status 204 after "
        )
        fresh = webhook(place, "rotate", "1").output.splitlines()[-1]
        again = webhook(place, "retry", "1", "1")
        assert again.output.startswith("Delivery 1 was taken")
    (headers, body), (newer, _) = Taking.taken
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.test"
    for one in (secret, fresh):
        assert Webhook(one).verify(body, newer)
    listed = webhook(place, "list").output.splitlines()
    assert listed[0].split("\t") == ["1", "active", "0", "grant.revoked", url]
    shown = webhook(place, "show", "1").output
    assert "for           To me\n" in shown
    assert "last failure" not in shown
    assert webhook(place, "pause", "1").output == "Webhook 1 is paused.\n"
    assert json.loads(webhook(place, "list", "--json").output)["webhooks"][0]["status"] == "paused"
    assert webhook(place, "resume", "1").output == "Webhook 1 is active.\n"
    assert webhook(place, "remove", "1").output == "Webhook 1 is removed.\n"
    gone = webhook(place, "show", "1")
    assert (gone.exit_code, "There is no webhook 1." in gone.output) == (1, True)


def test_what_nobody_takes_is_told_and_listed(place: Path) -> None:
    assert webhook(place, "add", NOBODY).exit_code == 0
    failed = webhook(place, "test", "1")
    assert failed.exit_code == 1
    assert "Delivery 1 was not taken: The host 127.0.0.1 cannot be reached." in failed.output
    (row,) = webhook(place, "deliveries", "1").output.splitlines()
    assert row.split("\t")[:4] == ["1", "webhook.test", "failed", "1"]
    listed = json.loads(webhook(place, "deliveries", "1", "--json", "--before", "1").output)
    assert listed == {"deliveries": []}


def test_what_cannot_be_is_refused_in_a_sentence(place: Path) -> None:
    refused = webhook(place, "add", "http://example.com/")
    assert (refused.exit_code, "must begin with https://" in refused.output) == (1, True)
    refused = webhook(place, "add", "https://example.com/", "--event", "nonsense")
    assert (refused.exit_code, "events" in refused.output) == (1, True)
    assert webhook(place, "show", "x").exit_code == 2
