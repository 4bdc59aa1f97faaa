"""What is measured of searching besides rates.

Grep beside ripgrep over the same notes as files, and what finding by meaning takes.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import statistics
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corpus
import load
import work
from servers import Failed, Server

RUNS = 5
READS = 400
POLL_SECONDS = 0.2  # more often, and the asking itself would cost what is measured
FOUND_AT_ONCE = 20
QUERIES = 30
MEANING_SECONDS = 300
SAVED_SECONDS = 20
COLLECTION = Path(__file__).parents[2] / "tests" / "collection" / "corpus.jsonl"
MODEL, DIMENSION = "all-MiniLM-L6-v2/int8", 384


@dataclass(frozen=True)
class Pattern:
    """One thing to grep for."""

    name: str
    text: str
    mode: str


PATTERNS = (
    Pattern("rare literal", "5000123", "literal"),
    Pattern("common literal", corpus.word(3_500), "literal"),
    Pattern("regex with literals", rf"\b{corpus.word(1_000)} [a-z]{{4}}\b", "regex"),
    Pattern("regex without literals", r"\b[a-z]{6} [0-9]+77\b", "regex"),
)


@dataclass(frozen=True)
class Grepped:
    """How long a grep took, as a median of milliseconds, and how many notes it found."""

    milliseconds: float
    notes: int


def grep(server: Server, pattern: Pattern) -> Grepped:
    """Grep all notes by the server, until no line is left out."""
    body = {"pattern": pattern.text, "mode": pattern.mode, "caseSensitive": True, "limit": 10_000}
    request = server.post("/os/notes/grep", body)
    notes = server.ask(request)["summary"]["notesMatched"]
    return Grepped(load.send_once(server.port, [request] * RUNS, connections=1).p50, notes)


def ripgrep(folder: Path, pattern: Pattern) -> Grepped | None:
    """Grep the same notes as files with two threads on any core, where ripgrep is installed."""
    if shutil.which("rg") is None:
        return None
    kind = ["-F"] if pattern.mode == "literal" else []
    command = [
        "rg",
        "-j2",
        "--no-ignore",
        "--no-config",
        *kind,
        "-n",
        "--",
        pattern.text,
        str(folder),
    ]
    found = subprocess.run(
        # this process is kept on the core of the load, and its children would be too
        [*command[:1], "-l", *command[1:]],
        capture_output=True,
        text=True,
        preexec_fn=_any_core,
    ).stdout
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, preexec_fn=_any_core)
        times.append((time.perf_counter() - began) * 1e3)
    return Grepped(statistics.median(times), len(found.splitlines()))


def _any_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))


def meaning(server: Server, *, notes: int) -> dict[str, float]:
    """Give what it takes to find by meaning on a server that is still empty.

    Rates, memory, and what a read beside it feels.
    """
    texts = prose(2 * notes)
    space = work.fill(server, notes=1, todos=0, creates=0)
    list(_memory_until(server, 1))  # until the worker has started
    began = time.perf_counter()
    _post(server, texts[:notes])
    memory = [found for found in _memory_until(server, 1 + notes) if found]
    seconds = time.perf_counter() - began
    _post(server, texts[notes:])
    reads = [server.get(f"/os/notes/{key}") for key in space.notes]
    busy = load.send_once(server.port, reads * READS, connections=1)
    still = _indexed(server) < 1 + len(texts)
    memory += [found for found in _memory_until(server, 1 + len(texts)) if found]
    rest = load.send_once(server.port, reads * READS, connections=1)
    facts = {"notes embedded a second": notes / seconds, **_saved(server)}
    if memory:
        facts["memory of the worker while busy, MB"] = max(memory)
    if still:
        facts["read p50 while embedding / at rest"] = busy.p50 / rest.p50
    queries = [work.search(server, query, "meaning") for query in corpus.queries(3, QUERIES)]
    facts[f"search by meaning among {len(texts)} notes, p50 ms"] = load.send_once(
        server.port, queries, connections=1
    ).p50
    return facts


def _post(server: Server, notes: list[dict[str, str]]) -> None:
    load.send_once(server.port, (server.post("/os/notes", note) for note in notes), connections=1)


def prose(count: int) -> list[dict[str, str]]:
    """Give notes of English sentences, about a kilobyte each.

    What a model reads of invented words says little about its speed.
    """
    rows = [json.loads(line) for line in COLLECTION.read_text("utf-8").splitlines()]
    english = [row for row in rows if row["metadata"]["language"] == "en"]
    pairs = (
        (english[at % len(english)], english[(at + 1 + at // len(english)) % len(english)])
        for at in range(count)
    )
    return [
        {"title": first["title"], "content": f"{first['text']}\n\n{second['text']}"}
        for first, second in pairs
    ]


def _indexed(server: Server) -> int:
    told = work.status(server).get("meaning", {})
    if told.get("state") in (None, "off", "failing"):
        raise Failed(
            f"{server.name} does not search by meaning: "
            f"{told.get('reason') or 'it says nothing about it'}"
        )
    return int(told["notesIndexed"])


def _memory_until(server: Server, notes: int) -> Iterator[float | None]:
    """Give the memory of the workers again and again until so many notes have vectors."""
    end = time.monotonic() + MEANING_SECONDS
    while _indexed(server) < notes:
        if time.monotonic() > end:
            raise Failed(f"{server.name} had not embedded {notes} notes after {MEANING_SECONDS} s")
        yield server.workers_memory()
        time.sleep(POLL_SECONDS)
    yield server.workers_memory()


def _saved(server: Server) -> dict[str, float]:
    """Tell when a saved note is found: by words in the next request, by meaning after how long."""
    at_once = 0
    for number in range(FOUND_AT_ONCE):
        note = _save(server, f"Zq{number}xj alone")
        at_once += note in _found(server, f"zq{number}xj", "words")
    note, began = _save(server, "Where the boat is moored in winter"), time.perf_counter()
    while note not in _found(server, "mooring of our boat during the cold season", "meaning"):
        if time.perf_counter() - began > SAVED_SECONDS:
            raise Failed(f"{server.name} did not find a note by meaning within {SAVED_SECONDS} s")
        time.sleep(0.01)
    seconds = time.perf_counter() - began
    return {
        f"notes of {FOUND_AT_ONCE} found by words in the next request": at_once,
        "saved note found by meaning after, s": seconds,
    }


def _save(server: Server, title: str) -> int:
    answer = server.ask(
        server.post("/os/notes", {"title": title, "content": f"{title}, as we agreed."})
    )
    return int(answer["result"]["note"]["id"])


def _found(server: Server, query: str, mode: str) -> list[int]:
    answer: dict[str, Any] = server.ask(work.search(server, query, mode))
    return [hit["id"] for hit in answer["results"]]


def invent_vectors(server: Server, *, most: int = -1) -> None:
    """Give notes of a stopped server one random vector of the model each, all or so many.

    To embed a hundred thousand takes an hour and a half.
    """
    span = struct.pack("<II8s", 0, 500, b"")
    made = (
        "INSERT OR IGNORE INTO embedding_models (id, name, dimension, complete, "
        "created_at) VALUES (1, ?, ?, 1, '')"
    )
    filled = """INSERT OR IGNORE INTO note_passages
                (note_id, model_id, version, title, spans, vectors)
                SELECT id, 1, version, title, ?, randomblob(?) FROM notes LIMIT ?"""
    with contextlib.closing(sqlite3.connect(server.data / "hearth.db")) as database, database:
        try:
            database.execute(made, (MODEL, DIMENSION))
            database.execute(filled, (span, DIMENSION, most))
        except sqlite3.Error as error:
            raise Failed(f"{server.name} keeps its vectors in another way: {error}") from error


def memory_by_meaning(server: Server) -> float | None:
    """Start a server with vectors and give its memory in MB once it has searched them."""
    server.start()
    for query in corpus.queries(2, QUERIES):
        answer = server.ask(work.search(server, query, "hybrid"))
    if answer.get("mode") != "hybrid":
        raise Failed(f"{server.name} ranks by words only: {answer.get('notice')}")
    return server.memory()
