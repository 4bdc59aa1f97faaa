"""How often a conversation without a model goes right, turn by turn.

A dialogue says what a person says and what must be so afterwards: `does` lists every change of the
workspace, and nothing else may have changed; `answer` lists patterns that the answer must hold,
`never` those that it must not. Each dialogue begins anew in the workspace of its language, in
tests/evaluation/dialogues/<language>, at the same moment. `DIALOGUES` in the environment names
another folder, with dialogues that nobody has tuned anything on.

“Right or rightly asked” also counts a turn that changes nothing but asks, where a plain yes to its
question makes exactly the change that is listed. Each dialogue in which something was asked is had
a second time for it, with somebody who says yes to what is right and goes on from there.
"""

import asyncio
import contextlib
import datetime
import functools
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2 as httpx

from app.core.caller import OPERATOR
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from evaluation import Row, add_brain, row, sample

FOLDER = Path(
    os.environ.get("DIALOGUES") or Path(__file__).parents[2] / "tests/evaluation/dialogues"
)
BASE = "http://127.0.0.1:8765/api/v1"
NOW = datetime.datetime(2026, 11, 23, 8, 0, tzinfo=datetime.UTC)
"""A Monday, 9 in the morning in the workspaces' zone."""
STEP = datetime.timedelta(seconds=20)
SETTINGS = Settings(
    durability="normal", rate_limit=0, failed_limit=0, embeddings="off", access_log=False
)
KINDS = ("todo", "note", "folder", "waits")
UNTOLD = {"id", "createdAt", "updatedAt", "completedAt", "revision", "wordCount"}
"""Fields that change by themselves; a dialogue does not list them."""
YES = {"en": "yes", "de": "ja", "fr": "oui", "es": "sí", "zh": "是的", "ja": "はい"}
State = dict[tuple[str, Any], dict[str, Any]]
"""What there is, by kind and id."""


class Turn(NamedTuple):
    """One turn of a dialogue and what was wrong with it, if anything."""

    half: str
    language: str
    dialogue: str
    number: int
    said: str
    answered: str
    missing: list[str]
    wrong: list[str]
    answer: list[str]
    rightly_asked: bool = False
    """Whether this is right, or rightly asked, where what was rightly asked before got its yes."""

    @property
    def right(self) -> bool:
        """Whether the turn did what it had to, nothing else, and said so."""
        return not self.missing and not self.wrong and not self.answer


def evaluate() -> list[Row]:
    """Return the figures of both halves: first turns, later ones, and those that act wrongly."""
    rows = []
    for half in ("a", "b"):
        mine = [turn for turn in turns() if turn.half == half]
        rows += [
            row(half, "right, first turns", (turn.right for turn in mine if turn.number == 1)),
            row(half, "right, later turns", (turn.right for turn in mine if turn.number > 1)),
            row(half, "right or rightly asked", (turn.rightly_asked for turn in mine)),
            row(half, "no wrong act", (not turn.wrong for turn in mine)),
            *(
                row(
                    half,
                    f"right, {language}",
                    (turn.right for turn in mine if turn.language == language),
                )
                for language in sorted({turn.language for turn in mine})
            ),
            *(
                row(
                    half,
                    f"or rightly asked, {language}",
                    (turn.rightly_asked for turn in mine if turn.language == language),
                )
                for language in sorted({turn.language for turn in mine})
            ),
        ]
    return rows


def misses(*, asked_again: bool = True, language: str = "") -> list[str]:
    """Return what was wrong in each turn that was not right; with a language, of its own."""
    return [
        f"{turn.half} {turn.language} {turn.dialogue}/{turn.number} “{turn.said}” → "
        f"“{' '.join(turn.answered.split())[:160]}”: "
        f"{'; '.join(turn.missing + turn.wrong + turn.answer)}"
        for turn in turns(asked_again=asked_again, language=language)
        if not turn.right
    ]


def turns(*, asked_again: bool = True, language: str = "") -> tuple[Turn, ...]:
    """Have every dialogue; with a language, every one of its own.

    Without `asked_again` no dialogue is had a second time, so nothing counts as rightly asked.
    """
    return _all_turns(asked_again, language)


