"""A Hearth in this process: it stores a collection as notes and answers its queries."""

import asyncio
import contextlib
import json
import os
import statistics
import sys
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.errors import AlreadyExists
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from environment import ROOT
from search_quality.judged import Collection, Document

Say = Callable[[str], None]
BASE = "http://127.0.0.1:8765/api/v1"
LANES = 32
TITLE_CHARACTERS = 80
QUERY_CHARACTERS = 1_000
MOST_FOUND = 50
LOADED = "documents.json"
STALLED_SECONDS = 300
TOLD_SECONDS = 10


class Failed(Exception):
    """A server that did not take a document or answer a query."""


@dataclass(frozen=True)
class Asked:
    """What came of asking: per query the documents found, best first; how long each query took.

    What the server had to say.
    """

    found: dict[str, list[str]]
    milliseconds: list[float]
    remarks: list[str]

    @property
    def p50(self) -> float:
        """The median of the milliseconds."""
        return statistics.median(self.milliseconds)


def ask(collection: Collection, data: Path, *, mode: str, limit: int, say: Say) -> Asked:
    """Load the collection into the data directory unless it is there already, wait until all of
    it can be found, and ask every query once.
    """
    data.mkdir(parents=True, exist_ok=True)
    migrate(data / DATABASE)
    notes = _kept(data / LOADED, collection.documents)
    if not notes:
        say(f"{collection.name}: loading {len(collection.documents)} documents")
        notes = asyncio.run(_load(data, mode, collection.documents))
        Path(data, LOADED).write_text(json.dumps(notes), "utf-8")
    return asyncio.run(
        _ask(
            collection,
            data,
            {note: key for key, note in notes.items()},
            mode=mode,
            limit=limit,
            say=say,
        )
    )


def _kept(file: Path, documents: Sequence[Document]) -> dict[str, int]:
    """Return the note of each document, where an earlier run made them all."""
    if not file.exists():
        return {}
    notes: dict[str, int] = json.loads(file.read_text("utf-8"))
    if notes.keys() != {document.key for document in documents}:
        raise Failed(f"{file.parent} holds another collection; give a folder of its own")
    return notes


async def _load(data: Path, mode: str, documents: Sequence[Document]) -> dict[str, int]:
    """Make a note of each document; gives its id."""
    # one for all lanes, so that each takes the next document
    waiting = iter(documents)
    notes: dict[str, int] = {}

    async def lane(client: httpx.AsyncClient) -> None:
        for document in waiting:
            made = await _post(client, "/os/notes", note(document))
            notes[document.key] = made["result"]["note"]["id"]

    async with _serving(data, mode) as client, asyncio.TaskGroup() as lanes:
        for _ in range(LANES):
            lanes.create_task(lane(client))
    return notes


async def _ask(
    collection: Collection,
    data: Path,
    documents: dict[int, str],
    *,
    mode: str,
    limit: int,
    say: Say,
) -> Asked:
    async with _serving(data, mode) as client:
        remarks = await _settled(client, mode, say)
        say(f"{collection.name}: asking {len(collection.queries)} queries")
        return await _answers(
            client, collection, documents, mode=mode, limit=limit, remarks=remarks
        )


@contextlib.asynccontextmanager
async def _serving(data: Path, mode: str) -> AsyncIterator[httpx.AsyncClient]:
    """Run the server over a data directory; gives a client with the key of its only user."""
    asgi = create_app(_settings(mode), data)
    async with asgi.router.lifespan_context(asgi):
        parts = asgi.state.parts
        with contextlib.suppress(AlreadyExists):  # the data may have been kept
            await parts.call(OPERATOR, "add_user", {"username": "reader"})
        key = await parts.call(OPERATOR, "issue_key", {"username": "reader", "name": "evaluation"})
        headers = {"Authorization": f"Bearer {key.secret}"}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=asgi), base_url=BASE, headers=headers, timeout=120
        ) as client:
            await _post(client, "/init", {})
            yield client


