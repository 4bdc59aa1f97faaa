"""Model calls under caps: what a turn reserves, what it counts, and how it ends where a cap has
no room.
"""

import asyncio
import contextlib
import dataclasses
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic_ai import ModelResponseStreamEvent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage

from app.account.metering import token_reservations
from app.agent.chat import run_turn
from app.agent.models import model_loop
from app.agent.models.metered_model import MeteredModel
from app.agent.models.model_messages import texts_of
from app.agent.models.model_streams import StreamingModel, WrappedStream
from app.agent.turn import live_turn, token_meter
from app.agent.turn.token_meter import Meter, reserve_first_call
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.rewriter import Draft, Rewriting
from app.errors import BudgetExceeded, Unavailable
from tests.agent.chat.test_chat import streamed
from tests.conftest import Client, Served

pytestmark = pytest.mark.anyio
MONTHLY = {"subject": "account", "metric": "tokens", "period": "month"}


async def limit(client: Client, most: int, **more: Any) -> int:
    return int(
        (
            await client.ok(
                "POST", "/metering/caps", status=201, json={**MONTHLY, "limit": most, **more}
            )
        )["cap"]["id"]
    )


async def usage(client: Client) -> dict[str, int]:
    found: dict[str, int] = (await client.ok("GET", "/metering/usage"))["tokens"]
    return found


def ledger(served: Served) -> list[tuple[Any, ...]]:
    columns = "feature, credential, device, model, prompt + completion, settled_at IS NULL"
    return [
        tuple(row)
        for row in served.parts.quick(
            lambda tx: tx.all(f"SELECT {columns} FROM token_uses ORDER BY id")
        )
    ]


# Turns without a model


async def test_a_turn_counts_what_its_completion_says_under_who_asked(
    served: Served, alice: Client
) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    told = (await streamed(alice, "leeks"))[-1]["metadata"]
    assert await usage(alice) == {
        "prompt": told["promptTokens"],
        "completion": told["completionTokens"],
        "total": told["totalTokens"],
        "reserved": 0,
    }
    assert ledger(served) == [("chat", "key:1", "key:1", "offline", told["totalTokens"], 0)]


async def test_a_turn_under_a_cap_counts_the_same_call_by_call(
    served: Served, alice: Client
) -> None:
    await alice.note("Leek soup", "Simmer the leeks.")
    free = (await streamed(alice, "leeks"))[-1]["metadata"]
    await limit(alice, 100_000)
    told = (await streamed(alice, "leeks"))[-1]["metadata"]
    assert told["totalTokens"] == free["totalTokens"]
    assert (await usage(alice))["total"] == 2 * free["totalTokens"]
    assert (await usage(alice))["reserved"] == 0
    assert len(ledger(served)) == 3


async def ended_after(
    monkeypatch: pytest.MonkeyPatch, alice: Client, step: Callable[[], Awaitable[Any]]
) -> None:
    """Take a turn of Alice's that ends after something else has happened."""
    real = run_turn.drive_turn

    async def driving(*args: Any, **more: Any) -> Any:
        ended = await real(*args, **more)
        await step()
        return ended

    monkeypatch.setattr(run_turn, "drive_turn", driving)
    await streamed(alice, "leeks")


@pytest.mark.parametrize("most", [None, 100_000])
async def test_a_turn_whose_conversation_is_deleted_meanwhile_is_counted(
    alice: Client, monkeypatch: pytest.MonkeyPatch, most: int | None
) -> None:
    if most is not None:
        await limit(alice, most)

    async def delete() -> None:
        (found,) = (await alice.ok("GET", "/conversations"))["conversations"]
        await alice.ok("DELETE", f"/conversations/{found['conversationId']}")

    await ended_after(monkeypatch, alice, delete)
    assert (await alice.ok("GET", "/conversations"))["conversations"] == []
    found = await usage(alice)
    assert (found["total"] > 0, found["reserved"]) == (True, 0)


