"""Query plans: what is asked often takes the same time however much there is, so no statement of
it walks a table or sorts.
"""

import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.database import readers, sqlite_setup, writer
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client, MovableClock, Served, open_settings
from tests.support import guests
from tests.support.fake_embedder import FakeEmbedder
from tests.support.looping import through
from tests.support.raw_records import RawDevice
from tests.support.with_meaning import settled

pytestmark = pytest.mark.anyio
GROWING = (
    "notes",
    "note_tags",
    "note_links",
    "name_words",
    "name_letters",
    "tag_names",
    "snapshots",
    "todos",
    "trash",
    "folders",
    "keys",
    "users",
    "idempotent_replies",
    "briefings",
    "note_passages",
    "escalations",
    "precedents",
    "audit",
    "turns",
    "messages",
    "conversation_members",
    "heartbeat_runs",
    "heartbeat_actions",
    "token_uses",
    "token_counts",
    "active_devices",
    "caps",
    "episodes",
    "episode_passages",
    "memory_writes",
    "attachments",
    "attachment_parts",
    "integrations",
    "calendar_events",
    "message_attachments",
    "conversations",
    "conversation_members",
    "messages",
    "threads",
    "unremembered_messages",
    "waiting_messages",
    "contacts",
    "contact_requests",
    "contact_grants",
    "web_sessions",
    "sign_in_codes",
    "teams",
    "team_members",
    "team_invites",
    "share_links",
    "guest_sessions",
    "guest_decisions",
    "raw_devices",
    "raw_key_wraps",
    "raw_previous_keys",
    "raw_records",
    "raw_record_parts",
)
WALK = re.compile(rf"^SCAN ({'|'.join(GROWING)}|n|f|s|l|x|t|p|e|m)\b(?! VIRTUAL TABLE)")
SORT = re.compile(r"^USE TEMP B-TREE FOR .*ORDER BY")


