"""Front matter: the fields, in YAML, that many programs keep between two rules above a text.

It belongs to a note's text, so it is kept, searched and edited with it; but whoever shows or quotes
what a note says begins behind it.

What others wrote is read by PyYAML's base loader, which makes nothing but text, lists and
mappings: no dates, no objects, nothing that runs.
"""

import re
from typing import Any, NamedTuple

import msgspec

LARGEST = 64 << 10
"""The characters of a front matter; what is longer is text."""
MOST_NESTED = 20
_BLOCK = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([^\s:#\-][^:\n]{0,99}):(?:[ \t]+(.*))?\Z")
_GOES_ON = re.compile(r"[ \t#]|- |-\Z|\Z")
_BRACKET = re.compile(r"[\[\]{}]")
_INDENTED = re.compile(r"^[-?: \t]{100}", 8)
_OWN_LINE = re.compile(r"([a-z-]+): (.+)")
_NAME = r"[A-Za-z_][\w-]{0,60}(?: [\w-]{1,60}){0,3}"
_SCALAR = r"\w(?:[\w./+@,()'-]| (?=[\w./+@('-])|:(?=[\w/]))*"
_WORD = r"\w(?:[\w./+@-]| (?=[\w./+@-]))*"
_SIMPLE_FIELD = re.compile(rf"({_NAME}):(?: +(?:({_SCALAR})|\[((?:{_WORD}(?:, *{_WORD})*)?)\]))? *")
_LISTED = re.compile(rf"( *)- ({_SCALAR}) *")


class FrontMatter(NamedTuple):
    """A file's front matter and the text below it.

    `trouble` says why lines that look like front matter are none.
    """

    fields: dict[str, Any]
    body: str
    trouble: str | None = None


def find_block(text: str) -> re.Match[str] | None:
    """Find what looks like front matter at the top of a text, its lines as the first group."""
    return _BLOCK.match(text, 0, LARGEST) if text.startswith(("---", "\ufeff---")) else None


def body_start(text: str) -> int:
    """Return where the text below the front matter begins; 0 where there is none.

    Between two rules there may be sentences, too: fields begin with a name and a colon, and each
    of their lines is a field or goes on from one.
    """
    found = find_block(text)
    if found is None:
        return 0
    lines = found[1].splitlines()
    are_fields = any(_FIELD.match(line) for line in lines) and all(
        _FIELD.match(line) or _GOES_ON.match(line) for line in lines
    )
    return found.end() if are_fields else 0


def split_front_matter(text: str) -> FrontMatter:
    """Return the fields and the body of a file.

    Without front matter, or with one that is no YAML mapping, all of it is body.
    """
    found = find_block(text)
    if found is None:
        return FrontMatter({}, text)
    fields, trouble = read_fields(found[1])
    return FrontMatter(fields, text if trouble else text[found.end() :], trouble)


def read_fields(lines: str) -> tuple[dict[str, Any], str | None]:
    """Return the fields of a front matter's lines, or none and the reason."""
    for fields in (_read_own(lines), _read_simple(lines)):
        if fields is not None:
            return fields, None
    return _read_yaml(lines)


def word_list(value: Any) -> list[str]:
    """Return a field that is a list of words, or one text with commas or spaces between them."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    return (
        [one.strip() for one in value if isinstance(one, str) and one.strip()]
        if isinstance(value, list)
        else []
    )


def _read_own(block: str) -> dict[str, Any] | None:
    """Return the fields of a front matter as `field_lines` writes them; None for any other."""
    fields: dict[str, Any] = {}
    for line in block.splitlines():
        match = _OWN_LINE.fullmatch(line)
        if match is None or match[1] in fields:
            return None
        try:
            fields[match[1]] = msgspec.json.decode(match[2])
        except (msgspec.DecodeError, RecursionError):
            return None
    return fields


def _read_simple(block: str) -> dict[str, Any] | None:
    """Return the fields of a front matter of plain words and lists of them, as most people write.

    Return None for any other, which PyYAML reads. It takes ten times as long: a sixth of the time
    of an export of notes with such front matter.
    """
    fields: dict[str, Any] = {}
    name: str | None = None
    indent: str | None = None
    for line in block.split("\n")[: -1 if block.endswith("\n") else None]:
        field = _SIMPLE_FIELD.fullmatch(line)
        if field is not None:
            listed = field[3]
            fields[field[1]] = (
                field[2] or ""
                if listed is None
                else [word.strip() for word in listed.split(",") if word]
            )
            name = None if field[2] or listed is not None else field[1]
            indent = None
            continue
        item = _LISTED.fullmatch(line)
        if item is None or name is None or indent not in (None, item[1]):
            return None
        # A field with nothing behind it is an empty text until an item makes it a list.
        fields[name] = [*(fields[name] or ()), item[2]]
        indent = item[1]
    return fields


def _read_yaml(block: str) -> tuple[dict[str, Any], str | None]:
    import yaml

    # PyYAML's C loader, much the faster one, where its wheel has it.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if _nests_deep(block):
        return {}, "its front matter is nested too deeply"
    try:
        found = yaml.load(block, loader)  # noqa: S506 - the base loader makes text, lists and mappings alone
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark is not None else ""
        return {}, f"its front matter is not YAML{where}"
    if found is None or found == "":
        return {}, None
    if not isinstance(found, dict):
        return {}, "its front matter is not a list of fields"
    return {name: value for name, value in found.items() if isinstance(name, str)}, None


def _nests_deep(block: str) -> bool:
    """Return whether a block may nest deeper than anybody writes: PyYAML's C loader recurses on
    the C stack, where no RecursionError stops it.
    """
    deep = 0
    for bracket in _BRACKET.finditer(block):
        deep = max(0, deep + (1 if bracket[0] in "[{" else -1))
        if deep > MOST_NESTED:
            return True
    return _INDENTED.search(block) is not None
