"""Read the JSON object of a request's body, within limits that keep the server responsive."""

import re
from typing import Any

import msgspec

from app.errors import Malformed

DEEPEST = 64
TOO_DEEP = f"The request body is nested more than {DEEPEST} levels deep."
MOST_CONTAINERS = 100_000
RARE = 1_000
TOO_MANY = f"The request body holds more than {MOST_CONTAINERS:,} lists and objects."
HALF = "The request body is not valid Unicode: {} is half of a surrogate pair."
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""Any escape; a half of a pair that stands alone is its group."""
_JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects of what should be a list of them."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def decode(body: bytes) -> dict[str, Any]:
    """Return the JSON object that `body` holds.

    Raise Malformed for anything else, and for what is nested too deep or made of too many parts.
    """
    if not body or body.isspace():
        return {}
    brackets = _count_marks(body, b"[") + _count_marks(body, b"{")
    # brackets within texts count too, so the slow, exact count comes only where there are many
    if brackets > MOST_CONTAINERS and _count_containers(body) > MOST_CONTAINERS:
        raise Malformed(TOO_MANY)
    try:
        value = msgspec.json.decode(body)
    except UnicodeDecodeError:
        raise Malformed("The request body is not valid UTF-8.") from None
    except RecursionError:
        raise Malformed(TOO_DEEP) from None
    except msgspec.DecodeError as error:
        if half := next(filter(None, (found[1] for found in _ESCAPE.finditer(body))), None):
            raise Malformed(HALF.format(half.decode())) from None
        raise Malformed(
            f"The request body is not valid JSON: {str(error).removeprefix('JSON is malformed: ')}."
        ) from None
    if not isinstance(value, dict):
        raise Malformed("The request body must be a JSON object.")
    # nothing nests deeper than it has brackets
    if brackets > DEEPEST and _is_too_deep(value):
        raise Malformed(TOO_DEEP)
    return value


def _count_marks(body: bytes, mark: bytes) -> int:
    """Count a character; quickly where it is rare, as in the megabytes of an encrypted record."""
    found, at = 0, body.find(mark)
    while at >= 0 and found < RARE:
        found, at = found + 1, body.find(mark, at + 1)
    # looking for the next one goes through memory ten times as fast as counting does
    return found if at < 0 else found + body.count(mark, at)


def _count_containers(body: bytes) -> int:
    """Count the lists and objects of a JSON text.

    Millions of empty ones would keep the decoder, and so the server, busy for seconds.
    """
    bare = _JSON_STRING.sub(b"", body)
    return bare.count(b"[") + bare.count(b"{")


def _is_too_deep(value: Any) -> bool:
    """Return whether the value nests over DEEPEST levels.

    Looked at after decoding, since searching the text would cost seconds for a long note.
    """
    level = [value]
    for _ in range(DEEPEST):
        held = (
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        )
        level = [inner for inner in held if isinstance(inner, (dict, list))]
        if not level:
            return False
    return True
