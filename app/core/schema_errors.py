"""Turn msgspec's reports of what does not fit into sentences that name the field."""

import ast
import re
from collections.abc import Mapping
from typing import cast

from app.errors import Invalid

NAMES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "bytes": "a string",
}
SHA256 = "^[0-9a-f]{64}$"
MOMENT = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"
DIGITS = "^ *[0-9]{1,40} *$"
PLAIN_WORDS = "^[!-~]+( [!-~]+)*$"
WANTED = {
    SHA256: "a SHA-256 of 64 lower-case hexadecimal digits",
    MOMENT: "a moment in UTC such as 2026-11-21T09:30:00.000Z",
    DIGITS: "a number",
    PLAIN_WORDS: "words of ASCII characters with single spaces between them",
}
"""The patterns of fields, and what each lets through, in words."""
# a report reads: Expected `int`, got `str` - at `$.limit`
_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)


def explain_error(
    message: str, choices: Mapping[str, tuple[str, ...]], within: str = ""
) -> Invalid:
    """Return msgspec's report as a sentence that names the field; `within` is the field that holds
    what was read.
    """
    match = cast(re.Match[str], _WHERE.match(message))
    what, path = match["what"], ".".join(filter(None, (within, match["path"])))
    # a missing field, or what a Rule of ours says, names the field itself and has no place
    if named := re.match(r"(?:Object missing required field )?`(\w+)`(.*)$", what, re.DOTALL):
        path = f"{path}.{named[1]}" if path else named[1]
        rest = named[2].strip() or "is required"
    elif what.startswith("Invalid enum value") and path in choices:
        rest = f"must be one of {', '.join(choices[path])}"
    else:
        rest = _expected_words(what)
    return Invalid(f"{path or 'The request'} {rest}.", field=path or None)


def _expected_words(what: str) -> str:
    if bound := re.match(r"Expected `(\w+)`(?: of length)? (>=|<=) (-?[\d.]+)$", what):
        unit = {"str": " character", "array": " item"}.get(bound[1], "")
        if unit and bound.group(2, 3) == (">=", "1"):
            return "must not be empty"
        verb, unit = ("have", unit if bound[3] == "1" else f"{unit}s") if unit else ("be", "")
        return f"must {verb} at {'least' if bound[2] == '>=' else 'most'} {bound[3]}{unit}"
    if form := re.match(r"Expected `str` matching regex ('.*')$", what, re.DOTALL):
        return f"must be {WANTED[ast.literal_eval(form[1])]}"
    if wrong := re.match(r"Expected `([\w |]+)`(?:, got `(\w+)`)?", what):
        wanted = " or ".join(NAMES.get(kind, kind) for kind in wrong[1].split(" | "))
        return f"must be {wanted}" + (f", not {NAMES.get(wrong[2], wrong[2])}" if wrong[2] else "")
    if value := re.match(r"Invalid enum value (.*)$", what, re.DOTALL):
        return f"has no such value: {value[1][:80]}"
    return f"is not valid: {_lower_first(what)}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
