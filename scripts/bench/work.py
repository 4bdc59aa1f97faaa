"""The work that every server is given: filling it, and the requests of each operation."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import corpus
import load
from servers import Server

BIG_FOLDER = "Big"
BIG_FIRST = 50_000_000
FILES = 50
READS = 1_000
TODOS = 100
WRITERS = 4
IDLE_SHARE = 0.05
SETTLE_SECONDS = 600


@dataclass
class Workspace:
    """A filled server: which folders and notes a request may name, and how many notes a
    measurement creates.
    """

    server: Server
    folders: list[int]
    notes: list[int]
    creates: int
    big: int | None = None


@dataclass(frozen=True)
class Operation:
    """One row of the table: requests, how they are sent, and over how many connections."""

    name: str
    title: str
    requests: Callable[[Workspace, int], list[bytes]]
    connections: tuple[int, ...] = (1, 8)
    sent: Literal["steady", "once", "beside"] = "steady"

    def measure(
        self, space: Workspace, *, connections: int, first: int, seconds: float
    ) -> load.Figures:
        """Measure once; `first` is the number of the first note that the operation may create."""
        port, requests = space.server.port, self.requests(space, first)
        if self.sent == "steady":
            return load.steady(port, requests, connections=connections, seconds=seconds)
        if self.sent == "once":
            return load.send_once(port, requests, connections=connections)
        return load.read_beside_writers(port, reads(space, first), requests, writers=WRITERS)


def reads(space: Workspace, _: int) -> list[bytes]:
    """Read each of a thousand notes."""
    return [space.server.get(f"/os/notes/{key}") for key in space.notes]


def listings(space: Workspace, _: int) -> list[bytes]:
    """List the newest 50 of one folder of the corpus."""
    return [space.server.get(f"/os/notes?folderId={space.folders[0]}&limit=50")]


def big_listings(space: Workspace, _: int) -> list[bytes]:
    """List the newest 50 of the big folder."""
    return [space.server.get(f"/os/notes?folderId={space.big}&limit=50")]


def todo_listings(space: Workspace, _: int) -> list[bytes]:
    """List 50 of the open todos with their steps."""
    return [space.server.get("/os/todos?completed=false&limit=50&includeSteps=true")]


def searches(words: int, mode: str = "words") -> Callable[[Workspace, int], list[bytes]]:
    """Search for so many words at once."""
    return lambda space, _: [
        search(space.server, query, mode) for query in corpus.queries(words, 300)
    ]


def filled_searches(space: Workspace, _: int) -> list[bytes]:
    """Search for two words, and let the minimal server give as many notes as Hearth does."""
    return [
        space.server.post("/os/notes/search?any", {"query": query, "mode": "words"})
        for query in corpus.queries(2, 300)
    ]


def common_searches(space: Workspace, _: int) -> list[bytes]:
    """Search for words that stand in every second note or so."""
    return [search(space.server, word, "words") for word in corpus.common_words(20)]


def search(server: Server, query: str, mode: str) -> bytes:
    """Search in one of the ways there are."""
    return server.post("/os/notes/search", {"query": query, "mode": mode})


def openings(space: Workspace, _: int) -> list[bytes]:
    """Find what a command palette offers for what was typed."""
    return [space.server.get(f"/os/find?q={quote(typed)}") for typed in corpus.openings(300)]


def greps(space: Workspace, _: int) -> list[bytes]:
    """Grep for rare literals."""
    return [
        space.server.post("/os/notes/grep", {"pattern": literal, "mode": "literal"})
        for literal in corpus.literals(50)
    ]


def creates(space: Workspace, first: int) -> list[bytes]:
    """Create the next notes of the corpus, each with its folder and tags."""
    numbers = range(first, first + space.creates)
    space.server.text_bytes += _size(numbers)
    return [create(space, corpus.note(number)) for number in numbers]


def create(space: Workspace, note: corpus.Note) -> bytes:
    """Create one note."""
    body = {
        "title": note.title,
        "content": note.markdown,
        "folderId": space.folders[note.folder],
        "tags": note.tags,
    }
    return space.server.post("/os/notes", body)


def accumulates(space: Workspace, first: int) -> list[bytes]:
    """Write the next notes of the corpus, 50 files a call."""
    return [
        accumulate(space, range(at, at + FILES))
        for at in range(first, first + space.creates - FILES + 1, FILES)
    ]


def accumulate(space: Workspace, numbers: range, *, folder: str | None = None) -> bytes:
    """Write some notes of the corpus by one call, into one folder or each into its own."""
    space.server.text_bytes += _size(numbers)
    notes = [corpus.note(number) for number in numbers]
    files = [
        {"path": f"{folder or _folder(note.folder)}/{note.title}", "content": note.markdown}
        for note in notes
    ]
    return space.server.post("/accumulate", {"files": files})


def _size(numbers: range) -> int:
    return sum(len(corpus.note(number).markdown.encode()) for number in numbers)


def _folder(number: int) -> str:
    return f"Folder {number:02}"


OPERATIONS = (
    Operation("read", "read a note", reads),
    Operation("list", "list 50 notes", listings),
    Operation("todos", "list 50 todos", todo_listings),
    Operation("search1", "search one term", searches(1)),
    Operation("search2", "search two terms", searches(2)),
    Operation("filled2", "search two terms, filled up with any", filled_searches),
    Operation("grep", "grep a literal", greps, (1,)),
    Operation("create", "create a note", creates, (1, 8), "once"),
    Operation("accumulate", f"accumulate {FILES} files", accumulates, (1,), "once"),
    Operation("mixed", f"read beside {WRITERS} writers", creates, (1,), "beside"),
)
READING = tuple(operation for operation in OPERATIONS if operation.sent == "steady")
WRITING = tuple(operation for operation in OPERATIONS if operation.sent != "steady")
BIG = (
    Operation("big", "list 50 notes of a small folder", listings),
    Operation("big", "list 50 notes of the big folder", big_listings),
    Operation("big", "search one term in all", searches(1)),
    Operation("big", "grep a literal in all", greps, (1,)),
    Operation("common", "search a common word in all", common_searches),
    Operation("find", "quick open in all", openings),
)
HYBRID = Operation("hybrid", "search by words and meaning in all", searches(2, "hybrid"), (1,))


def empty(server: Server, *, creates: int) -> Workspace:
    """Describe a server that stores nothing: any id will do."""
    return Workspace(server, list(range(1, corpus.FOLDERS + 1)), list(range(1, READS + 1)), creates)


def fill(server: Server, *, notes: int, todos: int, creates: int) -> Workspace:
    """Give a server its folders, so many notes over 8 connections, and so many todos."""
    paths = (_folder(number) for number in range(corpus.FOLDERS))
    folders = [
        server.ask(server.post("/os/folders", {"name": path}))["folder"]["id"] for path in paths
    ]
    space = Workspace(server, folders, [], creates)
    server.text_bytes += _size(range(notes))
    load.send_once(
        server.port, (create(space, corpus.note(number)) for number in range(notes)), connections=8
    )
    for number in range(todos):
        server.ask(server.post("/os/todos", todo(number)))
    space.notes = [key for folder in folders for key in _keys(server, folder)]
    return space


def _keys(server: Server, folder: int) -> Iterator[int]:
    answer = server.ask(server.get(f"/os/notes?folderId={folder}&limit={READS // corpus.FOLDERS}"))
    return (note["id"] for note in answer["notes"])


def todo(number: int) -> dict[str, object]:
    """Make todo number i, with three steps and a day that is still far off."""
    steps = [{"title": f"Step {step} of {number}"} for step in range(1, 4)]
    return {
        "title": f"Todo {number}",
        "priority": number % 6,
        "dueDate": f"2099-{number % 12 + 1:02}-{number % 28 + 1:02}",
        "steps": steps,
    }


def fill_big(space: Workspace, notes: int, *, files: Path | None = None) -> Workspace:
    """Give one folder so many notes by accumulate, and write them as files too where a folder is
    given; gives the workspace, which knows it now.
    """
    numbers = range(BIG_FIRST, BIG_FIRST + notes)

    def call(some: range) -> bytes:
        if files is not None:
            write_files(files, some)
        return accumulate(space, some, folder=BIG_FOLDER)

    load.send_once(
        space.server.port,
        (call(numbers[at : at + FILES]) for at in range(0, notes, FILES)),
        connections=2,
    )
    settle(space.server)
    space.big = space.server.ask(space.server.post("/os/folders", {"name": BIG_FOLDER}))["folder"][
        "id"
    ]
    return space


def write_files(folder: Path, numbers: range) -> None:
    """Write notes of the corpus as files, at most a thousand to a folder."""
    for number in numbers:
        place = folder / str(number // 1_000)
        place.mkdir(parents=True, exist_ok=True)
        place.joinpath(f"{number}.md").write_text(corpus.note(number).markdown, "utf-8")


def settle(server: Server) -> None:
    """Wait until nothing waits to be indexed for searching by words or patterns, and no index is
    put in order, where that can be told.
    """
    end = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < end and _waiting(status(server)):
        time.sleep(0.2)
    while time.monotonic() < end and (before := server.worked()) is not None:
        time.sleep(1)
        if (server.worked() or 0) - before < IDLE_SHARE:
            return


def status(server: Server) -> dict[str, Any]:
    """Give how far the indexes of the search are, or nothing from a server that does not tell."""
    try:
        return dict(server.ask(server.get("/os/search")))
    except load.Refused:
        return {}


def _waiting(found: dict[str, Any]) -> bool:
    return any(part.get("waiting") for part in found.values() if isinstance(part, dict))


def constants(space: Workspace, kinds: set[str]) -> dict[str, str]:
    """Give an answer of middle size of each of these kinds that the server knows, for the server
    that answers constants.
    """
    samples: dict[str, Callable[[], list[bytes]]] = {
        operation.name: partial(operation.requests, space, 0) for operation in READING
    }
    samples["create"] = lambda: [create(space, corpus.note(BIG_FIRST - 1))]
    samples["accumulate"] = lambda: [accumulate(space, range(BIG_FIRST - 1 - FILES, BIG_FIRST - 1))]
    answers = {"health": '{"status":"ok"}'}
    for kind in kinds & samples.keys():
        with contextlib.suppress(load.Refused):
            answers[kind] = _middle(space, samples[kind]()[:25])
    return answers


def _middle(space: Workspace, requests: list[bytes]) -> str:
    bodies = sorted((load.ask(space.server.port, request) for request in requests), key=len)
    return bodies[len(bodies) // 2].decode()
