"""`hearth vault` against a server of its own: what the guide's examples do not show."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from click.testing import CliRunner, Result

from app.__main__ import hearth
from tests.support.serving import Server, serving

SCOPES = ["raw.memory:read", "raw.memory:write"]


def run(folder: Path, *arguments: str, given: bytes | None = None, code: int = 0) -> Result:
    """Run a command of `hearth vault` and give what it said."""
    done = CliRunner().invoke(hearth, ["vault", *arguments, "--vault", str(folder)], input=given)
    assert done.exit_code == code, (done.output, done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


class Device:
    """The commands of one device."""

    def __init__(self, server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.address = f"http://127.0.0.1:{server.port}"
        self.folder = folder
        status, made = server.ask("POST", "/account/keys", {"name": "vault", "scopes": SCOPES})
        assert status == 201, made
        monkeypatch.setenv("VAULT_KEY", made["secret"])

    def run(self, *arguments: str, given: bytes | None = None, code: int = 0) -> Result:
        """Run a command of this device."""
        return run(self.folder, *arguments, given=given, code=code)

    def enrol(self) -> str:
        """Come in by a key; give what was said."""
        return self.run("enrol", self.address, "--key-from", "env:VAULT_KEY").output


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "data", environment={"HEARTH_EMBEDDINGS": "off"}) as running:
        yield running


@pytest.fixture
def device(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Device:
    return Device(server, tmp_path / "device", monkeypatch)


def test_an_address_may_leave_out_http(device: Device) -> None:
    address = device.address.removeprefix("http://")
    assert "is enrolled" in device.run("enrol", address, "--key-from", "env:VAULT_KEY").output
    bad = run(device.folder / "2", "enrol", "ftp://127.0.0.1", code=2)
    assert "is not an address such as http://" in bad.output


def test_a_device_comes_in_by_the_page_goes_on_and_leaves(
    server: Server, device: Device, tmp_path: Path
) -> None:
    asked = device.run("enrol", device.address, "--name", "My\x1b[31m laptop", code=1).output
    assert "name" in asked
    begun = device.run("enrol", device.address, "--name", "My laptop", "--no-wait").output
    (fingerprint,) = re.findall(r"(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}", begun)
    (address,) = re.findall(r"http://\S+\?id=\S+", begun)
    device.run("enrol", "--no-wait")
    device.run("list", code=1)
    page = httpx.Client(base_url=device.address, headers={"Origin": device.address})
    page.post("/api/auth/sign-in", json={"key": server.key})
    assert fingerprint in page.get(address).text
    id_ = address.partition("?id=")[2]
    yes = {"id": id_, "decision": "approve", "same": "yes"}
    assert page.post("/raw-memory/enrol", data=yes).status_code == 200
    page.close()
    done = device.run("enrol").output
    assert f"fingerprint {fingerprint}" in done
    assert "Recovery code: " in done
    assert "enrolled at" in device.run("enrol", device.address, code=1).output
    device.run("leave", given=b"n\n", code=1)
    assert "left" in device.run("leave", "--yes").output
    assert not list(device.folder.glob("*.json"))


def test_records_go_in_and_out_as_files_and_streams(device: Device, tmp_path: Path) -> None:
    assert "Recovery code: " in device.enrol()
    content = bytes(range(256)) * 10
    (tmp_path / "a.bin").write_bytes(content)
    (tmp_path / "b.bin").write_bytes(b"")
    both = [str(tmp_path / name) for name in ("a.bin", "b.bin")]
    assert "Stored 2 records" in device.run("put", *both).output
    device.run("put", "--session", "a.bin", given=b"\xff\x00 more")
    assert device.run("get", "--session", "a.bin").stdout_bytes == content + b"\xff\x00 more"
    assert device.run("get", "--session", "b.bin").stdout_bytes == b""
    out = tmp_path / "out"
    device.run("get", "--session", "a.bin", "--out", str(out))
    assert out.read_bytes() == content + b"\xff\x00 more"
    listed: list[Any] = json.loads(device.run("list", "--json").stdout)
    assert {each["session"] for each in listed} == {"a.bin", "b.bin"}
    table = device.run("list", "--session", "a.bin").output
    first = re.findall(r"[0-9a-f-]{36}", table)[0]
    assert device.run("get", first).stdout_bytes == content
    device.run("delete", first, given=b"n\n", code=1)
    device.run("delete", first, "--yes")
    assert "not_found" not in device.run("get", first, code=1).output
    assert device.run("get", "--session", "a.bin").stdout_bytes == b"\xff\x00 more"
    assert "Deleted 1 record." in device.run("delete", "--session", "b.bin", "--yes").output
    state = json.loads(device.run("status", "--json").stdout)
    assert (state["records"], state["waiting"]) == (1, 0)
    assert state["accountKey"]
    assert json.loads(device.run("devices", "--json").stdout)[-1]["confirmed"] is True


NEED_MORE = [
    (["enrol"], 2, "Name the server"),
    (["enrol", "http://127.0.0.1:9", "--name", "x"], 1, "did not answer"),
    (["enrol", "nonsense", "--name", "x"], 1, "did not answer"),
    (["enrol", "http://127.0.0.1:9", "--key-from", "env:NONE"], 2, "There is no key"),
    (["enrol", "http://127.0.0.1:9", "--key-from", "file"], 2, "env:VARIABLE"),
    (["status"], 1, "not enrolled"),
    (["put"], 2, "--session"),
    (["put", "/nowhere"], 2, "does not exist"),
    (["put", "--session", "x"], 1, "not enrolled"),
    (["get"], 2, "Name a record"),
    (["get", "a", "--session", "b"], 2, "Name a record"),
    (["delete"], 2, "Name a record"),
    (["rotate"], 1, "not enrolled"),
    (["recover"], 1, "not enrolled"),
    (["admit", "dev_1", "--fingerprint", "x"], 1, "not enrolled"),
]


@pytest.mark.parametrize(("arguments", "code", "said"), NEED_MORE)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    assert said in run(tmp_path / "none", *arguments, code=code).output


def test_damaged_files_of_a_device_are_told(device: Device) -> None:
    device.enrol()
    (device.folder / "state.json").write_text("{")
    assert "state.json is damaged" in device.run("list", code=1).output
    (device.folder / "device.json").write_bytes(b"\xff")
    assert "device.json is damaged" in device.run("list", code=1).output
