"""Schemas of tools as small models and plain servers understand them.

No alternatives with null, no defaults of null, nothing unknown allowed.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic_ai.tools import ToolDefinition

Schema = dict[str, Any]
DROPPED = frozenset({"title", "examples", "$schema"})
LARGEST_SAID = 1_000_000_000
BOUNDS = frozenset(
    {"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "default"}
)
"""What the tool itself sees to, and tells a model that gets it wrong."""
RARE = frozenset({"offset", "userTimezone", "notes", "includeSteps", "order"})
"""Fields that a person's message never asks for."""


def flatten_schema(schema: Mapping[str, Any]) -> Schema:
    """Return a schema whose optional fields are simply not required, instead of being allowed to
    be null, and each of one type.
    """
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if all(option.get("type") in ("integer", "string") for option in options):
        # A string can say a number as well.
        options = [option for option in options if option["type"] == "string"] or options
    if len(options) == 1:
        outer = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
        return flatten_schema({**options[0], **outer})
    found: Schema = {}
    for key, value in schema.items():
        if (
            key in DROPPED
            or (key == "default" and value is None)
            # Limits such as 2**53 only cost tokens.
            or (key == "maximum" and value > LARGEST_SAID)
        ):
            continue
        found[key] = _flatten_part(key, value)
    if found.get("type") == "object" and "properties" in found:
        # With it servers that constrain decoding keep a model from inventing fields.
        found["additionalProperties"] = False
    if (
        "enum" in found
        and "type" not in found
        and all(isinstance(word, str) for word in found["enum"])
    ):
        found["type"] = "string"
    return found


def _flatten_part(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: flatten_schema(field) for name, field in value.items()}
    if key == "anyOf":
        return [flatten_schema(option) for option in value if option.get("type") != "null"]
    return (
        flatten_schema(value)
        if key in ("items", "additionalProperties") and isinstance(value, Mapping)
        else value
    )


def shorten_tool(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool in the words that a small model needs to choose and call it.

    On a processor every token of them is waited for, with each message.
    """
    return dataclasses.replace(
        tool,
        description=" ".join((tool.description or "").split("\n\n")[0].split()),
        parameters_json_schema=_shorten_schema(tool.parameters_json_schema),
    )


def _shorten_schema(schema: Mapping[str, Any]) -> Schema:
    found = {key: value for key, value in schema.items() if key not in BOUNDS}
    if isinstance(fields := schema.get("properties"), Mapping):
        found["properties"] = {
            name: _shorten_schema(field) for name, field in fields.items() if name not in RARE
        }
    if isinstance(items := schema.get("items"), Mapping):
        found["items"] = _shorten_schema(items)
    return found
