"""A server and a data directory without one, for the commands that work with both."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import command_line
from tests.support.command_line import Running, hearth, rest, start


@pytest.fixture(autouse=True)
def same_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(scope="module", autouse=True)
def nothing_left_running() -> Iterator[None]:
    yield
    while command_line.started:
        command_line.started.pop().close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all tests that leave it running; each takes users of its own."""
    running = start(tmp_path_factory.mktemp("served") / "data", "--user", "ann")
    yield running
    assert running.end() == 0
    assert rest(running)[1] == ""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that no server uses."""
    data = tmp_path_factory.mktemp("alone") / "data"
    assert hearth("init", "--user", "ann", data=data).exit_code == 0
    return data


@pytest.fixture(params=["alone", "beside a server"])
def home(request: pytest.FixtureRequest) -> Path:
    """A data directory, once without and once with a server."""
    return (
        request.getfixturevalue("alone")
        if request.param == "alone"
        else request.getfixturevalue("server").data
    )
