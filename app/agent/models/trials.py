"""Small trials that show what a model can be trusted with.

Choosing and calling tools, or writing an answer from data that it is shown.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from app.agent.models.hybrid_model import FROM_DATA
from app.agent.models.small_models import printed_calls

_TWO_O_CLOCK = re.compile(r"\b14\b|\b2(?:[:.]00)? ?p", re.IGNORECASE)
QUESTION = "What is the weather in Oslo now? Use the tool."
OPENING = (
    '<data tool="get_note">Library. Monday to Friday 9 to 19, Saturday 10 to 14, Sunday closed. '
    "Bring the card.</data>"
)


def _tool(name: str, description: str, **fields: str) -> ToolDefinition:
    return ToolDefinition(
        name=name,
        description=description,
        parameters_json_schema={
            "type": "object",
            "properties": {
                field: {"type": "string", "description": told} for field, told in fields.items()
            },
            "required": list(fields)[:1] if name != "search_todos" else [],
            "additionalProperties": False,
        },
    )


WEATHER = _tool("get_weather", "Give the weather of a city.", city="name of the city")
EIGHT = (
    _tool("search_notes", "Search the notes by words.", query="words to look for"),
    _tool("get_note_content", "Read a whole note.", noteId="the note's id"),
    _tool("create_note", "Write a new note.", title="its title", content="its text"),
    _tool("search_todos", "List todos by words or day.", q="words", date="today, week, or a date"),
    _tool("create_todo", "Create a todo.", title="what to do", dueDate="when it is due"),
    _tool("complete_todo", "Mark a todo as done.", id="the todo's id, as search_todos gave it"),
    _tool("edit_todo", "Change a todo.", id="its id, as search_todos gave it", title="its title"),
    _tool("send_message_to_human", "Send a message to a contact.", to="who", message="the text"),
)
"""As many tools as a small model is offered for a message, in few words."""
CALLED = ToolCallPart("get_weather", {"city": "Oslo"}, tool_call_id="call_1")


class Reaction(NamedTuple):
    """What a model did: the calls that it made or printed, and what it said."""

    calls: Sequence[tuple[str, str]]
    text: str


class Trial(NamedTuple):
    """What a model is asked with which tools, when it passes, and what it failed at otherwise."""

    messages: Sequence[ModelMessage]
    tools: Sequence[ToolDefinition]
    passes: Callable[[Reaction], bool]
    failure: str


def _asks(text: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(text)])]


def _asks_of_data(question: str) -> list[ModelMessage]:
    return _asks(FROM_DATA.format(message=question, data=OPENING))


CALLING = (
    Trial(
        _asks(QUESTION),
        (WEATHER,),
        lambda done: _called(done, "get_weather", "oslo"),
        "it did not call a tool when asked to",
    ),
    Trial(
        _asks("Tick off the tax return."),
        EIGHT,
        lambda done: _called(done, "search_todos", "tax"),
        "it changed something without looking first what is meant",
    ),
    Trial(
        _asks("What did I write about the boiler?"),
        EIGHT,
        lambda done: _called(done, "search_notes", "boiler"),
        "it did not choose the right one of eight tools",
    ),
    Trial(
        _asks("Good evening! How are you?"),
        EIGHT,
        lambda done: bool(done.text) and not done.calls,
        "it called a tool where it was only greeted",
    ),
    Trial(
        [
            *_asks(QUESTION),
            ModelResponse(parts=[CALLED]),
            ModelRequest(
                parts=[ToolReturnPart("get_weather", {"celsius": -7, "sky": "snow"}, "call_1")]
            ),
        ],
        (WEATHER,),
        lambda done: "7" in done.text and not done.calls,
        "it did not answer with what a tool gave",
    ),
)
"""Passed in this order by a model that may be offered tools; the first one alone offers one."""
WRITING = (
    Trial(
        _asks_of_data("When does the library close on Saturday?"),
        (),
        lambda done: _TWO_O_CLOCK.search(done.text) is not None and "19" not in done.text,
        "it read a time wrongly from what it was shown",
    ),
    Trial(
        _asks_of_data("What is the library's telephone number?"),
        (),
        lambda done: bool(done.text) and not _has_long_number(done.text),
        "it made up a telephone number",
    ),
)
"""Passed by a model that may write where the rules know nothing."""


def react(answer: ModelResponse, tools: Sequence[ToolDefinition]) -> Reaction:
    """Return what a model did, read as the agent reads it: printed calls are calls."""
    made = [
        (part.tool_name, part.args_as_json_str())
        for part in answer.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "".join(part.content for part in answer.parts if isinstance(part, TextPart)).strip()
    if not made and tools:
        printed = printed_calls.calls_in(text, [tool.name for tool in tools])
        made = [(call.name, str(call.arguments)) for call in printed]
    return Reaction(made, text)


def _called(done: Reaction, tool: str, *words: str) -> bool:
    """Return whether one call was made, of the right tool with the right words.

    Small models call something, and that is no use.
    """
    return any(
        name == tool and all(word in given.casefold() for word in words)
        for name, given in done.calls
    ) and all(name == tool for name, _ in done.calls)


def _has_long_number(text: Any) -> bool:
    digits = "".join(mark for mark in text if mark.isdigit())
    return len(digits) > len("9191014")
