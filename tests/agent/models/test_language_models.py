"""The configured language models.

Adding, choosing, testing and removing them, and what nobody may see of their keys.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.agent.models import model_choice, model_or_rules
from app.agent.models.model_rows import Configured, Found
from app.core.caller import OPERATOR, Caller
from app.errors import AlreadyExists, Invalid, NotFound
from app.main import create_app
from app.settings import Settings, SettingsError
from tests.conftest import Client, MovableClock, Served
from tests.support.fake_provider import FakeProvider, Reply, calls, plain, refuses, serving, whole

pytestmark = pytest.mark.anyio
OSLO = whole(call=("get_weather", {"city": "Oslo"}))
TAX = whole(call=("search_todos", {"q": "tax return"}))
BOILER = whole(call=("search_notes", {"query": "boiler"}))
TRUSTED = (
    *(OSLO, TAX, BOILER),
    *(whole("Good evening! I am well."), whole("It is -7 °C and it snows.")),
)
"""What a model says that passes every trial of calling tools."""
KEY = "sk-canary-0123456789-geheim"


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with serving() as found:
        yield found


async def listed(client: Client) -> dict[str, bool]:
    return {
        row["name"]: row["default"] for row in (await client.ok("GET", "/chat/models"))["models"]
    }


def kept_keys(data: Path) -> list[str]:
    return [path.read_text() for path in data.glob("model-key-*")]


def kept_modes(data: Path) -> list[int]:
    return [path.stat().st_mode & 0o777 for path in data.glob("model-key-*")]


async def test_the_first_model_becomes_the_default_and_offline_stays(
    served: Served, alice: Client
) -> None:
    assert await listed(alice) == {"offline": True}
    await served.command("add_model", name="one", provider="ollama", model="qwen3:8b")
    await served.command("add_model", name="two", provider="openrouter", secret=KEY)
    assert await listed(alice) == {"offline": False, "one": True, "two": False}
    rows = (await alice.ok("GET", "/chat/models"))["models"]
    assert [(row["provider"], row["local"]) for row in rows] == [
        ("offline", True),
        ("ollama", True),
        ("openrouter", False),
    ]
    await served.command("set_default_model", name="TWO")
    assert await listed(alice) == {"offline": False, "one": False, "two": True}
    await served.command("set_default_model", name="offline")
    assert await listed(alice) == {"offline": True, "one": False, "two": False}
    await served.command("set_default_model", name="two")
    await served.command("remove_model", name="two")
    assert await listed(alice) == {"offline": True, "one": False}


async def test_each_user_may_have_another_default(
    served: Served, alice: Client, bob: Client, provider: FakeProvider
) -> None:
    await served.command("add_model", name="one", url=provider.url)
    await served.command("add_model", name="two", url=provider.url)
    await bob.ok("PATCH", "/account/settings", json={"defaultModel": "two"})
    await alice.ok("PATCH", "/account/settings", json={"defaultModel": "offline"})
    assert [name for name, default in (await listed(bob)).items() if default] == ["two"]
    for client, wanted, answered in (
        (bob, None, "two"),
        (bob, "default", "two"),
        (bob, "one", "one"),
        (bob, "gpt-of-the-hosted-service", "two"),
        (alice, None, "offline"),
        (alice, "ONE", "one"),
        (bob, "Offline", "offline"),
    ):
        response = await client.post("/chat", json={"message": "hi", "model": wanted})
        assert json.loads(response.text.splitlines()[-1])["metadata"]["model"] == answered


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": "offline"}, "name"),
        ({"name": "Default"}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x"}, "url"),
        ({"name": "x", "url": "ftp://here"}, "url"),
        ({"name": "x", "url": "http://user:word@here/v1"}, "url"),
        ({"name": "x", "url": "http://here:99999/v1"}, "url"),
        ({"name": "x", "provider": "nobody"}, "provider"),
        ({"name": "x", "url": "http://here", "keyFrom": KEY}, "keyFrom"),
        ({"name": "x", "url": "http://here", "keyFrom": "file:here"}, "keyFrom"),
        ({"name": "x", "url": "http://here", "context": 5}, "context"),
        ({"name": "x", "url": "http://here", "tools": "some"}, "tools"),
    ],
)
async def test_a_model_that_cannot_be_is_refused(
    served: Served, given: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        await served.command("add_model", **given)
    assert refusal.value.details["field"] == field
    assert KEY not in refusal.value.message
    assert (await served.command("configured_models")).models == []


async def test_a_name_is_taken_once_unless_it_is_replaced(served: Served, data: Path) -> None:
    await served.command("add_model", name="one", provider="ollama", secret=KEY)
    with pytest.raises(AlreadyExists):
        await served.command("add_model", name="ONE", provider="ollama", secret="another")
    assert kept_keys(data) == [KEY]
    await served.command(
        "add_model", name="One", provider="openrouter", secret="another", replace=True
    )
    assert kept_keys(data) == ["another"]
    found = await served.command("configured_models")
    assert [(row.name, row.provider) for row in found.models] == [("One", "openrouter")]
    await served.command("remove_model", name="one")
    assert kept_keys(data) == []
    for name in ("set_default_model", "remove_model", "test_model"):
        with pytest.raises(NotFound):
            await served.command(name, name="one")


async def test_a_key_is_in_no_answer_and_not_in_the_database(
    served: Served, data: Path, alice: Client, provider: FakeProvider
) -> None:
    provider.pages["/v1/models"] = refuses(401, f"bad key {KEY}")
    provider.answers(refuses(401, f"Incorrect API key provided: {KEY}"))
    shown = [
        await served.command("add_model", name="one", url=provider.url, secret=KEY),
        await served.command("test_model", name="one"),
    ]
    shown += [
        await served.command("configured_models"),
        await alice.ok("GET", "/chat/models"),
        await alice.post("/chat", json={"message": "hi"}),
    ]
    assert all(KEY not in repr(answer) + str(getattr(answer, "text", "")) for answer in shown)
    assert "refused the key (401)" in shown[1].test.error
    assert (kept_keys(data), kept_modes(data)) == ([KEY], [0o600])
    assert (
        served.parts.quick(
            lambda tx: tx.value("SELECT count(*) FROM models WHERE key_from LIKE 'kept:%'")
        )
        == 1
    )
    assert KEY not in repr(
        served.parts.quick(lambda tx: [tuple(row) for row in tx.all("SELECT * FROM models")])
    )


async def test_a_key_is_read_where_it_lies_each_time(
    served: Served,
    alice: Client,
    provider: FakeProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "key"
    await served.command("add_model", name="env", url=provider.url, keyFrom="env:SOME_KEY")
    await served.command("add_model", name="file", url=provider.url, keyFrom=f"file:{path}")
    for name in ("env", "file"):
        told = json.loads(
            (await alice.post("/chat", json={"message": "hi", "model": name})).text.splitlines()[-1]
        )["metadata"]
        assert told["model"] == "offline"
        assert "SOME_KEY" in told["fallback"]["reason"] or str(path) in told["fallback"]["reason"]
    monkeypatch.setenv("SOME_KEY", "from-the-environment")
    path.write_text("from-the-file\n")
    for name in ("env", "file"):
        await alice.post("/chat", json={"message": "hi", "model": name})
    assert [asked.headers["authorization"] for asked in provider.asked] == [
        "Bearer from-the-environment",
        "Bearer from-the-file",
    ]


async def test_the_environment_gives_a_model(
    data: Path, provider: FakeProvider, clock: MovableClock
) -> None:
    environment = {
        "HEARTH_MODEL": "qwen3:8b",
        "HEARTH_MODEL_URL": provider.url.removesuffix("/v1"),
        "HEARTH_MODEL_KEY": KEY,
        "HEARTH_RATE_LIMIT": "0",
    }
    asgi = create_app(Settings.from_environment(environment), data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        carol = await served.person("carol")
        response = await carol.post("/chat", json={"message": "hi"})
        assert json.loads(response.text.splitlines()[-1])["metadata"]["model"] == "qwen3:8b"
        assert await listed(carol) == {"offline": False, "qwen3:8b": True}
        await carol.aclose()
        (row,) = (await served.command("configured_models")).models
        assert (row.from_, row.key) == ("environment", "HEARTH_MODEL_KEY")
        with pytest.raises(Invalid):
            await served.command("remove_model", name="qwen3:8b")
        await served.command("set_default_model", name="offline")
        assert (await served.command("configured_models")).default == "offline"
    assert provider.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert provider.asked[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"HEARTH_MODEL": "x"}, "HEARTH_MODEL_URL"),
        ({"HEARTH_MODEL": "x", "HEARTH_MODEL_URL": "here"}, "HEARTH_MODEL_URL"),
        ({"HEARTH_MODEL": "offline"}, "HEARTH_MODEL"),
        ({"HEARTH_MODEL_PROVIDER": "x"}, "HEARTH_MODEL_PROVIDER"),
        ({"HEARTH_TURN_SECONDS": "1"}, "HEARTH_TURN_SECONDS"),
    ],
)
def test_settings_that_do_not_fit_are_refused_at_the_start(
    data: Path, environment: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        create_app(Settings.from_environment(environment), data)


async def test_a_test_tells_what_an_ollama_can_do_and_warns_of_its_small_context(
    served: Served, provider: FakeProvider
) -> None:
    provider.pages |= {
        "/v1/models": plain({"data": [{"id": "qwen3:8b"}, {"id": "gemma4:latest"}]}),
        "/api/show": plain(
            {
                "capabilities": ["completion", "tools", "thinking"],
                "model_info": {"qwen3.context_length": 40960},
                "parameters": "stop x",
            }
        ),
        "/api/ps": plain({"models": [{"name": "qwen3:8b", "context_length": 4096}]}),
    }
    provider.answers(refuses(500), whole("At 14:00."), whole("It does not say."))
    await served.command("add_model", name="q", url=provider.url, model="qwen3:8b")
    tested = (await served.command("test_model", name="q")).test
    assert (tested.ok, tested.server, tested.context, tested.most_context, tested.thinks) == (
        True,
        "ollama",
        4096,
        40960,
        True,
    )
    assert tested.tools is False
    assert "num_ctx 16384" in tested.warnings[0]
    assert "Rules choose" in tested.offers
    provider.answers(*TRUSTED)
    tested = (await served.command("test_model", name="q")).test
    assert (tested.tools, tested.models) == (True, ["gemma4:latest", "qwen3:8b"])
    provider.pages["/api/ps"] = plain({"models": [{"name": "qwen3:8b", "context_length": 32768}]})
    provider.answers(*TRUSTED)
    assert (await served.command("test_model", name="q")).test.warnings == []
    (kept,) = (await served.command("configured_models")).models
    assert (kept.context, kept.found.server, kept.checked_at) == (
        32768,
        "ollama",
        "2026-11-21T09:30:00.000Z",
    )
    provider.answers(*TRUSTED)
    await served.command("add_model", name="q", url=provider.url, model="llama9", replace=True)
    assert "does not list" in (await served.command("test_model", name="q")).test.warnings[-1]


READS, HONEST = whole("It closes at 14:00."), whole("The number is not given.")


@pytest.mark.parametrize(
    ("replies", "tools", "writes", "failed"),
    [
        (TRUSTED, True, None, ""),
        # As Qwen2.5-Coder says it: a call in a fence, which the agent reads as a call.
        (
            (
                whole('```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```'),
                *TRUSTED[1:],
            ),
            True,
            None,
            "",
        ),
        # As its template with doubled braces makes it say the same.
        (
            (whole('{{"name": "get_weather", "arguments": {"city": "Oslo"}}}}'), *TRUSTED[1:]),
            True,
            None,
            "",
        ),
        ((whole("Sunny."), READS, HONEST), False, True, "did not call a tool"),
        (
            (OSLO, whole(call=("complete_todo", {"id": "1"})), READS, HONEST),
            *(False, True, "without looking first"),
        ),
        ((OSLO, TAX, TAX, READS, HONEST), False, True, "the right one of eight"),
        ((OSLO, TAX, BOILER, TAX, READS, HONEST), False, True, "only greeted"),
        ((*TRUSTED[:4], OSLO, READS, HONEST), False, True, "what a tool gave"),
        ((whole("Sunny."), whole("At 19."), HONEST), False, False, "did not call a tool"),
        ((whole("Sunny."), READS, whole("Call 555-0123-4567.")), False, False, "did not call"),
    ],
)
async def test_a_test_says_what_a_model_is_trusted_with(
    served: Served,
    provider: FakeProvider,
    replies: tuple[Reply, ...],
    tools: bool,
    writes: bool | None,
    failed: str,
) -> None:
    provider.answers(*replies)
    await served.command("add_model", name="tiny", url=provider.url)
    found = await served.command("test_model", name="tiny")
    tested = found.test
    assert (tested.ok, tested.tools, tested.writes) == (True, tools, writes)
    assert failed in tested.failed
    assert (found.model.found.tools, found.model.found.writes) == (tools, writes)
    assert ("not trusted with tools" in " ".join(tested.warnings)) == (not tools)
    assert ("is not asked" in tested.offers) == (writes is False)


async def test_a_server_that_still_loads_its_model_makes_nothing_forgotten(
    served: Served, provider: FakeProvider
) -> None:
    provider.answers(*TRUSTED)
    await served.command("add_model", name="tiny", url=provider.url)
    await served.command("test_model", name="tiny")
    provider.answers(refuses(503, "Loading model"))
    found = await served.command("test_model", name="tiny")
    assert "Loading model" in found.test.error
    assert found.model.found.tools is True


async def test_a_model_that_makes_things_up_is_not_asked(
    served: Served, provider: FakeProvider, alice: Client
) -> None:
    provider.answers(whole("Sunny."), whole("At 19."))
    await served.command("add_model", name="tiny", url=provider.url)
    await served.command("test_model", name="tiny")
    asked = len(provider.chats)
    answer = await alice.ok(
        "POST", "/chat", json={"message": "write a haiku about snow", "stream": False}
    )
    assert "can't do that" in answer["response"]
    assert len(provider.chats) == asked


@pytest.mark.parametrize(
    ("pages", "server", "context"),
    [
        (
            {
                "/props": {
                    "default_generation_settings": {"n_ctx": 8192},
                    "chat_template_caps": {"supports_tool_calls": True},
                }
            },
            "llama.cpp",
            8192,
        ),
        (
            {
                "/api/v0/models/tiny": {
                    "max_context_length": 9000,
                    "loaded_context_length": 4096,
                    "capabilities": ["tool_use"],
                }
            },
            "LM Studio",
            4096,
        ),
        (
            {
                "/v1/models": {
                    "data": [
                        {"id": "tiny", "context_length": 131072, "supported_parameters": ["tools"]}
                    ]
                }
            },
            "compatible",
            131072,
        ),
        (
            {"/v1/models": {"data": "all"}, "/props": [1], "/api/ps": {"models": 3}},
            "compatible",
            None,
        ),
        (
            {
                "/v1/models": {
                    "data": [None, {"id": 7}, {"id": "tiny", "context_length": "huge", "meta": 5}]
                }
            },
            "compatible",
            None,
        ),
    ],
)
async def test_a_test_knows_the_servers(
    served: Served, provider: FakeProvider, pages: dict[str, Any], server: str, context: int | None
) -> None:
    provider.pages |= {path: plain(page) for path, page in pages.items()}
    provider.answers(*TRUSTED)
    await served.command("add_model", name="tiny", url=provider.url)
    tested = (await served.command("test_model", name="tiny")).test
    assert (tested.ok, tested.server, tested.context, tested.tools) == (True, server, context, True)


async def test_a_test_of_what_is_not_there_says_so(served: Served, provider: FakeProvider) -> None:
    async with serving() as gone:
        await served.command("add_model", name="gone", url=gone.url)
    tested = (await served.command("test_model", name="gone")).test
    assert (tested.ok, tested.reachable) == (False, False)
    assert "cannot be reached" in tested.error
    provider.answers(refuses(404, "model not found"))
    await served.command("add_model", name="absent", url=provider.url)
    provider.pages["/v1/models"] = plain({"data": [{"id": "other"}]})
    assert (
        "has no model absent. Available: other."
        in (await served.command("test_model", name="absent")).test.error
    )


@pytest.mark.parametrize("provider_name", ["anthropic", "google"])
async def test_a_library_that_is_missing_is_named_with_the_command_that_installs_it(
    served: Served, alice: Client, provider_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, f"pydantic_ai.models.{provider_name}", None)
    await served.command("add_model", name="native", provider=provider_name, secret=KEY)
    tested = (await served.command("test_model", name="native")).test
    assert "-m pip install" in tested.error
    told = json.loads((await alice.post("/chat", json={"message": "hi"})).text.splitlines()[-1])[
        "metadata"
    ]
    assert (told["model"], "-m pip install" in told["fallback"]["reason"]) == ("offline", True)


@pytest.mark.parametrize(
    ("model", "tools"),
    [
        (Configured("a", "ollama", "http://nas.local:11434/v1", "m"), "few"),
        (Configured("a", "openai", "https://api.openai.com/v1", "m"), "all"),
        (Configured("a", "openai", "https://x.org", "m", context=8192), "few"),
        (Configured("a", "compatible", "http://127.0.0.1:1/v1", "m"), "few"),
        (Configured("a", "openai", "https://x.org", "m", found=Found(tools=False)), "none"),
        (
            Configured(
                "a", "ollama", "http://localhost/v1", "m", tools="all", found=Found(tools=False)
            ),
            "all",
        ),
    ],
)
def test_tools_are_offered_by_what_is_known_of_a_model(model: Configured, tools: str) -> None:
    assert model_choice.tools_of(model) == tools


async def test_a_brain_says_what_it_is(
    served: Served, alice: Client, provider: FakeProvider
) -> None:
    me = Caller(user=1, user_id="", username="alice", kind="session")
    brain = await model_or_rules.pick_brain(served.parts, me, "anything")
    assert (brain.name, brain.provider, brain.local, brain.fallback) == (
        "offline",
        "offline",
        True,
        None,
    )
    await served.command("add_model", name="tiny", url=provider.url)
    brain = await model_or_rules.pick_brain(served.parts, me)
    assert (brain.name, brain.provider, brain.local, brain.model.model_name) == (
        "tiny",
        "compatible",
        True,
        "tiny",
    )
    assert (await model_or_rules.pick_brain(served.parts, OPERATOR)).name == "tiny"


async def test_a_briefing_is_said_in_the_models_words(
    served: Served, alice: Client, provider: FakeProvider
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "File taxes", "dueDate": "2026-11-20"}
    )
    await served.command("add_model", name="tiny", url=provider.url)
    pieces = [
        {"id": "1", "text": "One thing is late: see below."},
        {"id": "99", "text": "Invented."},
        {"id": "2", "text": "You have 7 of them."},
    ]
    provider.answers(rewriting(pieces))
    after = await alice.ok("POST", "/briefing", json={})
    assert "One thing is late" in json.dumps(after)
    assert "Invented" not in json.dumps(after)
    assert "7 of them" not in json.dumps(after)
    assert "File taxes" in json.dumps(after)
    assert after["tokenUsage"]["total"] == 18
    assert provider.chats[0]["response_format"]["type"] == "json_schema"


def rewriting(pieces: list[dict[str, Any]]) -> Reply:
    return whole("```json\n" + json.dumps({"pieces": pieces}) + "\n```")


@pytest.mark.parametrize("answer", [refuses(500), plain("hello"), calls(("x", {})), rewriting([])])
async def test_a_briefing_stays_as_it_is_when_the_model_fails(
    served: Served, alice: Client, provider: FakeProvider, answer: Any
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "File taxes", "dueDate": "2026-11-20"}
    )
    before = await alice.ok("POST", "/briefing", json={})
    await served.command("add_model", name="tiny", url=provider.url)
    provider.answers(answer)
    after = await alice.ok("POST", "/briefing", json={})
    assert (after["statusQuoSummary"], after["suggestions"]) == (
        before["statusQuoSummary"],
        before["suggestions"],
    )
    assert provider.chats


async def test_a_server_without_schemas_is_asked_without_one(
    served: Served, alice: Client, provider: FakeProvider
) -> None:
    await alice.ok(
        "POST", "/os/todos", status=201, json={"title": "File taxes", "dueDate": "2026-11-20"}
    )
    await served.command("add_model", name="tiny", url=provider.url)
    provider.answers(
        refuses(400, "response_format is not supported"),
        rewriting([{"id": "1", "text": "One thing is late."}]),
    )
    assert "One thing is late" in json.dumps(await alice.ok("POST", "/briefing", json={}))
    assert "response_format" not in provider.chats[1]
