"""The benchmark: its corpus, its client, and a short run from start to report."""

import importlib
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parents[1] / "scripts" / "bench.py"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPT.with_suffix(""))
    return importlib.import_module("load")


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPT.with_suffix(""))
    return importlib.import_module("corpus")


class Answering(threading.Thread):
    """A server that answers every request with the same pieces, each sent alone."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(daemon=True)
        self.pieces = pieces
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.requests: list[bytes] = []

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while request := connection.recv(65_536):
                self.requests.append(request)
                for piece in self.pieces:
                    connection.sendall(piece)


@pytest.fixture
def answering() -> Iterator[Answering]:
    server = Answering([OK[:9], OK[9:30], OK[30:]])
    server.start()
    yield server
    server.listener.shutdown(socket.SHUT_RDWR)
    server.listener.close()
    server.join(5)


def test_no_two_words_of_the_corpus_are_spelt_alike(corpus: ModuleType) -> None:
    assert len({corpus.word(rank) for rank in range(20_000)}) == 20_000


def test_a_note_depends_on_its_number_only(corpus: ModuleType) -> None:
    first = corpus.note(7)
    corpus.note.cache_clear()
    assert corpus.note(8) != first
    assert corpus.note(7) == first


def test_notes_are_markdown_of_about_a_kilobyte(corpus: ModuleType) -> None:
    texts = [corpus.note(number).markdown for number in range(300)]
    assert 800 < sum(map(len, texts)) / 300 < 1_400
    assert all(text.startswith("# ") for text in texts)
    for mark in ("\n## ", "\n- ", "\n- [ ] ", "](https://"):
        assert any(mark in text for text in texts)


def test_what_is_typed_to_open_a_note_begins_like_a_title(corpus: ModuleType) -> None:
    typed = corpus.openings(30)
    titles = [corpus.note(number).title.lower() for number in range(30)]
    begins = [title.startswith(text) for title, text in zip(titles, typed, strict=True)]
    assert [begins[number] for number in range(30) if number % 3] == [True] * 20
    assert begins.count(False) > 5


def test_notes_for_a_model_are_different_english_texts_of_about_a_kilobyte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(SCRIPT.with_suffix(""))
    texts = [note["content"] for note in importlib.import_module("finding").prose(300)]
    assert len(set(texts)) == 300
    assert 700 < sum(map(len, texts)) / 300 < 1_400


def test_an_answer_that_comes_in_pieces_is_put_together(
    load: ModuleType, answering: Answering
) -> None:
    assert load.ask(answering.port, load.http("GET", "/", headers={})) == b"hello"


@pytest.mark.parametrize("connections", [1, 3])
def test_requests_to_be_sent_once_are_sent_once(
    load: ModuleType, answering: Answering, connections: int
) -> None:
    requests = [load.http("POST", f"/{number}", headers={}, body={}) for number in range(20)]
    found = load.send_once(answering.port, requests, connections=connections)
    assert sorted(answering.requests) == sorted(requests)
    assert 0 < found.p50 <= found.p99


def test_one_reader_reads_until_the_writers_are_done(
    load: ModuleType, answering: Answering
) -> None:
    writes = [load.http("POST", f"/{number}", headers={}, body={}) for number in range(50)]
    load.read_beside_writers(
        answering.port, [load.http("GET", "/read", headers={})], writes, writers=4
    )
    assert sorted(
        request for request in answering.requests if request.startswith(b"POST")
    ) == sorted(writes)
    assert any(request.startswith(b"GET /read ") for request in answering.requests)


def test_an_answer_other_than_success_is_an_error(load: ModuleType, answering: Answering) -> None:
    answering.pieces = [b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"]
    with pytest.raises(load.Refused, match="404"):
        load.ask(answering.port, load.http("GET", "/", headers={}))


def test_a_request_survives_being_written_as_a_lua_string(load: ModuleType) -> None:
    request = 'POST / HTTP/1.1\r\n\r\n{"a":"ü\\n"}'.encode()
    written = load._lua(request)
    assert (
        re.sub(r"\\(\d{3})", lambda found: chr(int(found[1])), written[1:-1]).encode("latin-1")
        == request
    )


def test_a_short_run_reports_ratios_names_who_is_missing_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    (tmp_path / "checkout").mkdir()
    (tmp_path / "disk").mkdir()
    limits = [
        "--notes",
        "40",
        "--rounds",
        "1",
        "--creates",
        "50",
        "--only",
        "create,accumulate,mixed,facts",
    ]
    places = ["--dir", str(tmp_path / "disk"), "--checkout", str(tmp_path / "checkout")]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *limits, *places],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert re.search(
        r"\| create a note, c=8 \| \d[\d.e+]*; [\d.]+ / [\d.]+ \| \d[\d.e+]*; [\d.]+ / [\d.]+ \|",
        done.stdout,
    )
    assert re.search(r"\| accumulate 50 files, c=1 \| 0\.\d\d \|", done.stdout)
    assert re.search(
        r"\| disk after a clean stop per byte of text \| - \| \d+\.\d\d \|", done.stdout
    )
    assert "- hearth is left out: hearth could not be initialised" in done.stdout
    assert list((tmp_path / "disk").iterdir()) == []