class Recorder:
    """Every statement that any connection of the server runs."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def new(self) -> list[str]:
        """Give the statements since the last call."""
        found, self.statements = self.statements, []
        return [
            statement
            for statement in found
            if re.match(r"\s*(SELECT|WITH|UPDATE|DELETE)", statement)
        ]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder, connect = Recorder(), sqlite_setup.connect

    def recording(path: Path, **options: object) -> sqlite3.Connection:
        connection = connect(path, **options)  # type: ignore[arg-type]
        connection.set_trace_callback(lambda statement: recorder.statements.append(statement))
        return connection

    for opening in (writer, readers):
        monkeypatch.setattr(opening, "connect", recording)
    return recorder


@pytest.fixture(scope="module")
async def made(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> tuple[Path, str]:
    """A database with someone who has a little of everything, and their key."""
    place = tmp_path_factory.mktemp("plans")
    shutil.copy(migrated, place / DATABASE)
    asgi = create_app(open_settings(), place, clock=MovableClock())
    async with asgi.router.lifespan_context(asgi):
        client = await Served(asgi, asgi.state.parts).person("ann")
        await client.folder("Work")
        note = await client.note("Plan", "text", folderId=2, tags=["t"])
        await client.ok("POST", f"/os/snapshots/{note['id']}")
        await client.ok(
            "POST", "/os/todos", status=201, json={"title": "todo", "dueDate": "2026-11-21"}
        )
        await client.note("Linking", "See [[Plan]].", folderId=2)
        await client.note("Gone")
        await client.ok("DELETE", "/os/notes/3")
        await client.ok("POST", "/briefing", json={})
        await Served(asgi, asgi.state.parts).command("add_user", username="ben")
        await Served(asgi, asgi.state.parts).command("connect_users", username="ann", contact="ben")
        await client.ok(
            "POST", "/network/groups", status=201, json={"name": "Team", "members": ["ben"]}
        )
        await client.ok("POST", "/agent/message", json={"to": "ben", "message": "hello"})
        shared = await guests.link(client, scope="folders", folderIds=[2])
        await guests.ask(client, shared, "hello")
        device = await RawDevice().add(client)
        await client.ok("PUT", "/raw-memory/keys", json=device.keys())
        record = device.seal(record_id=RAW_RECORD)
        await client.ok("POST", "/raw-memory/records", json={"records": [record]})
        await client.aclose()
        key = await Served(asgi, asgi.state.parts).key("ann")
    return place / DATABASE, key


@pytest.fixture
async def ann(
    recorder: Recorder, data: Path, settings: Settings, clock: MovableClock, made: tuple[Path, str]
) -> AsyncIterator[Client]:
    """Someone with a little of everything, on a server whose statements are recorded."""
    shutil.copy(made[0], data / DATABASE)
    asgi = create_app(settings, data, clock=clock)
    async with (
        asgi.router.lifespan_context(asgi),
        Served(asgi, asgi.state.parts).client(made[1]) as client,
    ):
        await client.get("/identity")  # counts the key's device, once
        recorder.new()
        yield client


def plans(data: Path, statements: list[str]) -> dict[str, list[str]]:
    """Give the steps that SQLite takes for each statement."""
    connection = sqlite3.connect(data / DATABASE)
    try:
        return {
            statement: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
            for statement in statements
        }
    finally:
        connection.close()


RAW_RECORD = "0c8f5f7e-0000-4000-8000-000000000001"
READS = [
    "/identity",
    "/os/status",
    "/os/folders?parentId=2",
    "/os/notes/1",
    "/os/notes",
    "/os/notes?folderId=2",
    "/os/notes?folderId=2&offset=5&limit=1",
    *(
        f"/os/notes?folderId=2&sort={sort}&order={order}"
        for sort in ("updatedAt", "createdAt", "title")
        for order in ("asc", "desc")
    ),
    "/os/notes?recursive=true",
    "/os/notes?folderName=Work",
    "/os/snapshots/1",
    "/os/snapshots/1/seq/1",
    "/os/snapshots/1/1",
    "/notes/summary",
    "/briefings",
    "/briefings/1",
    "/os/trash",
    "/os/search",
    "/os/todos",
    "/os/todos?completed=false&limit=50&includeSteps=true",
    "/os/todos/1",
    "/escalations",
    "/escalations?status=all",
    "/escalations?status=decided",
    "/os/todos/1",
    "/os/attachments",
    "/tools/integrations",
    "/network/requests",
    "/network/contacts/ben/permissions",
    "/os/team",
    "/os/share/list",
    "/os/share/list?status=all",
    "/os/share/1",
    "/os/network/conversations",
    "/raw-memory/devices",
    "/raw-memory/keys",
    "/raw-memory/usage",
    "/raw-memory/records",
    "/raw-memory/records?sessionRef=a&after=1",
    "/raw-memory/records?deviceId=dev_0&after=1",
    "/raw-memory/records?sessionRef=a&deviceId=dev_0",
    f"/raw-memory/records/{RAW_RECORD}",
]


@through("path", [(path, path) for path in READS])
async def test_a_read_neither_walks_a_table_nor_sorts(
    ann: Client, recorder: Recorder, data: Path, path: str
) -> None:
    recorder.new()
    await ann.ok("GET", path)
    asked = recorder.new()
    assert asked
    bad = {
        statement: steps
        for statement, steps in plans(data, asked).items()
        if any(WALK.search(step) or SORT.search(step) for step in steps)
    }
    assert bad == {}


WRITES = [
    ("POST", "/os/notes", {"title": "New", "content": "x", "folderId": 2, "tags": ["t"]}, 201),
    ("PATCH", "/os/notes/1", {"content": "changed", "tags": ["u"]}, 200),
    ("POST", "/os/notes/1/move", {"folderId": None}, 200),
    ("POST", "/os/notes/1/pin", {"pinned": True}, 200),
    ("POST", "/os/notes/1/copy", {}, 200),
    ("DELETE", "/os/notes/1", None, 200),
    ("POST", "/os/trash/note/3/restore", None, 200),
    ("DELETE", "/os/trash/note/3", None, 200),
    ("POST", "/os/snapshots/1", {}, 200),
    ("POST", "/os/snapshots/1/restore", {"seq": 1}, 200),
    (
        "POST",
        "/accumulate",
        {"files": [{"path": "Work/Plan", "content": "y"}, {"path": "a/b/c", "content": "z"}]},
        200,
    ),
    ("POST", "/os/folders", {"path": "Work/New"}, 200),
    ("PATCH", "/os/folders/2", {"name": "Renamed"}, 200),
    ("POST", "/os/todos", {"title": "another"}, 201),
    ("PATCH", "/os/todos/1", {"title": "changed"}, 200),
    ("POST", "/os/todos/1/complete", None, 200),
    ("DELETE", "/os/todos/1", None, 200),
    ("POST", "/os/notes/search", {"query": "text"}, 200),
    (
        "POST",
        "/os/notes/search",
        {"query": "text nowhere tex* -gone tag:t tag:x* folder:Work after:2020 -is:todo"},
        200,
    ),
    ("POST", "/os/notes/search", {"query": "in:pinned tag:t created:2020 -gone"}, 200),
    ("GET", "/os/notes/1/links", None, 200),
    *(
        ("GET", f"/os/find?q={typed}&kinds=note,tag,todo", None, 200)
        for typed in ("plan", "p", "paln", "wrok/pl", "paln wrok", "")
    ),
    ("PATCH", "/os/notes/1", {"title": "Plans", "rewriteLinks": True}, 200),
    ("POST", "/os/notes/1/links/rewrite", {"from": "Old plan"}, 200),
    ("POST", "/os/notes", {"title": "Linked", "content": "[[Plan]] and #tag", "folderId": 2}, 201),
    ("POST", "/briefing", {}, 200),
    ("POST", "/chat", {"message": "plan", "stream": False}, 200),
    ("GET", "/metering/usage", None, 200),
    ("GET", "/metering/invoice", None, 200),
    ("GET", "/metering/caps", None, 200),
    ("PATCH", "/metering/caps/1", {"limit": 1}, 200),
    (
        "POST",
        "/metering/caps",
        {"subject": "device", "metric": "tokens", "period": "day", "limit": 9},
        201,
    ),
    ("POST", "/os/memory/search", {"query": "text"}, 200),
    ("POST", "/os/memory/search", {"query": "text updated:today"}, 200),
    ("POST", "/os/memory/search", {"query": "after:2026-01-01"}, 200),
    (
        "POST",
        "/tools",
        {"tool": "memory_write", "params": {"kind": "daily", "content": "text"}},
        200,
    ),
    ("GET", "/os/notes/1/related", None, 200),
    ("POST", "/tools", {"tool": "create_todo", "params": {"title": "by a tool"}}, 200),
    ("POST", "/tools", {"tool": "list_notes", "params": {}}, 200),
    ("POST", "/tools", {"tool": "list_network", "params": {}}, 200),
    ("POST", "/tools", {"tool": "search_contact", "params": {"query": "ben"}}, 200),
    ("POST", "/chat", {"message": "hello", "stream": False}, 200),
    ("POST", "/heartbeat/run", {}, 200),
    ("POST", "/heartbeat/run", {"dryRun": True}, 200),
    ("PUT", "/heartbeat/schedule", {"enabled": True}, 200),
    ("GET", "/heartbeat/status", None, 200),
    ("GET", "/heartbeat/runs", None, 200),
    ("POST", "/agent/message", {"to": "ben", "message": "hello again"}, 200),
    (
        "POST",
        "/agent/message",
        {"to": "group:1", "message": "hello all", "clientMessageId": "c"},
        200,
    ),
    ("POST", "/agent/message", {"to": "ann_coo", "message": "hello me"}, 200),
    ("GET", "/conversations", None, 200),
    ("GET", "/conversations?contact=ben&afterMessageId=1", None, 200),
    ("GET", "/conversations?q=hello", None, 200),
    ("GET", "/conversations/2", None, 200),
    ("POST", "/conversations/2/read", {}, 200),
    ("GET", "/network/groups", None, 200),
    ("POST", "/network/groups/1/members", {"username": "ben"}, 200),
    ("DELETE", "/network/groups/1/members/ben", None, 200),
    ("GET", "/network/contacts?q=be", None, 200),
    ("POST", "/network/request", {"to": "ben_coo"}, 200),
    ("PUT", "/network/contacts/ben/permissions", {"permissions": {"agentAccess": True}}, 200),
    ("POST", "/os/team/invite", {"email": "carl@example.org"}, 200),
    ("GET", "/network/explain?caller=contact:ben&operation=list_notes", None, 200),
    ("DELETE", "/network/contacts/ben", None, 200),
    ("GET", "/network", None, 200),
    ("GET", "/os/network/conversations?limit=1&offset=1", None, 200),
    ("POST", "/os/share", {"scope": "note_only", "noteId": 1}, 201),
    ("PATCH", "/os/share/1", {"scope": "all"}, 200),
    ("DELETE", "/os/share/1?purge=true", None, 200),
    ("GET", "/local-agent/guest-messages", None, 200),
    ("POST", "/local-agent/guest-messages", {"decisions": [{"clientEventId": "x"}]}, 200),
    ("GET", "/network/explain?caller=guest:1&operation=list_notes", None, 200),
    ("DELETE", f"/raw-memory/records/{RAW_RECORD}", None, 200),
    ("DELETE", "/raw-memory/records?sessionRef=a%20session", None, 200),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), WRITES)
async def test_a_write_never_walks_a_table(
    ann: Client, recorder: Recorder, data: Path, method: str, path: str, body: object, status: int
) -> None:
    await ann.ok(method, path, status=status, json=body)
    asked = recorder.new()
    assert asked
    bad = {
        statement: steps
        for statement, steps in plans(data, asked).items()
        if any(WALK.search(step) for step in steps)
    }
    assert bad == {}


async def test_a_guest_is_answered_without_walking_a_table(
    ann: Client, recorder: Recorder, data: Path
) -> None:
    (link,) = (await ann.ok("GET", "/os/share/list"))["links"]
    recorder.new()
    first = await guests.ask(ann, link, "plan")
    await guests.ask(ann, link, "plan", sessionKey=first["sessionKey"])
    asked = recorder.new()
    assert asked
    bad = {
        statement: steps
        for statement, steps in plans(data, asked).items()
        if any(WALK.search(step) for step in steps)
    }
    assert bad == {}


MEANT = [
    ("POST", "/os/notes/search", {"query": "car"}),
    ("POST", "/os/notes/search", {"query": "car", "mode": "meaning"}),
    ("POST", "/os/notes/search", {"query": "car tag:t -old", "folderId": 1}),
    ("GET", "/os/notes/1/related", None),
    ("POST", "/os/memory/search", {"query": "car"}),
    ("GET", "/os/search", None),
    ("PATCH", "/os/notes/1", {"content": "a car"}),
]


@pytest.mark.parametrize(("method", "path", "body"), MEANT)
async def test_meaning_never_walks_a_table_once_its_matrix_is_there(
    recorder: Recorder,
    data: Path,
    settings: Settings,
    clock: MovableClock,
    method: str,
    path: str,
    body: object,
) -> None:
    asgi = create_app(settings, data, clock=clock, embedder=FakeEmbedder())
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        ann = await served.person("ann")
        await ann.note("Garage", "an automobile", tags=["t"], folderId=1)
        await settled(served)
        await ann.ok("POST", "/os/notes/search", json={"query": "car"})
        recorder.new()
        await ann.ok(method, path, **({} if body is None else {"json": body}))
        await settled(served)
        asked = recorder.new()
        await ann.aclose()
    assert asked
    bad = {
        statement: steps
        for statement, steps in plans(data, asked).items()
        if any(WALK.search(step) for step in steps)
    }
    assert bad == {}