@functools.cache
def _all_turns(asked_again: bool, language: str) -> tuple[Turn, ...]:
    folders = [FOLDER / language] if language else _folders()
    return tuple(asyncio.run(_have_all(folders, asked_again)))


async def _have_all(folders: list[Path], asked_again: bool) -> list[Turn]:
    had: list[Turn] = []
    for folder in folders:
        wanted = json.loads(_text(folder / "workspace.json"))
        dialogues = map(json.loads, filter(None, _text(folder / "dialogues.jsonl").splitlines()))
        with (
            tempfile.TemporaryDirectory() as name,
            tempfile.TemporaryDirectory(dir=name) as workspace,
        ):
            begun, data = Path(workspace), Path(name, "now")
            key = await _make_workspace(begun, wanted)
            async with _copied(begun, data, key, {}) as server:
                at_first = await server.state()
            have = _have if asked_again else _have_once
            for number, dialogue in sample(list(enumerate(dialogues, 1))):
                where = begun, data, key, server.contents
                had += await have(folder.name, f"{number}", dialogue, where, at_first)
    return had


def _folders() -> list[Path]:
    return sorted(path for path in FOLDER.iterdir() if path.is_dir())


def _text(path: Path) -> str:
    return path.read_text("utf-8")


@contextlib.asynccontextmanager
async def _copied(
    begun: Path, data: Path, key: str, contents: dict[tuple[int, int], Any]
) -> AsyncIterator["_Server"]:
    """Serve a copy of a workspace, in `data`; `contents` are those of its notes that are known."""
    shutil.copytree(begun, data)
    async with _Server(data, key, contents) as server:
        yield server
    shutil.rmtree(data)


Where = tuple[Path, Path, str, dict[tuple[int, int], Any]]
"""A workspace, the folder for its copy, its owner's key, and the contents that are known."""


async def _have(
    language: str, name: str, dialogue: dict[str, Any], where: Where, before: State
) -> list[Turn]:
    """Have a dialogue as it is written, and where something was asked once more with a yes."""
    had = await _have_once(language, name, dialogue, where, before)
    if not any(_asks(turn) for turn in had):
        return had
    refused: set[int] = set()
    while True:
        again = [turn async for turn in _turns(language, name, dialogue, where, before, refused)]
        if len(again) == len(had):
            rights = [turn.right or turn.rightly_asked for turn in again]
            return [
                turn._replace(rightly_asked=right) for turn, right in zip(had, rights, strict=True)
            ]
        refused.add(len(again) + 1)


async def _have_once(
    language: str, name: str, dialogue: dict[str, Any], where: Where, before: State
) -> list[Turn]:
    """Have a dialogue as it is written."""
    had = [turn async for turn in _turns(language, name, dialogue, where, before, None)]
    return [turn._replace(rightly_asked=turn.right) for turn in had]


async def _turns(
    language: str,
    name: str,
    dialogue: dict[str, Any],
    where: Where,
    before: State,
    refused: set[int] | None,
) -> AsyncIterator[Turn]:
    """Yield the turns of a dialogue; with `refused`, every question but those of these turns gets
    a yes, and the first that is wrong ends the dialogue.
    """
    talk: int | None = None
    async with _copied(*where) as server:
        for number, turn in enumerate(dialogue["turns"], 1):
            said, talk = await server.say(turn["say"], talk)
            after = await server.state()
            difference = compare(before, after, turn.get("does", []))
            answer = judge(said, turn.get("answer", []), turn.get("never", []))
            half = dialogue.get("half", "a")
            one = Turn(half, language, name, number, turn["say"], said, *difference, answer)
            if refused is not None and _asks(one) and number not in refused:
                await server.say(YES[language], talk)
                after = await server.state()
                if any(compare(before, after, turn["does"])):
                    return
                one = one._replace(rightly_asked=True)
            before = after
            server.now += STEP
            yield one


def _asks(turn: Turn) -> bool:
    """Return whether a turn has asked instead of doing what it had to."""
    return bool(turn.missing and not turn.wrong and turn.answered.rstrip().endswith(("?", "？")))