@pytest.mark.parametrize("most", [None, 100_000])
async def test_a_turn_whose_user_is_deleted_meanwhile_is_counted_for_nobody(
    served: Served,
    alice: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    most: int | None,
) -> None:
    if most is not None:
        await limit(alice, most)
    await ended_after(monkeypatch, alice, lambda: served.command("delete_user", username="alice"))
    assert ledger(served) == []
    assert caplog.records == []


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("most", [0, 900])
async def test_a_turn_that_fits_in_no_cap_is_refused_before_anything_is_stored(
    served: Served, alice: Client, stream: bool, most: int
) -> None:
    cap = await limit(alice, most)
    response = await alice.post("/chat", json={"message": "hello", "stream": stream})
    body = response.json()
    assert (response.status_code, body["error"], body["cap"]) == (429, "budget_exceeded", cap)
    assert body["resetsAt"] == "2026-12-01T00:00:00.000Z"
    assert response.headers["retry-after"] == str(body["retryAfter"])
    assert (await alice.ok("GET", "/conversations"))["conversations"] == []
    assert await usage(alice) == {"prompt": 0, "completion": 0, "total": 0, "reserved": 0}
    assert served.parts.quick(lambda tx: tx.value("SELECT count(*) FROM turns")) == 0
    await alice.ok("PATCH", f"/metering/caps/{cap}", json={"limit": 100_000})
    assert (await streamed(alice, "hello"))[-1]["type"] == "completion"


async def test_an_unknown_conversation_is_not_found_before_a_cap_is_looked_at(
    alice: Client,
) -> None:
    await limit(alice, 0)
    await alice.refused(
        "POST", "/chat", 404, "not_found", json={"message": "hello", "conversationId": 99}
    )


async def test_turns_go_on_until_the_cap_is_reached_and_never_beyond_it(alice: Client) -> None:
    await alice.note("Leek soup", "Simmer the leeks. " * 40)
    await limit(alice, 3_000)
    answers = [
        (await alice.post("/chat", json={"message": "leeks", "stream": False})).status_code
        for _ in range(12)
    ]
    assert answers[0] == 200
    assert answers[-1] == 429
    (_, cap) = (await alice.ok("GET", "/metering/caps"))["caps"]
    assert 0 < cap["used"] <= 3_000
    assert cap["reserved"] == 0


async def test_a_cap_of_another_credential_leaves_a_turn_alone(
    served: Served, alice: Client
) -> None:
    second = served.client(await served.key("alice"))
    await limit(alice, 0, subject="credential", subjectId="1")
    await alice.refused("POST", "/chat", 429, "budget_exceeded", json={"message": "hello"})
    assert (await streamed(second, "hello"))[-1]["type"] == "completion"
    await limit(alice, 0, subject="device", subjectId="phone")
    await second.refused(
        "POST",
        "/chat",
        429,
        "budget_exceeded",
        json={"message": "hello"},
        headers={"X-Device-Id": "phone"},
    )
    assert (await streamed(second, "hello"))[-1]["type"] == "completion"
    await second.aclose()


async def test_a_later_call_without_room_ends_the_turn_with_what_it_has(
    served: Served, alice: Client
) -> None:
    for number in range(6):
        await alice.note(f"Leek soup {number}", "Simmer the leeks for a long time. " * 20)
    await limit(alice, token_meter.FREE_COMPLETION + 20)
    events = await streamed(alice, "leeks")
    assert [event["type"] for event in events][-2:] == ["error", "completion"]
    assert events[-2]["error"] == "budget_exceeded"
    conversation = events[-1]["metadata"]["conversationId"]
    kept = (await alice.ok("GET", f"/conversations/{conversation}"))["messages"]
    assert kept[-1]["content"] == events[-2]["message"]
    found = await usage(alice)
    assert (found["reserved"], found["total"]) == (0, events[-1]["metadata"]["totalTokens"])


# Turns with a model


def scripted(*steps: Any, seen: list[AgentInfo] | None = None) -> Model:
    """Give a model that calls tools, says texts, or fails, step by step."""
    left = list(steps)

    async def stream(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if seen is not None:
            seen.append(info)
        step = left.pop(0)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, asyncio.Event):
            yield "waiting"
            step.set()
            await asyncio.Event().wait()
        elif isinstance(step, str):
            yield step
        else:
            yield {
                0: DeltaToolCall(
                    name=step[0], json_args=json.dumps(step[1]), tool_call_id=f"c{len(left)}"
                )
            }

    return FunctionModel(stream_function=stream)


