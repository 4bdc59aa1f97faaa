"""What an export tells of a note, in the note's own front matter.

One block, whose own lines stay as they are and come back so.

Each of our fields is a line below the note's own. Where the note itself has a field of that
name, ours is called `hearth-NAME`, or left out where both say the same; `hearth` lists which of
the others are ours, or `hearth_` where the note has a field `hearth`. Fields in braces get ours
as the first line inside. Lines between two rules that are no fields are text, with ours above.
"""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from app.core.database.tx import stamp
from app.core.markdown import front_matter
from app.core.markdown.front_matter import LARGEST

NAMES = ("id", "title", "created", "updated", "tags", "pinned", "version")
MARK = "hearth"
LINKS = "hearth-links"
_DEFAULTS: dict[str, Any] = {"tags": [], "pinned": False, "version": 1}
"""What is meant where one of ours is left out."""
_BELOW = (" ", "\t", "- ")
_OPENS = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSES = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_SPACE = re.compile(r"[ \t]*(?:#.*)?")
_KEY = re.compile(
    r"""("[^"\n]*"|'[^'\n]*'|[^\s#:\[\]{}"'&*!|>@`%?,-][^:\n]*?)[ \t]*:(?:[ \t]+(.*?))?[ \t]*"""
)
_MARKED = re.compile(r"(hearth_*)(?:-.*)?", re.DOTALL)
_MARK_LINE = re.compile(r"""^["']?(hearth_*)["']?[ \t]*:""", re.MULTILINE)
_BRACE = re.compile(r"[^{]*\{")
_MARK_IN_BRACES = re.compile(r"""[^{]*\{("(hearth_*)": \[.*),\n""")


class Block(NamedTuple):
    """Where the lines of what looks like front matter start and end, and where its text begins."""

    start: int
    end: int
    body: int


class SplitNote(NamedTuple):
    """What an export tells of a note, the text of the note, and why lines that look like front
    matter are none.
    """

    fields: dict[str, Any]
    text: str
    trouble: str | None


def find_block(text: str) -> Block | None:
    """Find what looks like front matter at the top of a text, however long it is."""
    opens = _OPENS.match(text)
    closes = _CLOSES.search(text, opens.end()) if opens else None
    return Block(opens.end(), closes.start(), closes.end()) if opens and closes else None


def merge_fields(fields: dict[str, Any], text: str) -> str:
    """Return a text with these fields in its front matter.

    They get a block of their own where it has none.
    """
    found = find_block(text)
    merged = None if found is None else _merge_lines(fields, text[found.start : found.end])
    if found is None or merged is None:
        return write_front_matter(fields) + text
    return text[: found.start] + merged + text[found.end :]


def _merge_lines(fields: dict[str, Any], lines: str) -> str | None:
    """Return the lines of a note's own front matter with ours, or None where they are no fields."""
    own, trouble = _read(lines)
    keys, others = _field_names(lines)
    names = {*keys, *own}
    mark = _free_mark(names)
    ours = _fields_to_add(fields, own, names, mark)
    below = lines + field_lines(ours)
    if trouble is not None:  # as in a template, or too long to be read
        return below if keys and keys[0] and others < len(keys) else None
    if not keys or keys[0]:
        return below
    brace = _BRACE.match(lines)
    inside = brace and brace[0] + _in_braces(ours) + lines[brace.end() :]
    # Proved by reading it back: YAML has more ways to write a mapping than are known here.
    return next((one for one in (below, inside) if one and _holds(one, own, mark)), None)


def _fields_to_add(
    fields: dict[str, Any], own: dict[str, Any], names: set[str], mark: str
) -> dict[str, Any]:
    """Return what is added to a note's own fields, by the names it gets there."""
    ours: dict[str, Any] = {}
    # With fields of the note's own the defaults are written too: else its own `tags` or `pinned`
    # would be read back as ours.
    for name, value in (_DEFAULTS | fields if names else fields).items():
        if name == LINKS:
            ours[f"{mark}-links"] = value
        elif name not in names:
            ours |= {name: value} if name in fields else {}
        elif not _says_the_same(own, name, value):
            ours[f"{mark}-{name}"] = value
    return {mark: [name for name in ours if name in NAMES]} | ours


def _in_braces(ours: dict[str, Any]) -> str:
    rows = field_lines(ours).splitlines()
    return (
        ", ".join(f'"{name}": {value}' for name, _, value in (row.partition(": ") for row in rows))
        + ",\n"
    )


def _free_mark(names: set[str]) -> str:
    """Return a mark that no field of a note has."""
    marks = [found[1] for name in names if (found := _MARKED.fullmatch(name))]
    return max(marks, key=len) + "_" if marks else MARK


def _holds(lines: str, own: dict[str, Any], mark: str) -> bool:
    """Return whether lines still say what a note's own did, and have our mark."""
    found, trouble = _read(lines)
    return trouble is None and mark in found and own.items() <= found.items()


def _read(lines: str) -> tuple[dict[str, Any], str | None]:
    if len(lines) > LARGEST:
        return {}, "its front matter is too long"
    return front_matter.read_fields(lines)