def judge(said: str, needs: list[str], never: list[str]) -> list[str]:
    """Return what an answer lacks or must not say."""
    lacks = [f"does not say {one!r}" for one in needs if not re.search(one, said, re.I | re.S)]
    return lacks + [f"says {one!r}" for one in never if re.search(one, said, re.I | re.S)]


class Difference(NamedTuple):
    """How the changes of a turn differ from those that it had to make."""

    missing: list[str]
    """What was not done."""
    wrong: list[str]
    """What was done and ought not to have been."""


def compare(before: State, after: State, does: list[dict[str, Any]]) -> Difference:
    """Return how the changes differ from those that a turn had to make."""
    made = {key: set(fields) for key, fields in after.items() if key not in before}
    gone = {key: set(fields) for key, fields in before.items() if key not in after}
    changed = {key: _changed(before[key], after[key]) for key in before.keys() & after.keys()}
    changed = {key: names for key, names in changed.items() if names}
    found = Difference([], [])
    for wanted in does:
        kind = next(name for name in KINDS if name in wanted)
        fields = {
            name: value for name, value in wanted.items() if name not in (kind, "new", "gone")
        }
        pool, rows, verb = changed, before, "changed"
        if wanted.get("new"):
            pool, rows, verb = made, after, "made"
        elif wanted.get("gone"):
            pool, verb = gone, "removed"
        fitting = (
            one for one in pool if one[0] == kind and _fits(rows[one]["title"], wanted[kind])
        )
        if (key := next(fitting, None)) is None:
            found.missing.append(f"{kind} “{wanted[kind]}” was not {verb}")
            continue
        names = pool.pop(key)
        told = f"{kind} “{rows[key]['title']}”:"
        is_now = after.get(key, {})
        found.wrong.extend(
            f"{told} {name} is {is_now.get(name)!r}"
            for name, value in fields.items()
            if not _fits(is_now.get(name), value)
        )
        if pool is changed:
            found.wrong.extend(
                f"{told} {name} became {is_now[name]!r}" for name in sorted(names - set(fields))
            )
    for verb, pool, rows in (
        ("made", made, after),
        ("removed", gone, before),
        ("changed", changed, before),
    ):
        found.wrong.extend(f"{kind} “{rows[kind, id_]['title']}” was {verb}" for kind, id_ in pool)
    return found


def _changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in after if after[name] != before.get(name)} - UNTOLD


def _fits(value: Any, wanted: Any) -> bool:
    """Return whether a value is as wanted; a text in slashes is a pattern, for JSON too."""
    if isinstance(wanted, str) and len(wanted) > 1 and wanted[0] == wanted[-1] == "/":
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return value is not None and re.search(wanted[1:-1], text, re.I | re.S) is not None
    return bool(value == wanted)


class _Server:
    """A server over a copy of the workspace, at a moment of its own."""

    def __init__(self, data: Path, key: str, contents: dict[tuple[int, int], Any]) -> None:
        self.now = NOW
        self.contents = dict(contents)
        self._app = create_app(SETTINGS, data, clock=lambda: self.now)
        self._life = self._app.router.lifespan_context(self._app)
        self.client = _client(self._app, key)

    async def __aenter__(self) -> "_Server":
        await self._life.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        # an index for the next start: this workspace is thrown away
        self._app.state.parts.store.idle_work.clear()
        await self._life.__aexit__(None, None, None)

    async def say(self, message: str, talk: int | None) -> tuple[str, int | None]:
        """Return the answer to a message, and the conversation that it belongs to."""
        body = {"message": message, "stream": False}
        if talk:
            body["conversationId"] = talk
        told = (await self.client.post("/chat", json=body)).json()
        return told.get("response") or told.get("message", ""), told.get("conversationId", talk)

    async def state(self) -> State:
        """Return everything that a turn could change."""
        found: State = {}
        todos = await self._get("/os/todos", limit=200, includeSteps=True)
        for todo in todos["todos"]:
            todo["steps"] = [step["title"] for step in todo.get("steps") or []]
            todo["dueDate"] = todo["dueDate"] and todo["dueDate"].replace(".000Z", "Z")
            found["todo", todo["id"]] = todo
        for note in (await self._get("/os/notes", limit=200, recursive=True))["notes"]:
            found["note", note["id"]] = await self._note(note)
        folders = {one["id"]: one for one in (await self._get("/os/folders"))["folders"]}
        for id_, folder in folders.items():
            above = folders.get(folder["parentId"])
            path = f"{above['name']}/{folder['name']}" if above else folder["name"]
            found["folder", id_] = {"title": path}
        for waiting in (await self._get("/escalations"))["escalations"]:
            found["waits", waiting["id"]] = {"title": waiting["toolName"], **waiting["arguments"]}
        return found

    async def _note(self, row: dict[str, Any]) -> dict[str, Any]:
        key = row["id"], row["revision"]
        if key not in self.contents:
            self.contents[key] = (await self._get(f"/os/notes/{row['id']}"))["note"]
        note = self.contents[key]
        return {
            "title": note["title"],
            "text": note["markdown"],
            "tags": note["tags"],
            "pinned": note["pinned"],
            "folder": (note["folder"] or {}).get("name"),
        }

    async def _get(self, path: str, **query: Any) -> Any:
        answer = await self.client.get(path, params=query)
        told = answer.raise_for_status().json()
        return (
            told.get("result")
            if "result" in told and "notes" not in told and "todos" not in told
            else told
        )