@dataclasses.dataclass
class TellingStream(WrappedStream):
    """A stream that tells this usage."""

    told: RequestUsage = dataclasses.field(kw_only=True)

    @property
    def usage(self) -> RequestUsage:
        return self.told

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for text in texts_of(self.inner):
            for event in self._parts_manager.handle_text_delta(vendor_part_id="t", content=text):
                yield event


class TellingModel(StreamingModel, WrapperModel):
    """A model that tells this usage of each call."""

    def __init__(self, wrapped: Model, told: RequestUsage) -> None:
        super().__init__(wrapped)
        self._told = told

    @contextlib.asynccontextmanager
    async def request_stream(self, *asked: Any) -> AsyncIterator[StreamedResponse]:
        async with self.wrapped.request_stream(*asked) as inner:
            yield TellingStream(asked[2], inner=inner, told=self._told)


async def me(alice: Client) -> Caller:
    found = (await alice.ok("GET", "/identity"))["credential"]
    return Caller(user=1, user_id="u", username="alice", kind="key", credential=found["id"])


async def turn(
    served: Served, who: Caller, model: Model
) -> tuple[live_turn.Turn, live_turn.TurnEnd]:
    """Run a turn as a chat does, with this model."""
    parts = served.parts
    held = await parts.write(
        reserve_first_call, who, feature="chat", model="scripted", texts=("hello",)
    )
    counter = Meter(parts, who, feature="chat", model="scripted", held=held)
    events: list[Any] = []
    begun = live_turn.Turn(parts, who, "now", "UTC", events.append)
    ended = await model_loop.run_model(begun, MeteredModel(model, counter), "hello", [])
    await parts.write(counter.end)
    return begun, ended


async def test_a_real_models_calls_are_reserved_one_by_one_even_without_a_cap(
    served: Served, alice: Client
) -> None:
    await alice.note("Leeks", "Simmer.")
    reserved: list[int] = []
    seen: list[AgentInfo] = []
    model = scripted(("search_notes", {"query": "leeks"}), "Simmer them.", seen=seen)
    original = token_reservations.reserve

    def watched(tx: Tx, *args: Any, **more: Any) -> Any:
        reserved.append(more["completion"])
        return original(tx, *args, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_reservations, "reserve", watched)
        taken, ended = await turn(served, await me(alice), model)
    assert (taken.text, ended.error) == ("Simmer them.", None)
    assert reserved == [4096, 4096]
    assert [(info.model_settings or {}).get("max_tokens") for info in seen] == [None, None]
    assert [row[3] for row in ledger(served)] == ["scripted", "scripted"]
    assert (await usage(alice))["reserved"] == 0


async def test_under_a_cap_a_model_is_told_how_much_it_may_answer(
    served: Served, alice: Client
) -> None:
    await limit(alice, 100_000)
    seen: list[AgentInfo] = []
    await turn(served, await me(alice), scripted("Yes.", seen=seen))
    assert [(info.model_settings or {}).get("max_tokens") for info in seen] == [4096]


async def test_a_model_whose_second_call_has_no_room_is_not_asked_again(
    served: Served, alice: Client
) -> None:
    await alice.note("Leeks", "Simmer. " * 5_000)
    note = 1
    first = 4096 + token_meter.OVERHEAD_TOKENS + token_meter.count_tokens(("hello",))
    await limit(alice, first + 500)
    seen: list[AgentInfo] = []
    model = scripted(("get_note_content", {"noteId": note}), "never said", seen=seen)
    taken, ended = await turn(served, await me(alice), model)
    assert isinstance(ended.error, BudgetExceeded)
    assert (taken.text, taken.tools_used, len(seen)) == ("", ["get_note_content"], 1)
    found = await usage(alice)
    assert found["reserved"] == 0
    assert 0 < found["total"] <= first


async def test_a_call_that_the_provider_refused_costs_nothing(
    served: Served, alice: Client
) -> None:
    await limit(alice, 100_000)
    _, ended = await turn(served, await me(alice), scripted(ModelHTTPError(429, "scripted")))
    assert isinstance(ended.error, Unavailable)
    assert await usage(alice) == {"prompt": 0, "completion": 0, "total": 0, "reserved": 0}


