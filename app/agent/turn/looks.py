"""The calls of a turn that only look: which they are, and how many a turn may make."""

import itertools

import msgspec

from app.agent.turn.steps import Asked, Step

MOST_LOOKS = 24
"""So many calls a turn may make before it only changes and answers."""
LOOKS = ("search_", "grep_", "list_", "get_")
"""What the tools begin with that only look."""


def only_looks(step: Step) -> bool:
    """Return whether a step calls tools, and only those that look."""
    return bool(step.calls) and all(tool.startswith(LOOKS) for tool, _ in step.calls)


def only_searches(step: Step) -> bool:
    """Return whether a step calls tools, and only those that look for words."""
    tools = [tool for tool, _ in step.calls]
    return bool(tools) and all(one.startswith(("search_", "grep_")) for one in tools)


def asks_what_was_refused(asked: Asked, step: Step) -> bool:
    """Return whether a step calls a tool as it was called before, and refused."""
    refused = [(one.tool, one.arguments) for one in asked.results if one.failed]
    return any(call in refused for call in step.calls)


def looks_too_long(asked: Asked, step: Step) -> bool:
    """Return whether a step would look at more than a turn may."""
    return only_looks(step) and (asked.is_last or len(asked.results) + len(step.calls) > MOST_LOOKS)


def has_only_looked(asked: Asked) -> bool:
    """Return whether no tool of a turn has changed anything yet."""
    return all(one.tool.startswith(LOOKS) for one in asked.results)


def before_change(asked: Asked) -> Asked:
    """Return what is asked with what was looked up before anything was changed."""
    found = itertools.takewhile(lambda one: one.tool.startswith(LOOKS), asked.results)
    return msgspec.structs.replace(asked, results=tuple(found))