def _settings(mode: str) -> Settings:
    """Return the settings of the environment without limits.

    Searching by words alone needs no embeddings.
    """
    given: dict[str, Any] = {
        "rate_limit": 0,
        "failed_limit": 0,
        "access_log": False,
        "durability": "normal",
        "models": ROOT / "data" / "models",
    }
    if mode == "words":
        given["embeddings"] = "off"
    if "HEARTH_MODELS" in os.environ:
        del given["models"]
    known = Settings.__dataclass_fields__
    return Settings.from_environment(
        os.environ, **{name: value for name, value in given.items() if name in known}
    )


async def _post(client: httpx.AsyncClient, path: str, body: object) -> Any:
    response = await client.post(path, json=body)
    if not response.is_success:
        raise Failed(f"POST {path} was answered with {response.status_code}: {response.text[:500]}")
    return response.json()


def note(document: Document) -> dict[str, object]:
    """Return the note that a document becomes.

    One without a title is called by the beginning of its text.
    """
    text = document.text.replace("\0", "")
    return {
        "title": _line(document.title) or _line(text) or "Untitled",
        "content": text,
        "tags": list(document.tags),
    }


def _line(text: str) -> str:
    """Return the first line that holds anything, as a title may be.

    Without control characters, and cut between words where it is long.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    plain = "".join(
        " " if unicodedata.category(mark) in ("Cc", "Zl", "Zp") else mark
        for mark in unicodedata.normalize("NFC", first)
    ).strip()
    return (
        plain
        if len(plain) <= TITLE_CHARACTERS
        else plain[:TITLE_CHARACTERS].rpartition(" ")[0] or plain[:TITLE_CHARACTERS]
    )


async def _settled(client: httpx.AsyncClient, mode: str, say: Say) -> list[str]:
    """Wait until the notes can be found by all that the mode needs.

    Gives what stands in the way.
    """
    told, changed, before = 0.0, time.monotonic(), -1
    while (status := await client.get("/os/search")).is_success:
        words, meaning = status.json()["words"], status.json()["meaning"]
        if mode == "words" or meaning["state"] in ("off", "failing", "paused"):
            left = words["waiting"]
        else:
            left = words["waiting"] + meaning["notes"] - meaning["notesIndexed"]
        if not left and (mode == "words" or meaning["state"] != "indexing"):
            return (
                []
                if mode == "words" or meaning["state"] == "ready"
                else [f"meaning is {meaning['state']}: {meaning.get('reason')}"]
            )
        if left != before:
            before, changed = left, time.monotonic()
        if time.monotonic() - changed > STALLED_SECONDS:
            return [f"{left} notes were not indexed"]
        if time.monotonic() - told > TOLD_SECONDS:
            say(f"{left} notes wait to be indexed")
            told = time.monotonic()
        await asyncio.sleep(0.1)
    return []


async def _answers(
    client: httpx.AsyncClient,
    collection: Collection,
    documents: dict[int, str],
    *,
    mode: str,
    limit: int,
    remarks: list[str],
) -> Asked:
    """Ask one query after the other.

    The first is asked twice, as the first answer of a server takes longer.
    """
    found: dict[str, list[str]] = {}
    milliseconds: list[float] = []
    modes: set[tuple[str, str]] = set()
    known = set(documents.values())
    for query in [collection.queries[0], *collection.queries]:
        body = {
            "query": query.text[:QUERY_CHARACTERS],
            "limit": min(MOST_FOUND, limit + (query.key in known)),
            "mode": mode,
        }
        began = time.perf_counter()
        answer = await _post(client, "/os/notes/search", body)
        milliseconds.append((time.perf_counter() - began) * 1e3)
        # A document that is the query itself is no answer to it: BEIR leaves such a document out
        # too.
        found[query.key] = [
            key for hit in answer["results"] if (key := documents[hit["id"]]) != query.key
        ][:limit]
        modes.add((answer.get("mode", mode), answer.get("notice") or ""))
    told = [
        f"asked for {mode}, ranked by {other}: {notice}" for other, notice in modes if other != mode
    ]
    return Asked(found, milliseconds[1:], [*remarks, *told])


def say(line: str) -> None:
    """Tell the person who waits how far the evaluation is."""
    print(line, file=sys.stderr, flush=True)
