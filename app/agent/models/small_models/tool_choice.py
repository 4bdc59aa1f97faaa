"""Which few tools a small model is offered for a message.

Those of its intent, those it has begun to use, and the two searches always.
"""

import functools
import re
from collections.abc import Collection, Mapping, Sequence, Set

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from app.agent.rules.languages import language_data
from app.agent.rules.languages.language_tables import ThingWords
from app.agent.rules.passages.sentences import fold_text, split_words, stem
from app.agent.rules.routing import routing

MOST = 8
ALWAYS = ("search_notes", "search_todos")
BY_INTENT: dict[str, tuple[str, ...]] = {
    "ask": ("get_note_content", "grep_notes", "memory_search"),
    "find_notes": ("grep_notes", "get_note_content", "list_notes"),
    "summarise": ("get_note_content", "list_folders", "list_notes"),
    "list_todos": ("get_todo", "complete_todo", "edit_todo", "replan_todos"),
    "list_notes": ("list_notes", "list_folders", "get_note_content"),
    "list_folders": ("list_folders", "create_folder", "list_notes"),
    "day": ("briefing", "search_calendar_events", "replan_todos"),
    "add_todo": ("create_todo", "edit_todo"),
    "complete_todo": ("complete_todo", "get_todo", "edit_todo"),
    "make_note": ("create_note", "list_folders", "edit_note"),
    "append_note": ("edit_note", "get_note_content", "save_snapshot"),
    "pin_note": ("pin_note", "list_notes"),
    "move_note": ("move_note", "list_folders", "create_folder"),
    "replan": ("replan_todos", "edit_todo"),
    "network": ("list_network", "search_contact"),
    "contact": ("search_contact", "list_network"),
    "message": ("search_contact", "send_message_to_human", "contact_agent"),
    "ask_agent": ("search_contact", "contact_agent", "send_message_to_human"),
    "share": ("share_agent", "list_folders"),
    "undo": ("list_snapshots", "restore_snapshot", "edit_todo", "edit_note"),
}
USUAL = (
    "get_note_content",
    "create_todo",
    "create_note",
    "complete_todo",
    "edit_note",
    "edit_todo",
)
"""What fills the places that are left, the first before the last."""


def choose_few(
    tools: Sequence[ToolDefinition], messages: Sequence[ModelMessage]
) -> list[ToolDefinition]:
    """Return at most eight of the tools, in the order they stand in."""
    if len(tools) <= MOST:
        return list(tools)
    message, used = newest_turn(messages)
    intent = BY_INTENT.get(routing.route_message(message).intent, ())
    text = fold_text(message)
    said = {stem(word) for word in split_words(text)}
    points = {
        tool.name: _word_points(tool, text, said) + _fixed_points(tool.name, intent, used)
        for tool in tools
    }
    # sorted is stable: of equal points the order of the catalogue decides.
    best = sorted(points, key=lambda name: -points[name])[:MOST]
    return [tool for tool in tools if tool.name in best]


def _fixed_points(name: str, intent: Sequence[str], used: Collection[str]) -> float:
    """Return the points that a tool has whatever the words.

    Always wanted, begun to be used, of the intent, or usual.
    """
    # Far apart, so that one kind of reason never outweighs the next higher one.
    points = 100.0 * (name in ALWAYS) + 50.0 * (name in used)
    points += 20.0 - intent.index(name) if name in intent else 0.0
    return points + (3.0 - USUAL.index(name) / len(USUAL) if name in USUAL else 0.0)


def _word_points(tool: ToolDefinition, text: str, said: Set[str]) -> float:
    """Return the points that a tool has for the words of the message."""
    points = sum(
        10.0 for part, pattern in _meant().items() if part in tool.name and pattern.search(text)
    )
    points += 4.0 * len(said & {stem(word) for word in tool.name.split("_")})
    described = split_words(fold_text(tool.description or ""))
    # Four words at most: a long description must not win by its length.
    return points + 0.5 * min(4, len(said & {stem(word) for word in described if len(word) > 3}))


def newest_turn(messages: Sequence[ModelMessage]) -> tuple[str, set[str]]:
    """Return the newest message of the user and the tools that were called since."""
    message, used = "", set[str]()
    for entry in messages:
        for part in entry.parts:
            if isinstance(entry, ModelRequest) and isinstance(part, UserPromptPart):
                message, used = part_text(part), set()
            elif isinstance(entry, ModelResponse) and isinstance(part, ToolCallPart):
                used.add(part.tool_name)
    return message, used


def part_text(part: UserPromptPart) -> str:
    """Return what the user wrote in a prompt, without what it brought along."""
    return (
        part.content
        if isinstance(part.content, str)
        else " ".join(item for item in part.content if isinstance(item, str))
    )


@functools.cache
def _meant() -> Mapping[str, re.Pattern[str]]:
    """Return what in a message points at the tools with a word in their name, by that word."""
    tables = language_data.of_all(ThingWords)
    words = {word for one in tables for word in one.tools}
    return {
        word: re.compile(language_data.either(one.tools.get(word, "") for one in tables))
        for word in sorted(words)
    }