def split_fields(text: str) -> SplitNote:
    """Return what an export tells of a note, and the note's own text and front matter as it was."""
    found = find_block(text)
    if found is None:
        return SplitNote({}, text, None)
    lines = text[found.start : found.end]
    braced = _MARK_IN_BRACES.match(lines)
    if braced is not None:
        mark, fields = braced[2], _field_value(f"x: {{{braced[1]}}}")
        rest = lines[: braced.start(1)] + lines[braced.end() :]
    elif marks := _MARK_LINE.findall(lines):
        mark = max(marks, key=len)
        flat = _plain_named(_take_fields(lines, frozenset({mark}))[0].get(mark))
        here = {mark, f"{mark}-links", *(f"{mark}-{name}" for name in NAMES)}
        fields, rest = _take_fields(lines, flat | here)
    else:
        return _without_mark(text, found)
    told = {name: fields[f"{mark}-{name}"] for name in NAMES if f"{mark}-{name}" in fields} | {
        name: fields[name] for name in _plain_named(fields.get(mark)) if name in fields
    }
    # Left out by the export where the note's own field says the same.
    if not {"title", "created", "updated", "tags"} <= told.keys():
        told = _own_values(_read(rest)[0]) | told
    links = {LINKS: fields[f"{mark}-links"]} if f"{mark}-links" in fields else {}
    return SplitNote(told | links, text[: found.start] + rest + text[found.end :], None)


def _plain_named(listed: Any) -> frozenset[str]:
    """Return which of our fields have their plain names, by what the mark lists."""
    return frozenset(name for name in NAMES if not isinstance(listed, list) or name in listed)


def _without_mark(text: str, found: Block) -> SplitNote:
    """Split a file whose block is all ours; what others have added to it is the note's own."""
    lines = text[found.start : found.end]
    fields, trouble = _read(lines)
    taken, rest = _take_fields(lines, frozenset({*NAMES, LINKS}))
    if taken and not rest:  # however long, as the links of a long note make it
        return SplitNote(taken, text[found.body :], None)
    if trouble is not None:
        return SplitNote({}, text, trouble)
    if fields.keys() <= {*NAMES, LINKS}:
        return SplitNote(fields, text[found.body :], None)
    return SplitNote(fields, text[: found.start] + rest + text[found.end :], None)


def _take_fields(block: str, names: frozenset[str]) -> tuple[dict[str, Any], str]:
    """Return the values of these fields of a block, and the block without their lines."""
    # By lines and not by a YAML writer, so that what stays is byte for byte as it was.
    fields: dict[str, Any] = {}
    kept: list[str] = []
    taking: list[str] = []
    name = ""
    for line in [*(f"{row}\n" for row in block.split("\n")[:-1]), ""]:
        if taking and line.startswith(_BELOW):
            taking.append(line)
            continue
        if taking:
            fields[name] = _field_value("".join(taking))
            taking = []
        key = _KEY.fullmatch(line.rstrip("\r\n"))
        name = key[1].strip("\"'") if key is not None else ""
        if name in names:
            taking.append(line)
        else:
            kept.append(line)
    return fields, "".join(kept)


def _field_names(lines: str) -> tuple[list[str], int]:
    """Return the names of the fields of a block, YAML or not, and how many lines are no part of
    one.

    The first name is empty where the first line is no field.
    """
    rows = [row for line in lines.split("\n") if not _SPACE.fullmatch(row := line.rstrip("\r"))]
    keys = [_KEY.fullmatch(row) for row in rows]
    others = [
        row
        for row, key in zip(rows, keys, strict=True)
        if key is None and not row.startswith(_BELOW)
    ]
    names = [key[1].strip("\"'") for key in keys if key is not None]
    return names if not keys or keys[0] else ["", *names], len(others)


def _field_value(lines: str) -> Any:
    name, _, value = lines.partition(":")
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        found, _ = front_matter.read_fields(lines)
        return found.get(name.strip("\"' "), "")


def _says_the_same(own: dict[str, Any], name: str, value: Any) -> bool:
    """Return whether a note's own field says what ours does."""
    return name in own and _own_values({name: own[name]}).get(name) == value


def _own_values(own: dict[str, Any]) -> dict[str, Any]:
    """Return what a note's own fields say of what we tell, as we tell it."""
    told: dict[str, Any] = {
        name: _parse_moment(own[name])
        for name in ("created", "updated")
        if isinstance(own.get(name), str)
    }
    if isinstance(own.get("title"), str):
        told["title"] = own["title"]
    if "tags" in own:
        told["tags"] = front_matter.word_list(own["tags"])
    return {name: value for name, value in told.items() if value is not None}


def _parse_moment(text: str) -> str | None:
    try:
        found = datetime.fromisoformat(text.strip())
        return stamp((found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def write_front_matter(fields: dict[str, Any]) -> str:
    """Return the front matter with these fields, each on a line whose value is JSON and so YAML
    too.
    """
    return f"---\n{field_lines(fields)}---\n"


def field_lines(fields: dict[str, Any]) -> str:
    """Return these fields as lines."""
    return "".join(f"{name}: {_yaml_safe_json(value)}\n" for name, value in fields.items())


def _yaml_safe_json(value: Any) -> str:
    """Return a value as JSON without the marks that YAML takes for ends of lines."""
    text = msgspec.json.encode(value).decode()
    return (
        text
        if text.isascii()
        else "".join(
            f"\\u{ord(mark):04x}" if mark in "\x7f\x85\u2028\u2029\ufeff" else mark for mark in text
        )
    )
