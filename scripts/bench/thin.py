"""The least server that does the real work.

Starlette, one SQLite file with FTS5, group commit on one writer thread.

It speaks the measured part of the wire contract with answers of the same shape, and leaves out
what costs nothing to leave out: credentials, scopes, checks, versions, and a Markdown renderer
(its HTML is the escaped text).
"""

import argparse
import asyncio
import contextlib
import datetime
import html
import json
import queue
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

API = "/api/v1"
BATCH = 64
SCHEMA = """
CREATE TABLE IF NOT EXISTS folder(id INTEGER PRIMARY KEY, name TEXT UNIQUE, notes INTEGER NOT
  NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS note(
  id INTEGER PRIMARY KEY, folder INTEGER, title TEXT, markdown TEXT, tags TEXT, words INTEGER,
    created TEXT, updated TEXT);
CREATE INDEX IF NOT EXISTS note_page ON note(folder, updated DESC, id DESC);
CREATE TABLE IF NOT EXISTS todo(
  id INTEGER PRIMARY KEY, title TEXT, completed INTEGER, priority INTEGER, due TEXT, steps TEXT,
    created TEXT);
CREATE INDEX IF NOT EXISTS todo_page ON todo(completed, due, priority DESC, id);
CREATE VIRTUAL TABLE IF NOT EXISTS note_text USING fts5(title, markdown, content='note',
  content_rowid='id');
"""
Json = dict[str, Any]
Job = Callable[[sqlite3.Connection], Json]
Waiting = tuple[Job, "asyncio.Future[Json]"]


def connect(path: Path) -> sqlite3.Connection:
    """Open the database as the writer and the readers share it."""
    database = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536"):
        database.execute(f"PRAGMA {pragma}")
    return database


