"""`hearth mcp-server`: adding servers, looking at them, trusting and removing them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app import __main__ as program

ROOT = Path(__file__).parents[2]
SERVER = ("--env", f"PYTHONPATH={ROOT}", "--", sys.executable, "-m", "tests.support.mcp_server")


@pytest.fixture
def place(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with the user ann."""
    monkeypatch.setenv("HEARTH_DURABILITY", "normal")
    assert hearth(data, "user", "add", "ann").exit_code == 0
    return data


def hearth(data: Path, *words: str, given: str | None = None) -> Result:
    first, *rest = words
    command = [first, *rest[:1], "--data", str(data), *rest[1:]]
    before = os.umask(0o022)
    try:
        return CliRunner().invoke(program.hearth, command, input=given)
    finally:
        os.umask(before)


def mcp(data: Path, *words: str, given: str | None = None) -> Result:
    return hearth(data, "mcp-server", *words, given=given)


def test_a_program_is_run_only_after_a_yes(place: Path) -> None:
    refused = mcp(place, "add", "Plain", *SERVER, given="n\n")
    assert refused.exit_code == 1
    assert "This runs a program on your machine" in refused.output
    assert f"{sys.executable} -m tests.support.mcp_server" in refused.output
    assert json.loads(mcp(place, "list", "--json").stdout) == {"servers": []}
    added = mcp(place, "add", "Plain", *SERVER, given="y\n")
    assert (added.exit_code, "Plain is connected" in added.output) == (0, True), added.output
    listed = mcp(place, "list")
    assert "plain" in listed.output
    assert str(ROOT) not in listed.output
    assert "plain__echo  Say a text again." in mcp(place, "show", "Plain").output
    assert "Plain is connected" in mcp(place, "test", "plain").output
    trusted = mcp(place, "trust", "Plain", given="y\n")
    assert "Plain is trusted" in trusted.output, trusted.output
    assert "It is trusted" in mcp(place, "show", "Plain").output
    assert mcp(place, "trust", "Plain", given="n\n").exit_code == 1
    assert mcp(place, "trust", "Plain", "--withdraw").exit_code == 0
    assert "It is not trusted" in mcp(place, "show", "Plain").output
    assert mcp(place, "remove", "Plain").exit_code == 0
    assert mcp(place, "show", "Plain").exit_code == 1


def test_a_server_that_does_not_answer_is_told(place: Path) -> None:
    added = mcp(place, "add", "Far", "http://127.0.0.1:9/mcp", "--header", "X-Key=hidden-value")
    assert "could not be used" in added.output
    assert "hidden-value" not in added.output + mcp(place, "show", "Far").output
    assert mcp(place, "test", "Far").exit_code == 1
    assert mcp(place, "add", "Far", "http://127.0.0.1:9/mcp").exit_code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("Bad", "http://127.0.0.1:9/mcp", "--header", "nothing"),
        ("Bad", "http://127.0.0.1:9/mcp", "--bearer-from", "env:NO_SUCH_VARIABLE"),
        ("Bad", "http://127.0.0.1:9/mcp", "--bearer-from", "guess"),
        ("Bad",),
        ("Bad", "https://10.0.0.1/mcp"),
    ],
)
def test_wrong_use_adds_nothing(place: Path, words: tuple[str, ...]) -> None:
    assert mcp(place, "add", *words).exit_code in (1, 2)
    assert json.loads(mcp(place, "list", "--json").stdout) == {"servers": []}


def test_nothing_of_the_protocol_is_loaded_before_it_is_used(place: Path) -> None:
    seen = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, app.main; "
            "print([n for n in ('mcp', 'mcp_types', 'pydantic', 'cryptography', 'httpx2')"
            " if n in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert seen.stdout.strip() == "[]"