async def test_a_turn_that_takes_too_long_ends_and_counts_what_was_said(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    who, said, given = await me(alice), asyncio.Event(), []
    limit_ = asyncio.timeout(None)

    def limited(seconds: float | None) -> asyncio.Timeout:
        given.append(seconds)
        return limit_

    async def wait() -> None:
        await said.wait()
        limit_.reschedule(0)

    monkeypatch.setattr(model_loop, "asyncio", SimpleNamespace(timeout=limited))
    waiting = asyncio.ensure_future(wait())
    taken, ended = await turn(served, who, scripted(said))
    await waiting
    assert given == [served.parts.settings.turn_seconds]
    assert isinstance(ended.error, Unavailable)
    assert "too long" in ended.error.message
    assert taken.text == "waiting"
    found = await usage(alice)
    assert found["reserved"] == 0
    assert 0 < found["total"] < token_meter.OVERHEAD_TOKENS


async def test_a_turn_that_is_cancelled_leaves_its_reservation_to_the_next_start(
    served: Served, alice: Client
) -> None:
    asked = asyncio.Event()
    task = asyncio.ensure_future(turn(served, await me(alice), scripted(asked)))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    held = (await usage(alice))["reserved"]
    assert await served.parts.write(token_reservations.settle_all) == 1
    assert (await usage(alice))["total"] == held > 4096


@pytest.mark.parametrize(
    ("usage_", "total"),
    [
        (RequestUsage(input_tokens=70, output_tokens=8), lambda n: n == 78),
        (RequestUsage(), lambda n: 0 < n < 9500),
    ],
)
async def test_a_whole_answer_is_counted_as_the_provider_says_or_by_its_words(
    served: Served, alice: Client, usage_: RequestUsage, total: Callable[[int], bool]
) -> None:
    who = await me(alice)
    held = await served.parts.write(
        token_reservations.reserve, who, feature="chat", prompt=9000, completion=500
    )
    counter = Meter(served.parts, who, feature="chat", model="scripted", held=held)
    answer = await model_loop.AGENT.run(
        "hello",
        model=MeteredModel(TellingModel(scripted("Hello."), usage_), counter),
        deps=live_turn.Turn(served.parts, who, "now", "UTC", print),
    )
    await served.parts.write(counter.end)
    assert answer.output == "Hello."
    assert total((await usage(alice))["total"])


# Briefings


class Echo:
    """A rewriter that says everything twice, or fails."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.asked = 0

    async def rewrite(self, draft: Draft) -> Rewriting:
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        pieces = [
            {"id": piece.id, "title": piece.title, "text": f"{piece.text} Really."}
            for piece in draft.pieces
        ]
        return Rewriting(json.dumps({"pieces": pieces}).encode(), 321)


async def brief(served: Served, client: Client, rewriter: Echo) -> dict[str, Any]:
    served.parts.rewriter = rewriter
    body: dict[str, Any] = await client.ok("POST", "/briefing", json={})
    await served.parts.tasks.close(5)
    return body


async def test_a_briefing_in_better_words_is_counted(served: Served, alice: Client) -> None:
    body = await brief(served, alice, Echo())
    assert "Really." in body["statusQuoSummary"]
    assert body["tokenUsage"] == {"total": 321}
    assert (await alice.ok("GET", "/metering/usage"))["byFeature"] == [
        {"feature": "briefing", "tokens": 321}
    ]


async def test_a_briefing_for_which_no_cap_has_room_stands_in_the_rules_words(
    served: Served, alice: Client
) -> None:
    await limit(alice, 10)
    echo = Echo()
    body = await brief(served, alice, echo)
    assert (echo.asked, body["tokenUsage"]) == (0, {"total": 0})
    assert "Really." not in body["statusQuoSummary"]
    assert (await usage(alice))["total"] == 0


async def test_a_rewriter_that_is_down_costs_nothing(served: Served, alice: Client) -> None:
    await brief(served, alice, Echo(Unavailable("down")))
    assert await usage(alice) == {"prompt": 0, "completion": 0, "total": 0, "reserved": 0}


async def test_strategies_in_better_words_are_counted(served: Served, alice: Client) -> None:
    served.parts.rewriter = Echo()
    await alice.ok(
        "POST", "/briefing/strategies", json={"todoSummary": "<ul><li>Pay the rent today</li></ul>"}
    )
    await served.parts.tasks.close(5)
    assert (await usage(alice))["total"] == 321
