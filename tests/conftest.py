"""The shared cast: a server in process, its clock, and the people who use it."""

import asyncio
import contextlib
import dataclasses
import functools
import gc
import importlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

import browser
import environment
from app.core.app import App
from app.core.caller import OPERATOR, Caller
from app.core.database.data_dir import DATABASE
from app.main import create_app
from app.migrations import migrate
from app.settings import Settings
from tests.support import memory_folder
from tests.support.in_process import InProcess
from tests.support.listening import listening
from wire import places

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.support.windows import Window

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the server has it
memory_folder.use()
gc.set_threshold(100_000, 20, 20)  # to look for garbage at Python's own pace takes a twentieth
gc.disable()  # until all are collected: what is made until then stays
# how fast a machine is proves nothing
settings.register_profile(
    "at any speed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("at any speed")

ORIGIN = "http://127.0.0.1:8765"
BASE = ORIGIN + "/api/v1"
UNSYNCED: Any = "off"
"""A durability for tests alone: nothing waits for the disk.

What survives a power cut, tests with a durability of their own prove.
"""
NEED_A_BROWSER = [
    "interfaces/test_pages.py",
    "interfaces/oauth/test_walk.py",
    "interfaces/test_device_code_walk.py",
    "home/",
]
collect_ignore = NEED_A_BROWSER if browser.find() is None else []


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of all modules in each worker before it collects them all in one order.

    In a fresh checkout each of them would compile every module, at the same time.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    here = Path(__file__).parent
    files = sorted(here.rglob("test_*.py"))
    for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        # what cannot be imported is told as it is collected
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(here.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Look for garbage from now on, and never among thousands of collected tests."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests are left out since what they need is not here."""
    for line in (*places.missing(), *([browser.missing()] if collect_ignore else [])):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the whole schema and nothing in it; each test gets a copy."""
    path = tmp_path_factory.mktemp("migrated") / DATABASE
    migrate(path)
    return path


class MovableClock:
    """A clock that stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


class Beginning(NamedTuple):
    """A database to begin with, and the keys of the people who are in it."""

    database: Path
    keys: dict[str, str]


@pytest.fixture(scope="session")
def beginnings(
    tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> Callable[[tuple[str, ...]], Beginning]:
    """Databases in which some people have a workspace, each made once.

    That takes a third of the time of a test's own server.
    """

    @functools.cache
    def beginning(people: tuple[str, ...]) -> Beginning:
        place = tmp_path_factory.mktemp("beginning")
        shutil.copy(migrated, place / DATABASE)
        return Beginning(place / DATABASE, asyncio.run(_bring_in(place, people)) if people else {})

    return beginning


async def _bring_in(place: Path, people: tuple[str, ...]) -> dict[str, str]:
    asgi = create_app(open_settings(), place, clock=MovableClock())
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        keys = {}
        for number, username in enumerate(people, 1):
            user = (await served.command("add_user", username=username)).user
            keys[username] = await served.key(username)
            # not over HTTP, so that the key has not been used yet
            owner = Caller(number, user.user_id, username, "session", credential=number)
            await served.parts.call(owner, "init", {})
        return keys


@pytest.fixture
def begun(
    request: pytest.FixtureRequest,
    clock: MovableClock,
    beginnings: Callable[[tuple[str, ...]], Beginning],
) -> Beginning:
    """What the test's own server begins with: those of Alice and Bob who take part are there."""
    at_first = clock.now == MovableClock().now
    return beginnings(
        tuple(name for name in request.fixturenames if name in ("alice", "bob") and at_first)
    )


@pytest.fixture
def data(tmp_path: Path, begun: Beginning) -> Path:
    """A data directory with a fresh database."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(begun.database, folder / DATABASE)
    return folder


def open_settings() -> Settings:
    """Give settings that hold nobody up; those who read an access log ask for one."""
    return Settings(
        durability=UNSYNCED,
        access_log=False,
        rate_limit=0,
        failed_limit=0,
        guest_limit=0,
        guest_wait_seconds=0,
        device_limit=0,
    )


@pytest.fixture
def settings() -> Settings:
    return open_settings()


@dataclasses.dataclass
class Served:
    """A server in process: the ASGI application, and the App inside it."""

    asgi: Any
    parts: App

    async def command(self, name: str, /, **params: Any) -> Any:
        """Ask as the command line does."""
        return await self.parts.call(OPERATOR, name, params)

    async def key(self, username: str, scopes: list[str] | None = None, **more: Any) -> str:
        """Make an API key and give its secret."""
        params = {
            "username": username,
            "name": "test",
            **({"scopes": scopes} if scopes else {}),
            **more,
        }
        return str((await self.command("issue_key", **params)).secret)

    def client(self, key: str | None = None, **headers: str) -> "Client":
        """Give a client with this credential."""
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        return Client(self.asgi, BASE, headers)

    async def person(self, username: str, scopes: list[str] | None = None) -> "Client":
        """Add a user with a workspace and give their client."""
        await self.command("add_user", username=username)
        client = self.resident(username, await self.key(username, scopes))
        await client.post("/init", json={})
        return client

    def resident(self, username: str, key: str) -> "Client":
        """Give the client of a user who is there."""
        client = self.client(key)
        client.username, client.key = username, key
        return client


class Client(InProcess):
    """An HTTP client that can also give bodies straight away, for calls that must succeed."""

    username = ""
    key = ""

    async def ok(self, method: str, path: str, *, status: int = 200, **more: Any) -> Any:
        """Give the body of a call that must answer with `status` and success."""
        response = await self.request(method, path, **more)
        assert response.status_code == status, (
            f"{method} {path}: {response.status_code} {response.text[:500]}"
        )
        body = response.json()
        assert body["success"] is True
        return body

    async def refused(
        self,
        method: str,
        path: str,
        status: int,
        code: str,
        *,
        field: str | None = None,
        **more: Any,
    ) -> Any:
        """Give the body of a call that must be refused, in the one shape of refusal."""
        response = await self.request(method, path, **more)
        body = response.json()
        assert (response.status_code, body["error"]) == (status, code), (
            f"{method} {path}: {response.status_code} {response.text[:500]}"
        )
        assert body["success"] is False
        assert isinstance(body["message"], str)
        assert body["message"]
        if field is not None:
            assert body.get("field") == field, body
        return body

    async def note(self, title: str = "A note", content: str = "Some text.", **more: Any) -> Any:
        """Create a note and give its record."""
        body = await self.ok(
            "POST", "/os/notes", status=201, json={"title": title, "content": content, **more}
        )
        return (await self.ok("GET", f"/os/notes/{body['result']['note']['id']}"))["note"]

    async def folder(self, path: str, **more: Any) -> int:
        """Make a folder and give its id."""
        return int(
            (await self.ok("POST", "/os/folders", json={"path": path, **more}))["folder"]["id"]
        )


@pytest.fixture
async def served(data: Path, settings: Settings, clock: MovableClock) -> AsyncIterator[Served]:
    asgi = create_app(settings, data, clock=clock, control_token="control-token")
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)
        _throw_away(asgi)


def _throw_away(asgi: Any) -> None:
    """Let a server end without what it does for its next start: there is none."""
    asgi.state.parts.store.idle_work.clear()


@pytest.fixture(scope="module")
async def shared(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> AsyncIterator[Served]:
    """One server for the tests of a module that change nothing in it."""
    place = tmp_path_factory.mktemp("shared")
    shutil.copy(migrated, place / DATABASE)
    asgi = create_app(open_settings(), place, clock=MovableClock(), control_token="control-token")
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)
        _throw_away(asgi)


@pytest.fixture(scope="module")
async def resident(shared: Served) -> AsyncIterator[Client]:
    """Someone on the shared server."""
    client = await shared.person("resident")
    yield client
    await client.aclose()


@pytest.fixture
async def alice(served: Served, begun: Beginning) -> AsyncIterator[Client]:
    client = await _present("alice", served, begun)
    yield client
    await client.aclose()


@pytest.fixture
async def bob(served: Served, begun: Beginning) -> AsyncIterator[Client]:
    client = await _present("bob", served, begun)
    yield client
    await client.aclose()


async def _present(username: str, served: Served, begun: Beginning) -> Client:
    if key := begun.keys.get(username):
        return served.resident(username, key)
    return await served.person(username)


@pytest.fixture
async def origin(served: Served) -> AsyncIterator[str]:
    """The server on a port."""
    async with listening(served.asgi) as address:
        yield address


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator["Browser"]:
    """One browser for all; each test has a window of its own in it."""
    from tests.support import windows  # only here, since most tests need no browser

    async with windows.running() as started:
        yield started


@pytest.fixture
async def window(chromium: "Browser") -> AsyncIterator["Window"]:
    """A window of the browser."""
    from tests.support import windows

    async with windows.opened(chromium) as opened:
        yield opened


@pytest.fixture
async def stranger(served: Served) -> AsyncIterator[Client]:
    """Someone without a credential."""
    async with served.client() as client:
        yield client


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The model for search that the set-up fetched, into HEARTH_MODELS where that is set."""
    path = environment.model_file()
    assert path.is_file(), (
        "There is no model: python3 scripts/test.py fetches it, or `hearth models add`."
    )
    return path


@pytest.fixture(scope="session")
def multilingual_path() -> Path:
    """The multilingual model that the test script fetched."""
    path = environment.multilingual_file()
    assert path.is_file(), "There is no multilingual model: python3 scripts/test.py fetches it."
    return path


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    for name in [name for name in os.environ if name.startswith("HEARTH_")]:
        monkeypatch.delenv(name)
