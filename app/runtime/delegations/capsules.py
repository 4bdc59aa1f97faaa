"""Context capsules: what goes along with a task, with its limits and hashes."""

import hashlib
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.schema import Body, Line, NonBlankText, Text
from app.core.schema_errors import SHA256
from app.errors import Invalid, PayloadTooLarge

LARGEST_CONTEXT, LARGEST_CONTENT = 128 << 10, 96 << 10
LARGEST_TASK = 32 << 10
MOST_ITEMS = 12


class Item(Body, omit_defaults=True):
    """A piece of context: what it is, and its text with the SHA-256 of that in UTF-8."""

    kind: Literal[
        "requirement", "diff", "file_excerpt", "error", "test_output", "decision", "freeform"
    ]
    label: Annotated[str, Line(1, 120)]
    content: Annotated[str, NonBlankText()]
    sha256: Annotated[str, Meta(pattern=SHA256)]
    source_path: Annotated[str, Text(4096)] | None = None


class Context(Body, omit_defaults=True):
    """What the receiving agent needs to know, and what it should not rely on."""

    summary: Annotated[str, NonBlankText(2000)]
    items: Annotated[list[Item], Meta(max_length=MOST_ITEMS)]
    limitations: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=MOST_ITEMS)
    ]
    objective: Annotated[str, Text(LARGEST_TASK)] | None = None


def check_context(context: Context | None) -> None:
    """Raise PayloadTooLarge where a context is too large, Invalid where a hash is wrong."""
    if context is None:
        return
    sizes = [len(item.content.encode()) for item in context.items]
    if sum(sizes) > LARGEST_CONTENT:
        raise PayloadTooLarge(
            "The contents of context.items are too large together.",
            field="context.items",
            limitBytes=LARGEST_CONTENT,
        )
    if len(msgspec.json.encode(context)) > LARGEST_CONTEXT:
        raise PayloadTooLarge("context is too large.", field="context", limitBytes=LARGEST_CONTEXT)
    for number, item in enumerate(context.items):
        if hashlib.sha256(item.content.encode()).hexdigest() != item.sha256:
            field = f"context.items[{number}].sha256"
            raise Invalid(f"{field} must be the SHA-256 of the content.", field=field)


def check_task(task: str | dict[str, Any]) -> None:
    """Raise Invalid where a task says nothing, PayloadTooLarge where it is too large."""
    if not (task.strip() if isinstance(task, str) else task):
        raise Invalid("task must say something.", field="task")
    if len(msgspec.json.encode(task)) > LARGEST_TASK:
        raise PayloadTooLarge("task is too large.", field="task", limitBytes=LARGEST_TASK)


def source_paths(context: Context | None) -> list[str]:
    """Return the paths that a context says its items are from."""
    items = [] if context is None else context.items
    return [item.source_path for item in items if item.source_path]
