"""Vectors from an address: what is sent, what is believed, what is said when it goes wrong."""

import array
import asyncio
import json
import math
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.core.embedder import EmbeddingFailed, NoEmbedder
from app.embedding import remote_embedder
from app.embedding.choose_embedder import embedder_for, former_for
from app.embedding.local_embedder import LocalEmbedder
from app.embedding.remote_embedder import RemoteEmbedder, as_bytes, as_floats
from app.settings import Settings, SettingsError

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret"


class Provider(ThreadingHTTPServer):
    """A small embeddings server: it answers from `answers`, one after another, and then well."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, bytes, dict[str, str]]] = []
        self.asked: list[dict[str, Any]] = []
        self.seen: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.silent = threading.Event()
        self.silent.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def then(self, status: int, body: Any = b"", **headers: str) -> None:
        """Give this answer next."""
        self.answers.append(
            (status, body if isinstance(body, bytes) else json.dumps(body).encode(), headers)
        )


def vectors(*given: list[float]) -> dict[str, Any]:
    """An answer with these vectors, the last one first."""
    return {
        "data": [
            {"index": index, "embedding": vector, "object": "embedding"}
            for index, vector in reversed(list(enumerate(given)))
        ]
    }


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1, -2]


class Handler(BaseHTTPRequestHandler):
    server: Provider
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.seen.append(dict(self.headers))
        self.server.paths.append(self.path)
        self.server.silent.wait(20)
        good: tuple[int, bytes, dict[str, str]] = (
            200,
            json.dumps(vectors(*map(vector_of, body["input"]))).encode(),
            {},
        )
        status, answer, headers = self.server.answers.pop(0) if self.server.answers else good
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(answer))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.silent.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
async def embedder(provider: Provider, pauses: list[float]) -> AsyncIterator[RemoteEmbedder]:
    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    embedder = RemoteEmbedder(provider.url, model="some-model", key=KEY, pause=pause)
    yield embedder
    await embedder.close()


async def test_passages_and_queries_are_asked_for_in_the_usual_way(
    embedder: RemoteEmbedder, provider: Provider
) -> None:
    assert [embedder.dimension] == [None]
    passages = await embedder.passages(["one", "fifteen"])
    query = await embedder.query("three")
    assert passages == [bytes(as_bytes([3, 1, -2])), bytes(as_bytes([7, 1, -2]))]
    assert array.array("f", query).tolist() == pytest.approx(
        [number / math.sqrt(30) for number in (5, 1, -2)]
    )
    assert provider.asked[0] == {
        "model": "some-model",
        "input": ["one", "fifteen"],
        "encoding_format": "float",
    }
    assert provider.seen[0]["Authorization"] == f"Bearer {KEY}"
    assert set(provider.paths) == {"/v1/embeddings"}
    assert (embedder.model, embedder.dimension, embedder.reason) == ("some-model", 3, "")


async def test_a_query_is_asked_for_once(embedder: RemoteEmbedder, provider: Provider) -> None:
    assert await embedder.query("rake") == await embedder.query("rake")
    assert len(provider.asked) == 1


async def test_many_passages_go_in_parts_and_come_back_in_order(
    embedder: RemoteEmbedder, provider: Provider
) -> None:
    texts = ["x" * length for length in range(1, 71)]
    found = await embedder.passages(texts)
    assert [len(body["input"]) for body in provider.asked] == [32, 32, 6]
    assert found == [as_bytes(vector_of(text)) for text in texts]


async def test_nothing_is_sent_for_no_passages(
    embedder: RemoteEmbedder, provider: Provider
) -> None:
    assert await embedder.passages([]) == []
    assert provider.asked == []


async def test_without_a_key_none_is_sent(provider: Provider) -> None:
    embedder = RemoteEmbedder(provider.url, model="m")
    await embedder.query("x")
    await embedder.close()
    assert "Authorization" not in provider.seen[0]


async def test_a_wrong_key_is_told_at_once_and_never_shown(
    embedder: RemoteEmbedder, provider: Provider, pauses: list[float]
) -> None:
    provider.then(401, {"error": {"message": f"Incorrect API key {KEY}"}})
    with pytest.raises(
        EmbeddingFailed, match=r"answered 401\. HEARTH_EMBEDDINGS_KEY is missing or wrong\."
    ) as failure:
        await embedder.passages(["x"])
    assert KEY not in str(failure.value)
    assert embedder.reason == str(failure.value)
    assert (len(provider.asked), pauses) == (1, [])


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_may_pass_is_tried_again_a_little_later_each_time(
    embedder: RemoteEmbedder, provider: Provider, pauses: list[float], status: int
) -> None:
    provider.then(status, b"busy")
    provider.then(status, b"busy")
    assert len(await embedder.passages(["x"])) == 1
    assert (len(provider.asked), pauses) == (3, [0.5, 1.0])
    assert embedder.reason == ""


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", 7.0), ("0", 0.5), ("100000", remote_embedder.LONGEST_PAUSE_SECONDS), ("soon", 0.5)],
)
async def test_the_wish_to_be_asked_later_is_kept_within_reason(
    embedder: RemoteEmbedder, provider: Provider, pauses: list[float], asked: str, waited: float
) -> None:
    provider.then(429, b"", Retry_After=asked)
    await embedder.passages(["x"])
    assert pauses == [waited]


@pytest.mark.parametrize(("kind", "tries"), [("query", 2), ("passages", 5)])
async def test_trying_again_has_an_end(
    embedder: RemoteEmbedder, provider: Provider, pauses: list[float], kind: str, tries: int
) -> None:
    for _ in range(tries):
        provider.then(503, b"<html>down</html>")
    with pytest.raises(EmbeddingFailed, match="answered 503"):
        await (embedder.query("x") if kind == "query" else embedder.passages(["x"]))
    assert (len(provider.asked), len(pauses)) == (tries, tries - 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>hello</html>", "not a list of embeddings"),
        (b"", "not a list of embeddings"),
        (b"\xff\xfe", "not a list of embeddings"),
        (b"[" * 100_000, "not a list of embeddings"),
        ({"data": [{"index": 0, "embedding": "AAAA"}]}, "not a list of embeddings"),
        ({"data": [{"index": 0, "embedding": [None]}]}, "not a list of embeddings"),
        (b'{"data": [{"index": 0, "embedding": [NaN]}]}', "not a list of embeddings"),
        ({"data": []}, "gave 0 vectors for 1 text"),
        (vectors([1], [2]), "gave 2 vectors for 1 text"),
        ({"data": [{"index": 5, "embedding": [1]}]}, "gave 1 vector for 1 text"),
        (vectors([0, 0, 0]), "vector of zeros"),
        (vectors([]), "vector of zeros"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_refused(
    embedder: RemoteEmbedder, provider: Provider, body: Any, said: str
) -> None:
    provider.then(200, body)
    with pytest.raises(EmbeddingFailed, match=said):
        await embedder.passages(["x"])
    assert embedder.dimension is None


async def test_a_vector_of_another_length_is_refused(
    embedder: RemoteEmbedder, provider: Provider
) -> None:
    await embedder.passages(["x"])
    provider.then(200, vectors([1, 2]))
    with pytest.raises(EmbeddingFailed, match="a vector of 2 numbers instead of 3"):
        await embedder.passages(["y"])
    assert embedder.dimension == 3


async def test_a_silent_address_is_given_up(
    embedder: RemoteEmbedder, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.silent.clear()
    monkeypatch.setattr(remote_embedder, "QUERY_SECONDS", 0.05)
    with pytest.raises(EmbeddingFailed, match="does not answer"):
        await embedder.query("x")


async def test_an_address_where_nobody_listens_is_told() -> None:
    async def pause(_: float) -> None:
        """Go on at once."""

    embedder = RemoteEmbedder("http://127.0.0.1:1/v1", model="m", pause=pause)
    with pytest.raises(
        EmbeddingFailed, match=r"http://127\.0\.0\.1:1/v1/embeddings does not answer"
    ):
        await embedder.query("x")
    await embedder.close()


async def test_a_redirect_is_not_followed(embedder: RemoteEmbedder, provider: Provider) -> None:
    provider.then(307, b"", Location=f"{provider.url}/elsewhere")
    with pytest.raises(EmbeddingFailed, match="answered 307"):
        await embedder.query("x")
    assert len(provider.asked) == 1


async def test_a_cancelled_ask_disturbs_no_other(
    embedder: RemoteEmbedder, provider: Provider
) -> None:
    await embedder.query("warm")
    provider.silent.clear()
    dropped, kept = (
        asyncio.create_task(embedder.query("a")),
        asyncio.create_task(embedder.query("b")),
    )
    await asyncio.sleep(0.01)
    dropped.cancel()
    provider.silent.set()
    assert len(await kept) == 12


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/", "http://localhost:11434/v1/embeddings"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/embeddings"),
        ("https://example.org/v1/embeddings", "https://example.org/v1/embeddings"),
        (
            "https://example.org/openai/embeddings?api-version=1",
            "https://example.org/openai/embeddings?api-version=1",
        ),
    ],
)
def test_the_address_may_be_given_in_each_usual_way(url: str, asked: str) -> None:
    assert remote_embedder._embeddings_url(url) == asked


@pytest.mark.parametrize("vector", [[1.0], [-3.0, 2.0, 0.5], [1e-30, 2e-30], [1e30, -1e30]])
def test_a_vector_keeps_its_direction(vector: list[float]) -> None:
    small, large = (
        array.array("b", as_bytes(vector)).tolist(),
        array.array("f", as_floats(vector)).tolist(),
    )
    assert max(map(abs, small)) == 127
    assert math.hypot(*large) == pytest.approx(1, rel=1e-6)
    assert [number / 127 for number in small] == pytest.approx(
        [number / max(map(abs, large)) for number in large], abs=0.005
    )


async def test_prefixes_go_before_texts_and_the_passages_is_part_of_the_models_id(
    provider: Provider, tmp_path: Path
) -> None:
    settings = Settings(
        embeddings_url=provider.url,
        embeddings_model="e5",
        embeddings_query_prefix="query: ",
        embeddings_passage_prefix="passage: ",
    )
    embedder = embedder_for(settings, tmp_path)
    await embedder.query("rake")
    await embedder.passages(["one", "two"])
    assert [body["input"] for body in provider.asked] == [
        ["query: rake"],
        ["passage: one", "passage: two"],
    ]
    assert {body["model"] for body in provider.asked} == {"e5"}
    assert embedder.model == "e5 after passage: "
    former = former_for(Settings(embeddings_url=provider.url), tmp_path, embedder.model)
    assert former is not None
    assert former.model == embedder.model
    await embedder.close()
    await former.close()


# The choice


def test_the_settings_choose_the_embedder(tmp_path: Path) -> None:
    off = embedder_for(Settings(embeddings="off", embeddings_url="http://localhost"), tmp_path)
    assert isinstance(off, NoEmbedder)
    assert (off.model, "HEARTH_EMBEDDINGS" in off.reason) == (None, True)
    assert isinstance(
        embedder_for(Settings(embeddings_url="http://localhost", embeddings_model="m"), tmp_path),
        RemoteEmbedder,
    )
    assert isinstance(embedder_for(Settings(), tmp_path), LocalEmbedder)


async def test_without_an_embedder_every_ask_says_why() -> None:
    none = NoEmbedder("There is none.")
    for ask in (none.query("x"), none.passages(["x"])):
        with pytest.raises(EmbeddingFailed, match="There is none"):
            await ask
    await none.close()


@pytest.mark.parametrize("shared", [True, False])
def test_the_model_is_looked_for_in_the_directory_that_is_set_or_in_the_data(
    tmp_path: Path, model_path: Path, shared: bool
) -> None:
    folder = tmp_path / ("shared" if shared else "data/models")
    folder.mkdir(parents=True)
    (folder / model_path.name).touch()
    assert (
        embedder_for(Settings(models=folder if shared else None), tmp_path / "data").model
        is not None
    )
    assert embedder_for(Settings(models=tmp_path), tmp_path / "data").model is None


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (
            {"embeddings_url": "localhost:11434", "embeddings_model": "m"},
            "HEARTH_EMBEDDINGS_URL: must be an address",
        ),
        (
            {"embeddings_url": "ftp://x", "embeddings_model": "m"},
            "HEARTH_EMBEDDINGS_URL: must be an address",
        ),
        (
            {"embeddings_url": "http://", "embeddings_model": "m"},
            "HEARTH_EMBEDDINGS_URL: must be an address",
        ),
        (
            {"embeddings_url": "http://me:secret@x", "embeddings_model": "m"},
            "must hold no password",
        ),
        ({"embeddings_url": "http://x"}, "HEARTH_EMBEDDINGS_MODEL: must name the model"),
    ],
)
def test_settings_that_do_not_fit_together_are_named(
    tmp_path: Path, given: dict[str, Any], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        embedder_for(Settings(**given), tmp_path)


def test_the_key_is_not_shown_with_the_settings() -> None:
    assert KEY not in repr(Settings(embeddings_key=KEY))
