"""The servers of the tests of the wire.

What needs a server that is not here is left out, and the summary of the run says so.
"""

import json
from collections.abc import Iterator

import pytest

from tests.wire.replies import KEY, REPLIES
from tests.wire.servers import Running, Simulator, running
from wire import parrot, places

collect_ignore = [
    *(["test_providers.py"] if places.simulator() is None else []),
    *(["test_llama.py"] if places.llama() is None else []),
]


@pytest.fixture(scope="session")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    """An independent simulator of providers that knows REPLIES."""
    place = tmp_path_factory.mktemp("simulator")
    replies = place / "replies.json"
    replies.write_text(json.dumps({"fixtures": REPLIES}), "utf-8")
    command = [
        *(places.simulator() or []),
        "--port",
        "0",
        "--fixtures",
        str(replies),
        "--strict",
        "--validate-on-load",
    ]
    with running(
        command, place / "log.txt", AIMOCK_API_KEYS=KEY
    ) as url:  # it answers nobody without the key
        yield Simulator(url, place / "log.txt")


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A genuine llama.cpp server with the parrot."""
    place = tmp_path_factory.mktemp("llama")
    model = parrot.write(place / "parrot.gguf")
    options = [
        "--model",
        str(model),
        "--alias",
        "parrot",
        "--port",
        "0",
        "--ctx-size",
        str(parrot.WINDOW),
        "--parallel",
        "2",
        "--threads",
        "1",
    ]
    with running([*(places.llama() or []), *options], place / "log.txt") as url:
        yield Running(url, place / "log.txt")