def _client(app: Any, key: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url=BASE,
        headers={"Authorization": f"Bearer {key}"},
    )


async def _make_workspace(data: Path, wanted: dict[str, Any]) -> str:
    """Make the database of a language's workspace in `data`; return its owner's key."""
    migrate(data / DATABASE)
    clock = [NOW - datetime.timedelta(days=9)]
    app = create_app(SETTINGS, data, clock=lambda: clock[0])
    async with app.router.lifespan_context(app):
        await add_brain(app)
        people = [
            {"username": "alice", "name": wanted.get("name", "Alice")},
            *wanted.get("contacts", []),
        ]
        keys: dict[str, str] = {}
        for person in people:
            fields = {"username": person["username"], "name": person["name"]}
            await app.state.parts.call(OPERATOR, "add_user", fields)
            named = {"username": person["username"], "name": "evaluation"}
            keys[person["username"]] = (
                await app.state.parts.call(OPERATOR, "issue_key", named)
            ).secret
        async with _client(app, keys["alice"]) as client:
            await _fill(client, wanted, clock)
            for person in people[1:]:
                async with _client(app, keys[person["username"]]) as other:
                    await _connect(client, other, person)
    return keys["alice"]


async def _fill(
    client: httpx.AsyncClient, wanted: dict[str, Any], clock: list[datetime.datetime]
) -> None:
    async def post(path: str, body: dict[str, Any]) -> Any:
        clock[0] += datetime.timedelta(minutes=7)
        return (await client.post(path, json=body)).raise_for_status().json()

    (
        await client.patch("/account/settings", json={"timezone": wanted["timezone"]})
    ).raise_for_status()
    for path in wanted.get("folders", []):
        await post("/os/folders", {"path": path} if "/" in path else {"name": path})
    for note in wanted.get("notes", []):
        pinned = note.pop("pinned", False)
        made = (await post("/os/notes", note))["result"]["note"]
        if pinned:
            await post(f"/os/notes/{made['id']}/pin", {"pinned": True})
    for todo in wanted.get("todos", []):
        done = todo.pop("completed", False)
        made = (await post("/os/todos", todo))["result"]["todo"]
        if done:
            await post(f"/os/todos/{made['id']}/complete", {})


async def _connect(
    client: httpx.AsyncClient, other: httpx.AsyncClient, person: dict[str, Any]
) -> None:
    (await client.post("/network/request", json={"to": person["username"]})).raise_for_status()
    waiting = (await other.get("/network/requests")).raise_for_status().json()["incoming"][0]
    yes = {"requestId": waiting["requestId"], "type": waiting["type"], "action": "accept"}
    (await other.post("/network/accept", json=yes)).raise_for_status()
    for text in person.get("says", []):
        (
            await other.post("/agent/message", json={"to": "alice", "message": text})
        ).raise_for_status()
