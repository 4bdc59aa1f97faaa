"""A model that is in the wrong hands: whatever it calls, with whatever arguments, it can do nothing that its caller could not."""

import json
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from app.agent import brains
from app.agent.brains import Brain
from app.catalog import CATALOG
from app.tools import registry
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio

CALLS, TOGETHER = 250, 8
SECRET = "zanzibar"
READER = ["agent.chat:run", "os.notes:read", "os.todos:read", "os.snapshots:read"]
RECORDS = ("conversation", "message", "turn", "audit", "escalation", "usage", "episode", "idempotent", "briefing", "sqlite_")
"""How the names of tables begin in which a turn leaves its own record, even when it changes nothing."""
INDEXES = ("name_", "note_links", "note_passages", "tag_names", "unread_", "waiting_", "word_")
"""And of those that the server itself makes of the others, in idle moments."""
INVENTED = (
    "continue_escalation", "decide_escalation", "POST /escalations/1/continue", "approve", "run_shell", "execute_sql", "read_file", "../notes",
    "search_notes ", "SEARCH_NOTES", "", "x" * 4_000, "delete_everything", "__class__", "create_note\n", "sudo", "transfer_to_agent",
)  # fmt: skip
MALFORMED = (
    "{",
    "[]",
    "null",
    '"text"',
    "{'query': 1}",
    '{"query": "a"',
    "\x00",
    '{"query": "\\ud800"}',
    '{"a": ' * 500,
    "9" * 10_000,
    '{"noteId": 1e999}',
)
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 2, 3, 4, 5, 6, 2**53, 2**63, -(2**70), 0.5, "", "1", "2", "root", "tomorrow", "2026-11-22", SECRET, "*", "%", "' OR 1=1 --",
    "x" * 100_000, "\u0000", "\u202e", [], [1, 2, 3], ["1"] * 2_000, {}, {"id": 1}, {"$ne": None}, [[[[[[[[1]]]]]]]],
)  # fmt: skip


class Hijacker:
    """Makes up calls, the same ones each time."""

    def __init__(self, seed: int) -> None:
        self.made = 0
        self._chance = random.Random(seed)
        self._tools = registry.native(CATALOG)
        self._names = [*self._tools, *(name for name in CATALOG.operations if name not in self._tools), *INVENTED]

    async def speak(self, messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        """Call several tools at once; sometimes just talk."""
        if self._chance.random() < 0.1:
            yield "Done."
            return
        yield {place: self._call(f"call_{len(messages)}_{place}") for place in range(TOGETHER)}

    def _call(self, call_id: str) -> DeltaToolCall:
        self.made += 1
        name = self._chance.choice(list(self._tools) if self._chance.random() < 0.6 else self._names)
        return DeltaToolCall(name=name, json_args=self._arguments(name), tool_call_id=call_id)

    def _arguments(self, name: str) -> str:
        if self._chance.random() < 0.1:
            return self._chance.choice(MALFORMED)
        tool = self._tools.get(name)
        fields = list(tool.descriptor.parameters["properties"]) if tool else ["id", "userId", "username", "scopes"]
        chosen = [field for field in fields if self._chance.random() < 0.5]
        if self._chance.random() < 0.2:
            chosen.append(self._chance.choice(["ownerId", "userId", "me", "approved", "dryRun", "scope"]))
        return json.dumps({field: self._chance.choice(VALUES) for field in chosen})


@pytest.fixture
def hijacker(monkeypatch: pytest.MonkeyPatch) -> Hijacker:
    """The model that answers in every chat."""
    made = Hijacker(20_261_121)

    async def pick(*_: Any, **__: Any) -> Brain:
        return Brain(FunctionModel(stream_function=made.speak), "hijacked", "nobody", local=True)

    monkeypatch.setattr(brains, "pick", pick)
    return made


@pytest.fixture
async def furnished(served: Served, alice: Client, bob: Client) -> None:
    """Notes and todos of two people, with ids that a model can guess."""
    for person, word in ((alice, "mine"), (bob, SECRET)):
        folder = await person.folder(f"{word} folder")
        for number in range(3):
            await person.note(f"{word} {number}", f"The word is {word}, see [[{word} 0]].", folderId=folder)
            await person.ok("POST", "/os/todos", status=201, json={"title": f"{word} todo {number}"})


def rows(served: Served) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every row of every table but the records of turns and the indexes."""

    def read(tx: Any) -> list[tuple[str, dict[str, Any]]]:
        tables = [row[0] for row in tx.all("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")]
        parts = ("_data", "_idx", "_docsize", "_config", "_content")
        kept = [table for table in tables if not table.startswith(RECORDS + INDEXES) and not table.endswith(parts)]
        return [(table, dict(row)) for table in kept for row in tx.all(f"SELECT * FROM {table}")]

    return iter(served.parts.quick(read))


def of(served: Served, person: Client, *, own: bool) -> list[str]:
    """Give the rows that belong to somebody, or all that do not."""
    number = served.parts.quick(lambda tx: tx.value("SELECT id FROM users WHERE username = :name", name=person.username))
    found = ((table, row) for table, row in rows(served) if table not in ("users", "keys"))
    return sorted(f"{table} {row}" for table, row in found if (row.get("owner_id", row.get("user_id")) == number) is own)


async def let_loose(served: Served, hijacker: Hijacker, scopes: list[str] | None) -> None:
    """Let the model make its calls in chats with a credential of alice's; every turn must come to an end."""
    async with served.client(await served.key("alice", scopes)) as chatter:
        while hijacker.made < CALLS:
            response = await chatter.post("/chat", json={"message": "go on"})
            kinds = [json.loads(line)["type"] for line in response.text.splitlines()]
            assert kinds.count("completion") == 1
            assert kinds[-1] == "completion"
    assert served.parts.quick(lambda tx: tx.value("SELECT count(*) FROM turns WHERE status = 'running'")) == 0


def told(served: Served) -> str:
    """Give everything that the turns have kept of what tools gave."""

    def read(tx: Any) -> list[Any]:
        return [bytes(row[0]).decode() for row in tx.all("SELECT history FROM turns WHERE history IS NOT NULL")]

    return "".join(served.parts.quick(read))


@pytest.mark.usefixtures("furnished")
async def test_with_a_credential_that_only_reads_nothing_is_changed(served: Served, hijacker: Hijacker, alice: Client, bob: Client) -> None:
    before = of(served, alice, own=True), of(served, bob, own=True)
    await let_loose(served, hijacker, READER)
    assert (of(served, alice, own=True), of(served, bob, own=True)) == before
    assert "The word is mine" in told(served)
    assert f"The word is {SECRET}" not in told(served)


@pytest.mark.usefixtures("furnished")
async def test_with_all_rights_of_its_owner_nothing_of_another_is_changed_or_seen(
    served: Served, hijacker: Hijacker, alice: Client, bob: Client
) -> None:
    before, mine = of(served, bob, own=True), of(served, alice, own=True)
    people = await count(served, "users"), await count(served, "keys")
    await let_loose(served, hijacker, None)
    assert of(served, bob, own=True) == before
    assert of(served, alice, own=True) != mine
    assert (await count(served, "users"), await count(served, "keys")) == (people[0], people[1] + 1)
    assert f"The word is {SECRET}" not in told(served)
    assert not any(f"The word is {SECRET}" in row for row in of(served, alice, own=True))


async def count(served: Served, table: str) -> int:
    """Say how many rows a table has."""
    return int(served.parts.quick(lambda tx: tx.value(f"SELECT count(*) FROM {table}")))
