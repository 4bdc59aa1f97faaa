"""What MCP servers say of their tools, cleaned and cut: words of others that models will read."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from app.core.markdown.shortened import one_line

LONGEST_NAME = 64
"""Of a tool with its namespace, as providers of models demand."""
LONGEST_NAMESPACE = 24
LONGEST_DESCRIPTION = 2_000
LONGEST_FIELD_DESCRIPTION = 500
LARGEST_SCHEMA = 16 << 10
DEEPEST_SCHEMA = 24
MOST_TOOLS = 200
LARGEST_LISTING = 512 << 10
JOINED = "__"
_STEERING = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Escapes of terminals, control characters, and marks that are not seen or turn what is read."""
_OUTSIDE_NAME = re.compile("[^A-Za-z0-9_-]+")


class Definition(msgspec.Struct, frozen=True, rename="camel"):
    """A tool as its server describes it; `remote` is its name there."""

    remote: str
    description: str
    parameters: dict[str, Any]
    reads: bool = False
    closed: bool = False


class Listing(NamedTuple):
    """The tools that can be used, and how many were left out."""

    tools: dict[str, Definition]
    left_out: int


def cleaned(text: str) -> str:
    """Return a text without what steers a terminal, hides, or turns the direction of reading."""
    return _STEERING.sub("", text)


def clean_line(text: str, most: int) -> str:
    """Return a text cleaned, on one line of at most so many characters."""
    return one_line(cleaned(text[: 8 * most]), most)


def namespace_for(name: str, taken: Iterable[str]) -> str:
    """Return the namespace of a server's tools: its name in plain letters, and not taken."""
    plain = re.sub("_+", "_", re.sub("[^a-z0-9]", "_", name.casefold())).strip("_")
    base = plain[:LONGEST_NAMESPACE].strip("_") or "mcp"
    used, number, found = set(taken), 1, base
    while found in used:
        number += 1
        found = f"{base[: LONGEST_NAMESPACE - len(str(number)) - 1]}_{number}"
    return found


def exposed_name(namespace: str, remote: str) -> str:
    """Return the name of a tool here; one that had to be changed or cut ends with its hash."""
    plain = _OUTSIDE_NAME.sub("_", remote)
    room = LONGEST_NAME - len(namespace) - len(JOINED)
    if plain != remote or len(plain) > room:
        digest = hashlib.sha256(remote.encode("utf-8", "replace")).hexdigest()[:8]
        plain = f"{plain[: room - 9]}_{digest}"
    return f"{namespace}{JOINED}{plain}"


def listing(namespace: str, offered: Iterable[Mapping[str, Any]]) -> Listing:
    """Return what a server offers as it is kept, by the names of the tools here.

    What cannot be used is left out: schemas that are too large, and what is too much.
    """
    found: dict[str, Definition] = {}
    size = left_out = 0
    for tool in offered:
        definition = _definition(tool)
        if definition is None:
            left_out += 1
            continue
        name = exposed_name(namespace, definition.remote)
        size += len(msgspec.json.encode(definition))
        if name in found or len(found) >= MOST_TOOLS or size > LARGEST_LISTING:
            left_out += 1
            continue
        found[name] = definition
    return Listing(found, left_out)


def _definition(tool: Mapping[str, Any]) -> Definition | None:
    remote, schema = tool.get("name"), tool.get("inputSchema")
    if not isinstance(remote, str) or not 0 < len(remote) <= 256 or not isinstance(schema, dict):
        return None
    kept = _schema(schema, DEEPEST_SCHEMA)
    if kept is None or len(msgspec.json.encode(kept)) > LARGEST_SCHEMA:
        return None
    hints = tool.get("annotations") or {}
    words = tool.get("description") or tool.get("title") or ""
    return Definition(
        remote,
        cleaned(str(words)[: 2 * LONGEST_DESCRIPTION])[:LONGEST_DESCRIPTION].strip(),
        {"type": "object", "properties": {}} | kept | {"required": _required(kept)},
        hints.get("readOnlyHint") is True,
        hints.get("openWorldHint") is False,
    )


def _required(schema: Mapping[str, Any]) -> list[str]:
    names = schema.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _schema(part: Any, depth: int) -> Any:
    """Return a schema with its texts cleaned and cut; None where it is nested too deeply."""
    if depth == 0:
        return None
    if isinstance(part, str):
        return cleaned(part[: 4 * LONGEST_FIELD_DESCRIPTION])[:LONGEST_FIELD_DESCRIPTION]
    if isinstance(part, list):
        held = [_schema(one, depth - 1) for one in part]
        lost = any(one is None and old is not None for one, old in zip(held, part, strict=True))
        return None if lost else held
    if isinstance(part, dict):
        found = {}
        for key, value in part.items():
            kept = _schema(value, depth - 1)
            if kept is None and value is not None:
                return None
            found[cleaned(str(key))[:LONGEST_FIELD_DESCRIPTION]] = kept
        return found
    return part