class Writer(threading.Thread):
    """The one thread that writes: all jobs that wait become one transaction."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.database = connect(path)
        self.waiting: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self.loop = asyncio.get_running_loop()

    async def write(self, job: Job) -> Json:
        """Run a job in the next transaction; gives its result once that is committed."""
        answer: asyncio.Future[Json] = self.loop.create_future()
        self.waiting.put((job, answer))
        return await answer

    def run(self) -> None:
        while (first := self.waiting.get()) is not None:
            batch = [first]
            while len(batch) < BATCH and not self.waiting.empty():
                following = self.waiting.get()
                if following is None:
                    self.waiting.put(None)
                    break
                batch.append(following)
            self.loop.call_soon_threadsafe(settle, self.commit(batch))
        self.database.close()

    def commit(self, batch: list[Waiting]) -> list[tuple["asyncio.Future[Json]", Json | Exception]]:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            done: list[tuple[asyncio.Future[Json], Json | Exception]] = [
                (answer, job(self.database)) for job, answer in batch
            ]
            self.database.execute("COMMIT")
        except (sqlite3.Error, KeyError, TypeError) as error:
            self.database.execute("ROLLBACK")
            return [(answer, error) for _, answer in batch]
        return done


def settle(done: list[tuple["asyncio.Future[Json]", Json | Exception]]) -> None:
    """Answer everyone of a batch."""
    for answer, result in done:
        if answer.done():
            continue
        if isinstance(result, Exception):
            answer.set_exception(result)
        else:
            answer.set_result(result)


def now() -> str:
    """Give the moment as the contract writes it."""
    return (
        datetime.datetime.now(datetime.UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def insert_note(
    database: sqlite3.Connection, *, folder: int | None, title: str, markdown: str, tags: list[str]
) -> int:
    """Insert a note and its words; gives its id."""
    moment = now()
    row = (folder, title, markdown, json.dumps(tags), len(markdown.split()), moment, moment)
    sql = (
        "INSERT INTO note(folder, title, markdown, tags, words, created, updated) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    key = database.execute(sql, row).lastrowid
    assert key is not None
    database.execute(
        "INSERT INTO note_text(rowid, title, markdown) VALUES (?, ?, ?)", (key, title, markdown)
    )
    database.execute("UPDATE folder SET notes = notes + 1 WHERE id = ?", (folder,))
    return key


def folder_id(database: sqlite3.Connection, name: str) -> int:
    """Give a folder's id; made when there is none."""
    database.execute("INSERT INTO folder(name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return int(database.execute("SELECT id FROM folder WHERE name = ?", (name,)).fetchone()[0])


def reply(answer: Json, status: int = 200) -> Response:
    """Encode an answer with the standard library."""
    content = json.dumps(
        {"success": True, **answer}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    return Response(content, status, media_type="application/json")


async def health(_: Request) -> Response:
    """Answer that the server runs."""
    return reply({"status": "ok"})


async def create_folder(request: Request) -> Response:
    """Give the folder of a name."""
    name = (await request.json())["name"]
    found = await request.state.writer.write(
        lambda database: {"id": folder_id(database, name), "name": name}
    )
    return reply({"folder": found})


async def create_note(request: Request) -> Response:
    """Create a note."""
    asked = json.loads(await request.body())

    def job(database: sqlite3.Connection) -> Json:
        folder, title, tags = asked.get("folderId"), asked["title"], asked.get("tags", [])
        key = insert_note(
            database, folder=folder, title=title, markdown=asked["content"], tags=tags
        )
        return {"note": {"id": key, "title": title, "folderId": folder, "revision": 1}}

    return reply({"result": await request.state.writer.write(job)}, 201)


async def accumulate(request: Request) -> Response:
    """Create the notes of a list of files in one transaction."""
    files = json.loads(await request.body())["files"]

    def job(database: sqlite3.Connection) -> Json:
        for file in files:
            folder, _, title = file["path"].rpartition("/")
            insert_note(
                database,
                folder=folder_id(database, folder),
                title=title,
                markdown=file["content"],
                tags=[],
            )
        return {
            "created": len(files),
            "updated": 0,
            "deleted": 0,
            "skipped": 0,
            "errors": [],
            "versions": [],
        }

    return reply(await request.state.writer.write(job))


async def read_note(request: Request) -> Response:
    """Give one note, read in the event loop."""
    sql = "SELECT id, folder, title, markdown, tags, words, created, updated FROM note WHERE id = ?"
    key, folder, title, markdown, tags, words, created, updated = request.state.reader.execute(
        sql, (request.path_params["id"],)
    ).fetchone()
    record = {
        "id": key,
        "title": title,
        "content": html.escape(markdown).replace("\n", "<br>\n"),
        "markdown": markdown,
    }
    record |= {
        "folderId": folder,
        "folder": {"id": folder, "name": ""},
        "tags": json.loads(tags),
        "pinned": False,
        "wordCount": words,
    }
    return reply(
        {
            "note": record
            | {"revision": 1, "createdAt": created, "updatedAt": updated, "snapshotCount": 0}
        }
    )


async def list_notes(request: Request) -> Response:
    """Give a page of a folder, newest first, and the number of its notes from a counter."""
    query = request.query_params
    folder, limit, offset = (
        int(query["folderId"]),
        int(query.get("limit", 50)),
        int(query.get("offset", 0)),
    )
    sql = (
        "SELECT id, title, words, tags, updated FROM note WHERE folder = ? "
        "ORDER BY updated DESC, id DESC LIMIT ? OFFSET ?"
    )
    rows = request.state.reader.execute(sql, (folder, limit, offset)).fetchall()
    name, total = request.state.reader.execute(
        "SELECT name, notes FROM folder WHERE id = ?", (folder,)
    ).fetchone()
    notes = [
        {
            "id": key,
            "title": title,
            "wordCount": words,
            "pinned": False,
            "tags": json.loads(tags),
            "updatedAt": updated,
        }
        | {"folderId": folder, "revision": 1}
        for key, title, words, tags, updated in rows
    ]
    limited = offset + len(rows) < total
    return reply(
        {
            "folder": {"id": folder, "name": name},
            "notes": notes,
            "totalNotes": total,
            "limited": limited,
        }
    )


async def search(request: Request) -> Response:
    """Give the ten best notes for some words, ranked in the event loop.

    With `?any` notes that hold some of them fill up the ten, as they do in Hearth's answer.
    """
    words = json.loads(await request.body())["query"].split()
    sql = """SELECT note.id, note.title, snippet(note_text, 1, '', '', '…', 24),
          folder, rank, updated, substr(note.markdown, 1, 2000)
             FROM note_text JOIN note ON note.id = note_text.rowid WHERE note_text MATCH ?
               ORDER BY rank LIMIT 10"""
    quoted = [f'"{word}"' for word in words]
    rows = request.state.reader.execute(sql, (" ".join(quoted),)).fetchall()
    if "any" in request.query_params and len(rows) < 10:
        known = {row[0] for row in rows}
        some = request.state.reader.execute(sql, (" OR ".join(quoted),)).fetchall()
        rows = [*rows, *(row for row in some if row[0] not in known)][:10]
    found = [
        {
            "id": key,
            "title": title,
            "snippet": snippet,
            "folderId": folder,
            "score": -rank,
            "updatedAt": updated,
        }
        for key, title, snippet, folder, rank, updated, _ in rows
    ]
    texts = [{"id": row[0], "title": row[1], "snippet": row[2], "content": row[6]} for row in rows]
    return reply({"results": found, "result": {"results": texts}})


def matching_lines(markdown: str, pattern: str) -> list[Json]:
    """Give the lines that hold a literal, whatever its case."""
    lines = enumerate(markdown.split("\n"), 1)
    return [
        {
            "line": line,
            "column": at + 1,
            "text": text,
            "match": text[at : at + len(pattern)],
            "before": [],
            "after": [],
        }
        for line, text in lines
        if (at := text.lower().find(pattern)) >= 0
    ]


async def grep(request: Request) -> Response:
    """Give the lines of all notes that hold a literal; the scan runs in a thread."""
    pattern = json.loads(await request.body())["pattern"].lower()

    def scan() -> Json:
        sql = "SELECT id, title, markdown FROM note WHERE markdown LIKE ? ORDER BY id"
        rows = request.state.scanner.execute(sql, (f"%{pattern}%",)).fetchall()
        scanned = request.state.scanner.execute("SELECT sum(notes) FROM folder").fetchone()[0]
        results = [
            {"noteId": key, "title": title, "matches": matching_lines(markdown, pattern)}
            for key, title, markdown in rows
        ]
        return {
            "results": results,
            "summary": {"notesScanned": scanned, "notesMatched": len(rows)},
            "truncated": False,
        }

    return reply(await anyio.to_thread.run_sync(scan))


async def create_todo(request: Request) -> Response:
    """Create a todo with its steps."""
    asked = await request.json()
    steps = json.dumps(
        [
            {"id": at, "title": step["title"], "completed": False}
            for at, step in enumerate(asked["steps"], 1)
        ]
    )
    row = (asked["title"], asked["priority"], asked["dueDate"], steps, now())

    def job(database: sqlite3.Connection) -> Json:
        sql = (
            "INSERT INTO todo(title, completed, priority, due, steps, created) "
            "VALUES (?, 0, ?, ?, ?, ?)"
        )
        return {"todo": {"id": database.execute(sql, row).lastrowid}}

    return reply({"result": await request.state.writer.write(job)}, 201)


async def list_todos(request: Request) -> Response:
    """Give a page of the open todos with their steps."""
    sql = (
        "SELECT id, title, priority, due, steps, created FROM todo WHERE completed = 0 "
        "ORDER BY due, priority DESC, id LIMIT ?"
    )
    rows = request.state.reader.execute(sql, (int(request.query_params["limit"]),)).fetchall()
    total = request.state.reader.execute(
        "SELECT count(*) FROM todo WHERE completed = 0"
    ).fetchone()[0]
    todos = [
        {
            "id": key,
            "title": title,
            "description": None,
            "completed": False,
            "completedAt": None,
            "priority": priority,
            "dueDate": due,
        }
        | {
            "steps": json.loads(steps),
            "recurrence": None,
            "createdAt": created,
            "updatedAt": created,
        }
        for key, title, priority, due, steps, created in rows
    ]
    return reply({"result": {"todos": todos, "total": total}})


def application(path: Path) -> Starlette:
    """Build the server over one database file."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[Json]:
        with contextlib.closing(connect(path)) as database:
            database.executescript(SCHEMA)
        writer = Writer(path)
        writer.start()
        with (
            contextlib.closing(connect(path)) as reader,
            contextlib.closing(connect(path)) as scanner,
        ):
            yield {"writer": writer, "reader": reader, "scanner": scanner}
        writer.waiting.put(None)
        writer.join()

    return Starlette(lifespan=lifespan, routes=ROUTES)


ROUTES = [
    Route(f"{API}/os/notes/{{id:int}}", read_note),
    Route(f"{API}/os/notes", list_notes),
    Route(f"{API}/os/notes", create_note, methods=["POST"]),
    Route(f"{API}/os/notes/search", search, methods=["POST"]),
    Route(f"{API}/os/notes/grep", grep, methods=["POST"]),
    Route(f"{API}/os/todos", list_todos),
    Route(f"{API}/os/todos", create_todo, methods=["POST"]),
    Route(f"{API}/os/folders", create_folder, methods=["POST"]),
    Route(f"{API}/accumulate", accumulate, methods=["POST"]),
    Route("/healthz", health),
]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    served = application(options.data / "thin.db")
    uvicorn.run(served, host="127.0.0.1", port=options.port, log_level="warning", access_log=False)
