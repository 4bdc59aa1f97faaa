"""What small models are spared and forgiven.

Few flat tools, short conversations, near misses, printed calls; each part on its own.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel as AnyAnswer
from pydantic_ai.tools import ToolDefinition

from app.agent.models.guarded_model import GuardedModel
from app.agent.models.hybrid_model import flatten_history
from app.agent.models.model_rows import Configured
from app.agent.models.rules_model import RulesModel
from app.agent.models.small_models import (
    lean_results,
    printed_calls,
    repair_calls,
    shorten_history,
    tool_choice,
)
from app.agent.models.small_models.flat_schemas import flatten_schema
from app.catalog import CATALOG
from app.errors import RateLimited
from app.tools.registry import registry

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))
TOOLS = [
    ToolDefinition(
        name=tool.name,
        description=tool.descriptor.description,
        parameters_json_schema=tool.descriptor.parameters,
    )
    for tool in registry.native_tools(CATALOG).values()
]
SCHEMAS = {tool.name: tool.parameters_json_schema for tool in TOOLS}
PLAIN = Configured("tiny", "compatible", "http://127.0.0.1:1/v1", "tiny")


def asked(*messages: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(message)]) for message in messages]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_flat_schema_allows_no_null_and_nothing_unknown(tool: ToolDefinition) -> None:
    found = flatten_schema(tool.parameters_json_schema)
    text = json.dumps(found)
    assert '"null"' not in text
    assert '"default": null' not in text
    assert "anyOf" not in text or tool.name == "briefing"
    assert found["additionalProperties"] is False
    assert set(found["properties"]) == set(tool.parameters_json_schema["properties"])


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("remind me to call Tom", {"create_todo"}),
        ("I have finished the tax return", {"complete_todo"}),
        ("move the leek note to Food", {"move_note"}),
        ("what is on my plate today?", {"search_todos"}),
        ("erinnere mich daran, Milch zu kaufen", {"create_todo"}),
        ("which version of the note came before?", {"list_snapshots"}),
        ("give me a briefing", {"briefing"}),
        ("Pin the shopping list", {"pin_note"}),
        ("", set()),
        ("x" * 30_000, set()),
    ],
)
def test_eight_tools_are_chosen_by_what_is_asked(message: str, wanted: set[str]) -> None:
    found = [tool.name for tool in tool_choice.choose_few(TOOLS, asked("earlier words", message))]
    assert len(found) == tool_choice.MOST
    assert wanted | {"search_notes", "search_todos"} <= set(found)
    assert found == [tool.name for tool in TOOLS if tool.name in found]


def test_a_tool_that_was_begun_to_be_used_stays() -> None:
    said = [*asked("hello"), ModelResponse(parts=[ToolCallPart("diff_snapshots", {"noteId": 1})])]
    assert "diff_snapshots" in {tool.name for tool in tool_choice.choose_few(TOOLS, said)}
    assert "diff_snapshots" not in {
        tool.name for tool in tool_choice.choose_few(TOOLS, [*said, *asked("hello")])
    }


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("search_notes", {"q": "leeks"}, {"query": "leeks"}),
        ("search_notes", {"query": "leeks", "limit": "5"}, {"query": "leeks", "limit": 5}),
        (
            "search_notes",
            {"query": "leeks", "mode": "WORDS", "history": "yes"},
            {"query": "leeks", "mode": "words", "history": True},
        ),
        (
            "search_notes",
            {"query": 7, "folderId": None, "limit": "many"},
            {"query": "7", "limit": "many"},
        ),
        ("search_notes", {"query": "x", "surprise": 1}, {"query": "x"}),
        ("complete_todo", {"todo_id": "12"}, {"id": 12}),
        ("search_todos", {"date": "today"}, {"date": "today"}),
        ("search_todos", {"date": "Dec 1 2026"}, {"date": "2026-12-01"}),
        (
            "search_todos",
            {"due_from": "tomorrow 3pm", "priority_min": 3.0},
            {"dueFrom": "2026-11-22", "priorityMin": 3},
        ),
        (
            "create_todo",
            {"title": "x", "dueDate": "morgen 15 Uhr"},
            {"title": "x", "dueDate": "2026-11-22T15:00+01:00"},
        ),
        (
            "create_todo",
            {"title": "x", "dueDate": "some day"},
            {"title": "x", "dueDate": "some day"},
        ),
        (
            "create_todo",
            {"title": "x", "dueDate": "31 April"},
            {"title": "x", "dueDate": "2027-04-31"},
        ),
        ("search_todos", {"date": "2026-02-30"}, {"date": "2026-02-30"}),
        (
            "create_todo",
            {"title": "x", "steps": '[{"Title": "one"}]'},
            {"title": "x", "steps": [{"title": "one"}]},
        ),
        (
            "create_todo",
            {"title": "x", "recurrence": '{"rule": "FREQ=DAILY", "from": "DUE"}'},
            {"title": "x", "recurrence": {"rule": "FREQ=DAILY", "from": "due"}},
        ),
        ("edit_todo", {"id": 1, "description": ""}, {"id": 1, "description": ""}),
        ("create_note", {"title": "x", "tags": "food"}, {"title": "x", "tags": ["food"]}),
        ("list_folders", {"anything": [1, {"a": 2}]}, {}),
    ],
)
def test_a_near_miss_is_what_it_means(
    tool: str, given: dict[str, Any], meant: dict[str, Any]
) -> None:
    assert repair_calls.repair_arguments(given, SCHEMAS[tool], NOW) == meant
    assert repair_calls.repair_arguments(given, flatten_schema(SCHEMAS[tool]), NOW) == meant


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Hello", "Hello"),
        ("", ""),
        ("  ", ""),
        ("{", ""),
        (' {"name"', ""),
        ("`", ""),
        ("```json", ""),
        ("`x`", "`x`"),
        ("I say <tool", "I say "),
        ("a < b", "a < b"),
        ("yes <tool_call>{", "yes "),
        ("[1]", ""),
        ("<b>", "<b>"),
        ("<", ""),
    ],
)
def test_what_may_become_a_call_is_held_back(text: str, free: str) -> None:
    assert text[: printed_calls.call_start(text, begun=False)] == free


def test_in_the_middle_of_an_answer_only_a_tag_is_held_back() -> None:
    assert [
        printed_calls.call_start(text, begun=True) for text in ("{", "```", " ", "x<tool_")
    ] == [1, 3, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"name": "x", "arguments": ' * 900,
        "{" + "a" * 30_000,
        "<tool_call>" * 2_000,
        "[[]]",
        "{}",
        "null",
        "7",
    ],
)
def test_hostile_text_holds_no_call(text: str) -> None:
    assert printed_calls.calls_in(text, ["x"]) == []


def test_a_conversation_loses_its_oldest_turns_and_then_its_long_results() -> None:
    result = ModelRequest(
        parts=[ToolReturnPart("get_note_content", {"markdown": "long " * 5_000}, tool_call_id="a")]
    )
    turns = [
        *asked("first " * 400, "second"),
        ModelResponse(parts=[ToolCallPart("get_note_content", {}, tool_call_id="a")]),
        result,
    ]
    assert shorten_history.fit_history(turns, 100_000, most_result=50_000) == turns
    cut = shorten_history.fit_history(turns, 1_500, most_result=1_000)
    assert cut[0] is turns[1]
    assert shorten_history.estimate_tokens(cut) <= 1_500
    smallest = shorten_history.fit_history(turns, 1, most_result=1_000)
    assert [type(message) for message in smallest] == [ModelRequest, ModelResponse, ModelRequest]
    assert smallest[2].parts[0].content.endswith(shorten_history.CUT)  # type: ignore[union-attr]
    assert result.parts[0].content == {"markdown": "long " * 5_000}


def test_a_result_is_told_once_and_without_what_programs_need() -> None:
    hits = {
        "results": [{"id": 1, "title": "A", "snippet": "s", "marks": [[0, 1]], "folderId": None}],
        "result": {"results": [{"id": 1, "content": "whole"}]},
    }
    assert lean_results.lean_result(hits) == {
        "results": [{"id": 1, "title": "A", "content": "whole"}]
    }
    assert lean_results.lean_result(
        {"note": {"content": "<p>a</p>", "markdown": "a", "tags": []}}
    ) == {"note": {"markdown": "a"}}
    assert lean_results.lean_result({"result": {"results": 5}, "results": [None, 7]}) == {
        "result": {"results": 5},
        "results": [None, 7],
    }


def test_a_conversation_without_tools_keeps_what_was_said() -> None:
    said = [
        *asked("old"),
        ModelResponse(parts=[TextPart("answer"), ToolCallPart("x", {}, tool_call_id="a")]),
    ]
    said += [ModelRequest(parts=[ToolReturnPart("x", {"a": 1}, tool_call_id="a")]), *asked("new")]
    assert [type(message) for message in flatten_history(said)] == [
        ModelRequest,
        ModelResponse,
        ModelRequest,
    ]
    assert "<data" not in str(flatten_history(said)[-1])
    assert '<data tool="x">' in str(flatten_history(said[:3])[0])


async def answered(model: GuardedModel) -> str:
    response = await model.request(
        asked("hello"), None, ModelRequestParameters(function_tools=TOOLS)
    )
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def failing(*failures: Exception) -> FunctionModel:
    left = list(failures)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        if left:
            raise left.pop(0)
        yield "Hello "
        yield "you."

    return FunctionModel(stream_function=stream)


async def test_any_model_can_be_guarded() -> None:
    model = GuardedModel(
        AnyAnswer(call_tools=[], custom_output_text="Good."), RulesModel(NOW), PLAIN, NOW
    )
    assert (await answered(model), model.fallback, model.model_name) == ("Good.", None, "tiny")


@pytest.mark.parametrize(
    "failure",
    [
        KeyError("choices"),
        RuntimeError("boom"),
        json.JSONDecodeError("x", "y", 0),
        ModelHTTPError(418, "m"),
    ],
)
async def test_whatever_a_model_raises_the_rules_answer(failure: Exception) -> None:
    model = GuardedModel(failing(failure), RulesModel(NOW), PLAIN, NOW)
    assert "What can I do for you" in await answered(model)
    assert (model.fallback is not None, model.model_name) == (True, "offline")
    assert "What can I do for you" in await answered(model)


@pytest.mark.parametrize(
    "failure", [RateLimited("The budget is used up."), asyncio.CancelledError()]
)
async def test_what_is_not_the_models_failure_is_passed_on(failure: Any) -> None:
    model = GuardedModel(failing(failure), RulesModel(NOW), PLAIN, NOW)
    with pytest.raises(type(failure)):
        await answered(model)
    assert model.fallback is None


@pytest.mark.parametrize(
    ("failures", "pauses", "replaced"),
    [
        ([429], [1.0], False),
        ([429, 503], [1.0, 1.0], False),
        ([429, 429, 429], [1.0, 1.0], True),
        ([500], [], True),
        ([400], [], True),
    ],
)
async def test_only_who_asks_to_wait_is_waited_for(
    failures: list[int], pauses: list[float], replaced: bool
) -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    refusals = [
        ModelHTTPError.for_category(_category(status), status_code=status, model_name="m")
        for status in failures
    ]
    model = GuardedModel(failing(*refusals), RulesModel(NOW), PLAIN, NOW, pause=pause)
    assert (await answered(model) == "Hello you.") is not replaced
    assert (waited, model.fallback is not None) == (pauses, replaced)


def _category(status: int) -> Any:
    from pydantic_ai._model_errors import http_status_category

    return http_status_category(status)
