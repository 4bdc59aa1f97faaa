"""What models nearly get right in a call.

Names and values that can only mean one thing are taken as what they mean.
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.agent.quickadd import quickadd

Schema = Mapping[str, Any]
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_A_DATE = re.compile(r"\ba date\b")
_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,10})?")
YES, NO = frozenset({"true", "yes", "1", "on"}), frozenset({"false", "no", "0", "off"})
NOTHING = frozenset({"null", "none", "n/a", "undefined"})


def repair_arguments(given: Mapping[str, Any], schema: Schema, now: datetime) -> dict[str, Any]:
    """Return a call's arguments as the tool's schema has them.

    What cannot be understood stays, for the tool to refuse, and what is unknown goes.
    """
    fields: Mapping[str, Schema] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    found: dict[str, Any] = {}
    for name, value in _match_names(given, fields, required).items():
        if name not in required and _is_nothing(value, fields[name]):
            continue
        found[name] = repair_value(value, fields[name], now)
    return found


def repair_value(value: Any, schema: Schema, now: datetime) -> Any:
    """Return a value in the type that a field wants, where it can only mean that."""
    plain = only_alternative(schema)
    words = plain.get("enum")
    if words is not None:
        return _match_word(value, words)
    match plain.get("type"):
        case "integer":
            return _integer(value)
        case "number":
            return (
                float(value)
                if isinstance(value, str) and _NUMBER.fullmatch(value.strip())
                else value
            )
        case "boolean":
            return _boolean(value)
        case "string":
            return _string(
                value, str(plain.get("description") or schema.get("description") or ""), now
            )
        case "array":
            parts = _parse_json(value) if isinstance(value, str) else value
            items = plain.get("items", {})
            return [
                repair_value(part, items, now)
                for part in (parts if isinstance(parts, list) else [parts])
            ]
        case "object":
            parts = _parse_json(value) if isinstance(value, str) else value
            return (
                repair_arguments(parts, plain, now)
                if isinstance(parts, dict) and plain.get("properties")
                else parts
            )
        case _:
            return value


def only_alternative(schema: Schema) -> Schema:
    """Return the one alternative of a schema that is not null, or the schema itself."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    return options[0] if len(options) == 1 else schema


def _match_names(
    given: Mapping[str, Any], fields: Mapping[str, Schema], required: set[str]
) -> dict[str, Any]:
    spelled = {_only_letters(name): name for name in fields}
    found = {
        spelled[_only_letters(name)]: value
        for name, value in given.items()
        if _only_letters(name) in spelled
    }
    lacking = [name for name in required if name not in found]
    strange = [value for name, value in given.items() if _only_letters(name) not in spelled]
    # The one thing that was given can only be the one thing that is wanted.
    if len(lacking) == 1 and len(strange) == 1:
        found[lacking[0]] = strange[0]
    return found


def _only_letters(name: str) -> str:
    return "".join(mark for mark in name.casefold() if mark.isalnum())


def _is_nothing(value: Any, schema: Schema) -> bool:
    """Return whether a value stands for none; an empty text is a value where text is wanted."""
    if value is None:
        return True
    plain = only_alternative(schema)
    wants_text = (
        plain.get("type") == "string"
        and "enum" not in plain
        and not _A_DATE.search(str(plain.get("description", "")))
    )
    return (
        isinstance(value, str)
        and not wants_text
        and (not value.strip() or value.strip().casefold() in NOTHING)
    )


def _match_word(value: Any, words: Any) -> Any:
    if not isinstance(value, str):
        return value
    return next(
        (
            word
            for word in words
            if isinstance(word, str) and _only_letters(word) == _only_letters(value)
        ),
        value,
    )


def _integer(value: Any) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        # Models write 3 as "3.0" as well.
        return int(float(value))
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return value


def _boolean(value: Any) -> Any:
    word = (
        str(value).strip().casefold()
        if isinstance(value, str | int) and not isinstance(value, bool)
        else None
    )
    return True if word in YES else False if word in NO else value


def _string(value: Any, description: str, now: datetime) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and _A_DATE.search(description):
        return _date(value.strip(), description, now)
    return value


def _date(text: str, description: str, now: datetime) -> str:
    """Return a date that was written as people write it as the wire has it."""
    # Words that the field itself names, such as today, are for the tool to read.
    if _ISO.fullmatch(text) or text.casefold() in re.findall(r"\w+", description.casefold()):
        return text
    # Quick add wants a title; when the x alone is left, all of the text was the date.
    read = quickadd.read_line(f"x {text}", now=now)
    if read.no_such_day == text:
        # The tool refuses it, and says what day there is not.
        return read.no_such_date
    if read.title != "x" or read.due is None:
        return text
    day = read.due.date() if isinstance(read.due, datetime) else read.due
    only_days = "moment" not in description
    return day.isoformat() if only_days else read.due_date or text


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
