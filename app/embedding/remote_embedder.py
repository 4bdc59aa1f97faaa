"""The embedder behind any OpenAI-compatible /v1/embeddings address.

Ollama, llama.cpp, a provider in the network.
"""

import array
import asyncio
import math
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from app.core.embedder import PASSAGE_CHARACTERS, EmbeddingFailed
from app.core.process.background_tasks import shielded
from app.core.process.counted import counted
from app.embedding.query_cache import QueryCache

if TYPE_CHECKING:
    import httpx2 as httpx

BATCH = 32
CONNECT_SECONDS = 5.0
QUERY_SECONDS = 10.0
PASSAGES_SECONDS = 120.0
QUERY_TRIES, PASSAGES_TRIES = 2, 5
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
TOO_MANY = 429
SHOWN_CHARACTERS = 200
LARGEST = 127
AFTER = " after "

Pause = Callable[[float], Awaitable[None]]


class Entry(msgspec.Struct):
    """One vector of an answer, and which text it belongs to."""

    embedding: list[float]
    index: int


class Reply(msgspec.Struct):
    """An answer's vectors, in whatever order."""

    data: list[Entry]


class RemoteEmbedder:
    """Asks the address that the settings name.

    Nothing is sent anywhere else, and redirects are not followed.
    """

    characters = PASSAGE_CHARACTERS

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str = "",
        query_prefix: str = "",
        passage_prefix: str = "",
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._url = _embeddings_url(url)
        self._named = self._url.partition("?")[0]
        self._key = key
        self._pause = pause
        self._queries = QueryCache()
        self._client: asyncio.Task[httpx.AsyncClient] | None = None
        self._model = model
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self.model: str | None = remote_id(model, passage_prefix)
        self.dimension: int | None = None
        self.reason = ""

    async def wake(self, text: str) -> None:
        """Do nothing: the server elsewhere runs."""

    async def query(self, text: str) -> bytes:
        """Return the vector of a search's text."""
        found = self._queries.get(text)
        if found is None:
            (vector,) = await self._ask_and_note(
                [self._query_prefix + text], seconds=QUERY_SECONDS, tries=QUERY_TRIES
            )
            found = as_floats(vector)
            self._queries.put(text, found)
        return found

    async def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of passages."""
        found: list[bytes] = []
        for first in range(0, len(texts), BATCH):
            vectors = await self._ask_and_note(
                [self._passage_prefix + text for text in texts[first : first + BATCH]],
                seconds=PASSAGES_SECONDS,
                tries=PASSAGES_TRIES,
            )
            found += map(as_bytes, vectors)
        return found

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await (await self._client).aclose()

    async def _ask_and_note(
        self, texts: Sequence[str], *, seconds: float, tries: int
    ) -> list[list[float]]:
        try:
            vectors = self._check_answer(
                await self._answer(texts, seconds=seconds, tries=tries), len(texts)
            )
        except EmbeddingFailed as error:
            self.reason = str(error)
            raise
        self.reason = ""
        return vectors

    async def _answer(self, texts: Sequence[str], *, seconds: float, tries: int) -> bytes:
        """Return the body of a good answer.

        What may pass by itself is tried again, each time a little later.
        """
        pause = FIRST_PAUSE_SECONDS
        for left in range(tries - 1, -1, -1):
            failure, asked = "", 0.0
            try:
                response = await self._post(texts, seconds)
                if response.status_code == 200:
                    return response.content
                failure, asked = (
                    self._refusal_sentence(response.status_code, response.text),
                    _retry_after(response.headers.get("Retry-After", "")),
                )
                if response.status_code != TOO_MANY and response.status_code < 500:
                    left = 0
            except _http_errors() as error:
                failure = (
                    f"The embeddings address {self._named} does not answer "
                    f"({type(error).__name__})."
                )
            if not left:
                break
            await self._pause(min(max(pause, asked), LONGEST_PAUSE_SECONDS))
            pause *= 2
        raise EmbeddingFailed(failure)

    async def _post(self, texts: Sequence[str], seconds: float) -> "httpx.Response":
        import httpx2 as httpx

        if self._client is None:
            self._client = asyncio.create_task(asyncio.to_thread(self._connect))
        # Shielded: the first who asks may be cancelled while others wait for the same client.
        client = await shielded(self._client)
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        return await client.post(
            self._url, json=body, timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS)
        )

    def _connect(self) -> "httpx.AsyncClient":
        """Make the client; reading the system's certificates takes a while, so this is not for
        the event loop's thread.
        """
        import httpx2 as httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.AsyncClient(
            headers=headers, follow_redirects=False, trust_env=not _is_local(self._url)
        )  # a redirect would send the user's notes and the key to a place nobody named

    def _refusal_sentence(self, status: int, text: str) -> str:
        shown = " ".join(text.split())[:SHOWN_CHARACTERS]
        if self._key:  # some servers repeat the header that they refuse
            shown = shown.replace(self._key, "…")
        hint = {
            401: " HEARTH_EMBEDDINGS_KEY is missing or wrong.",
            403: " HEARTH_EMBEDDINGS_KEY does not allow this.",
        }.get(status, "")
        return f"The embeddings address {self._named} answered {status}.{hint}" + (
            f" It says: {shown}" if shown else ""
        )

    def _check_answer(self, body: bytes, count: int) -> list[list[float]]:
        try:
            entries = sorted(
                msgspec.json.decode(body, type=Reply).data, key=lambda entry: entry.index
            )
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise EmbeddingFailed(
                f"What the embeddings address {self._named} answered is not a list of embeddings."
            ) from None
        if [entry.index for entry in entries] != list(range(count)):
            raise EmbeddingFailed(
                f"The embeddings address {self._named} gave {counted(len(entries), 'vector')} for "
                f"{counted(count, 'text')}."
            )
        vectors = [entry.embedding for entry in entries]
        expected = self.dimension or len(vectors[0])
        for vector in vectors:
            if len(vector) != expected:
                raise EmbeddingFailed(
                    f"The embeddings address {self._named} gave a vector of {len(vector)} numbers "
                    f"instead of {expected}."
                )
            if not any(vector):  # it has no direction, so nothing can be near to it
                raise EmbeddingFailed(
                    f"The embeddings address {self._named} gave a vector of zeros."
                )
        self.dimension = expected
        return vectors


def remote_id(model: str, passage_prefix: str) -> str:
    """Return what is stored with a model's vectors: with other prefixes they are others."""
    return f"{model}{AFTER}{passage_prefix}" if passage_prefix else model


def split_remote_id(id_: str) -> tuple[str, str]:
    """Return the model and the prefix that `remote_id` has joined."""
    model, _, prefix = id_.partition(AFTER)
    return model, prefix


def as_floats(vector: Sequence[float]) -> bytes:
    """Return the vector with length one as little-endian float32."""
    norm = math.hypot(*vector)
    return _little_endian(array.array("f", (number / norm for number in vector)))


def as_bytes(vector: Sequence[float]) -> bytes:
    """Return the vector as int8, its largest number as 127."""
    scale = LARGEST / max(map(abs, vector))
    return array.array("b", (round(number * scale) for number in vector)).tobytes()


def _little_endian(numbers: "array.array[float]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _embeddings_url(url: str) -> str:
    """Return the address to post to, from it or from what it lies below
    (`http://localhost:11434/v1`).
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path else "/v1/embeddings"
    return parts._replace(path=path, fragment="").geturl()


def _is_local(url: str) -> bool:
    """Return whether the address is this machine's own, which no proxy can reach."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _retry_after(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() else 0.0


def _http_errors() -> Any:
    import httpx2 as httpx

    return (httpx.RequestError, httpx.InvalidURL)
