"""The scripts that get the servers of tests/wire.

What they fetch, what they say where that fails, and what the parrot is made of.
"""

import json
from pathlib import Path

import pytest

from environment import PYTHON
from wire import fetch, parrot, places


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for servers, on a machine that has none."""
    names = ("HERE", "SIMULATOR", "EVERYTHING", "WHEEL", "NODE_WHEEL", "MCP_PEERS", "BUILT")
    for name in names:
        monkeypatch.setattr(places, name, tmp_path / name)
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_what_is_missing_is_said_in_one_line_each(nowhere: Path) -> None:
    first = [line.partition(" ")[0] for line in places.missing()]
    assert first == ["The", "The", "MCP's", "No"]
    assert all("left out" in line and "wire_servers.py" in line for line in places.missing())


def test_a_server_that_is_named_or_built_comes_before_others(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places.WHEEL.mkdir()
    assert (places.llama() or [""])[-1] == str(places.WHEEL)
    (nowhere / "llama-server").write_text("")
    (nowhere / "llama-server").chmod(0o755)
    assert places.llama() == [str(nowhere / "llama-server")]
    places.BUILT.touch()
    assert places.llama() == [str(places.BUILT)]
    monkeypatch.setenv("LLAMA_SERVER", "/opt/llama")
    assert places.llama() == ["/opt/llama"]


def test_what_cannot_be_fetched_is_said_and_nothing_half_made_stays(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (nowhere / "python").write_text("#!/bin/sh\necho 'ERROR: No network here' >&2\nexit 1\n")
    (nowhere / "python").chmod(0o755)
    monkeypatch.setenv("PATH", f"{nowhere}:/bin")
    monkeypatch.setattr(places, "version_of_node", lambda _: ())
    troubles = fetch.fetch(nowhere / "python")
    assert [("left out" in line, "ERROR: No network here" in line) for line in troubles] == [
        (True, True)
    ] * 4
    assert list(places.HERE.iterdir()) == []


@pytest.mark.parametrize(
    ("environment", "node", "leaves"),
    [("true", "/bin/node", True), ("true", None, False), ("", "/bin/node", False)],
)
def test_only_continuous_integration_with_node_insists(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, environment: str, node: str | None, leaves: bool
) -> None:
    monkeypatch.setenv("CI", environment)
    monkeypatch.setattr(fetch, "fetch", lambda _: ["Nothing could be fetched."])
    monkeypatch.setattr(places, "node", lambda *_: node)
    left = False
    try:
        fetch.fetch_or_exit(PYTHON)
    except SystemExit:
        left = True
    assert left is leaves


def test_the_lock_names_one_package_by_its_checksum_and_no_address() -> None:
    lock = json.dumps(fetch.lock_files())
    assert places.AIMOCK_INTEGRITY in lock
    assert "resolved" not in lock
    assert "://" not in lock


def test_what_npm_fetches_of_mcp_is_locked_by_checksums_alone() -> None:
    lock = json.loads((places.MCP_LOCK / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "resolved" not in json.dumps(lock)
    wanted = json.loads((places.MCP_LOCK / "package.json").read_text("utf-8"))["dependencies"]
    assert lock["packages"][""]["dependencies"] == wanted
    assert all(version in places.MCP_PEERS.name for version in wanted.values())


def test_every_token_of_the_parrot_has_at_most_one_successor_and_leads_to_its_text() -> None:
    vocabulary = parrot.words()
    assert len(set(vocabulary.tokens)) == len(vocabulary.tokens)
    byte_of = {letter: byte for byte, letter in enumerate(parrot.letters())}
    for name, text in parrot.TEXTS.items():
        token, said = vocabulary.tokens.index(parrot.mark(name)), b""
        while (token := vocabulary.after[token]) > len(parrot.CONTROL) and len(said) < len(
            text.encode()
        ):
            said += bytes(byte_of[letter] for letter in vocabulary.tokens[token])
        assert said.decode() == text


def test_the_parrot_is_written_the_same_each_time(tmp_path: Path) -> None:
    first, second = parrot.write(tmp_path / "a.gguf"), parrot.write(tmp_path / "b.gguf")
    assert first.read_bytes() == second.read_bytes()
    assert 100_000 < first.stat().st_size < 2_000_000
