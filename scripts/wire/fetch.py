"""Fetch the servers that tests/wire talks to, each whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import setup_environment
from environment import own_environment
from setup_environment import say
from wire import places

PATIENCE = 300.0
NPM_OPTIONS = (
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--fetch-retries=1",
    "--fetch-timeout=60000",
)


class FetchError(Exception):
    """Something that could not be fetched, as the last line that says why."""


def fetch(python: Path) -> list[str]:
    """Fetch what is missing with the environment's Python, and return a sentence for each server
    that there still is not.
    """
    return [
        *attempt("simulator of providers", places.simulator, fetch_simulator, python),
        *attempt(
            "conformance suite and Inspector of MCP", places.mcp_conformance, fetch_mcp, python
        ),
        *attempt("MCP server-everything", places.mcp_everything, fetch_everything, python),
        *attempt("llama.cpp server", places.llama, fetch_llama, python),
    ]


def attempt(
    name: str, find: Callable[[], list[str] | None], get: Callable[[Path], None], python: Path
) -> list[str]:
    """Fetch one server unless it is there, and return the sentence on it where that fails."""
    try:
        if find() is None:
            say(f"Fetching a {name} for tests/wire …")
            get(python)
    except (FetchError, OSError) as error:
        return [f"There is no {name}, so its tests are left out. ({error})"]
    return []


def fetch_simulator(python: Path) -> None:
    """Fetch the simulator through npm, which compares its checksum.

    Fetch Node.js first where there is none.
    """
    npm = npm_command(python)
    with half_made() as folder:
        for name, text in lock_files().items():
            (folder / name).write_text(json.dumps(text), "utf-8")
        run([*npm, "ci", *NPM_OPTIONS, f"--cache={folder.parent}/cache"], folder)
        put(folder, places.SIMULATOR)


def fetch_mcp(python: Path) -> None:
    """Fetch the conformance suite and the Inspector through npm, each package by its checksum."""
    if places.node(places.OLDEST_NODE_FOR_MCP) is None:
        install(python, places.NODE, places.NODE_WHEEL)
    npm = npm_command(python)
    with half_made() as folder:
        for file in places.MCP_LOCK.iterdir():
            shutil.copy(file, folder)
        run([*npm, "ci", *NPM_OPTIONS, f"--cache={folder.parent}/cache"], folder)
        put(folder, places.MCP_PEERS)


def fetch_everything(python: Path) -> None:
    """Fetch MCP's server-everything through npm, each package by its checksum."""
    npm = npm_command(python)
    with half_made() as folder:
        for file in places.EVERYTHING_LOCK.iterdir():
            shutil.copy(file, folder)
        run([*npm, "ci", *NPM_OPTIONS, f"--cache={folder.parent}/cache"], folder)
        put(folder, places.EVERYTHING)


def lock_files() -> dict[str, dict[str, object]]:
    """Return npm's two files that ask for exactly one package by its checksum, wherever the
    registry keeps it.
    """
    wanted = {places.AIMOCK: places.AIMOCK_VERSION}
    locked = {"version": places.AIMOCK_VERSION, "integrity": places.AIMOCK_INTEGRITY}
    packages = {"": {"dependencies": wanted}, f"node_modules/{places.AIMOCK}": locked}
    return {
        "package.json": {"name": "wire", "private": True, "dependencies": wanted},
        "package-lock.json": {
            "name": "wire",
            "lockfileVersion": 3,
            "requires": True,
            "packages": packages,
        },
    }


def npm_command(python: Path) -> list[str]:
    """Return how to run npm with a Node.js that is new enough, fetching both where the system
    has none.
    """
    system = shutil.which("npm")
    if (
        system
        and (found := shutil.which("node"))
        and places.version_of_node(found) >= places.OLDEST_NODE
    ):
        return [system]
    if not places.NODE_WHEEL.exists():
        install(python, places.NODE, places.NODE_WHEEL)
    node = places.node()
    script = next(places.NODE_WHEEL.rglob("npm-cli.js"), None)
    if node is None or script is None:
        raise FetchError("Node.js does not run here")
    return [node, str(script)]


def fetch_llama(python: Path) -> None:
    """Fetch llama.cpp's server as a wheel."""
    install(python, places.XLLAMACPP, places.WHEEL)


def install(python: Path, requirement: str, place: Path) -> None:
    """Install one ready-made package on its own into a directory, outside every environment."""
    options = (
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--retries",
        "1",
        "--no-compile",
    )
    with half_made() as folder:
        run(
            [str(python), "-m", "pip", "install", *options, "--target", str(folder), requirement],
            folder,
        )
        put(folder, place)


@contextlib.contextmanager
def half_made() -> Iterator[Path]:
    """Give an empty directory beside the finished ones, and clear away what is left of it at the
    end.
    """
    places.HERE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.HERE) as work:
        folder = Path(work) / "half-made"
        folder.mkdir()
        yield folder


def put(folder: Path, place: Path) -> None:
    """Move what is finished to its place in one step."""
    shutil.rmtree(place, ignore_errors=True)
    folder.rename(place)


def run(command: list[str], place: Path) -> None:
    """Run a quiet command; raise FetchError with the line that says why it failed."""
    try:
        done = subprocess.run(
            command,
            cwd=place,
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FetchError("it took too long") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise FetchError(
            next(
                (line for line in lines if line.lower().startswith(("error", "npm error"))),
                (lines or ["it failed"])[-1],
            )[:200]
        )


def fetch_or_exit(python: Path) -> None:
    """Fetch what is missing and say in one line each what could not be had.

    Leave where continuous integration should have had the simulator.
    """
    if not places.missing():
        return
    with setup_environment.alone():
        for trouble in fetch(python):
            say(trouble)
    peers = places.simulator() and places.mcp_conformance()
    if os.environ.get("CI") == "true" and peers is None and places.node() is not None:
        sys.exit(
            "Continuous integration must run the tests of the wire, and this machine has "
            "the Node.js that they need."
        )
