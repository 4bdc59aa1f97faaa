"""What an export tells of a note, in the note's own front matter.

One block, whose own lines stay as they are and come back so.

Each of our fields is a line below the note's own. Where the note itself has a field of that
name, ours is called `hearth-NAME`, or left out where both say the same; `hearth` lists which of
the others are ours.
"""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from app.core.database.tx import stamp
from app.portability.content import front_matter

NAMES = ("id", "title", "created", "updated", "tags", "pinned", "version")
MARK = "hearth"
LINKS = "hearth-links"
LARGEST = 12 << 10
"""The characters of a note's own front matter up to which ours is put into it."""
_ELSE: dict[str, Any] = {"tags": [], "pinned": False, "version": 1}
"""What is meant where one of ours is left out."""
_OURS = frozenset({MARK, LINKS, *(f"{MARK}-{name}" for name in NAMES)})
_BELOW = (" ", "\t", "- ")
_SPACE = re.compile(r"[ \t]*(?:#.*)?")
_KEY = re.compile(
    r"""("[^"\n]*"|'[^'\n]*'|[^\s#:\[\]{}"'&*!|>@`%?,-][^:\n]*?)[ \t]*:(?:[ \t]+(.*?))?[ \t]*"""
)


class Apart(NamedTuple):
    """What an export tells of a note, the text of the note, and why lines that look like front
    matter are none.
    """

    fields: dict[str, Any]
    text: str
    trouble: str | None


def with_ours(fields: dict[str, Any], text: str) -> str:
    """Give a text with these fields in its front matter.

    They get a block of their own where it has none that could take them.
    """
    found = front_matter.block(text)
    if found is None or len(found[1]) > LARGEST:
        return front_matter.written(fields) + text
    names = _names(found[1])
    if names is None or any(name == MARK or name.startswith(f"{MARK}-") for name in names):
        return front_matter.written(fields) + text
    own, _ = front_matter.read(found[1])
    ours: dict[str, Any] = {}
    for name, value in (_ELSE | fields if names else fields).items():
        if name not in names and name not in own:
            ours |= {name: value} if name in fields else {}
        elif not _says(own, name, value):
            ours[f"{MARK}-{name}"] = value
    ours = {MARK: [name for name in ours if name in NAMES]} | ours
    place = found.end(1)
    return text[:place] + front_matter.lines(ours) + text[place:]


def apart(text: str) -> Apart:
    """Take apart what an export wrote.

    What it tells of a note, and the note's own text with its own front matter as it was.
    """
    found = front_matter.block(text)
    if found is None:
        return Apart({}, text, None)
    if f"\n{MARK}:" not in found[0]:
        return _without_mark(text, found.start(1), found.end(1))
    marked, _ = _taken(found[1], frozenset({MARK}))
    listed = marked.get(MARK)
    flat = (
        frozenset(name for name in listed if name in NAMES)
        if isinstance(listed, list)
        else frozenset(NAMES)
    )
    fields, rest = _taken(found[1], _OURS | flat)
    text = text[: found.start(1)] + rest + text[found.end(1) :]
    told = {name: fields[f"{MARK}-{name}"] for name in NAMES if f"{MARK}-{name}" in fields} | {
        name: fields[name] for name in flat if name in fields
    }
    if not {"title", "created", "updated", "tags"} <= told.keys():
        own, _ = front_matter.read(rest)
        told = _meant(own) | told
    return Apart(told | ({LINKS: fields[LINKS]} if LINKS in fields else {}), text, None)


def _without_mark(text: str, start: int, end: int) -> Apart:
    """Take apart a file whose block is all ours, or to which others have added.

    What they added is the note's own.
    """
    fields, body, trouble = front_matter.parted(text)
    if trouble is not None or fields.keys() <= {*NAMES, LINKS}:
        return Apart(fields, body, trouble)
    _, rest = _taken(text[start:end], frozenset({*NAMES, LINKS}))
    return Apart(fields, text[:start] + rest + text[end:], None)


def _taken(block: str, names: frozenset[str]) -> tuple[dict[str, Any], str]:
    """Take fields out of a block: give their values, and the block without their lines."""
    fields: dict[str, Any] = {}
    kept: list[str] = []
    taking: list[str] = []
    name = ""
    for line in [*(f"{row}\n" for row in block.split("\n")[:-1]), ""]:
        if taking and line.startswith(_BELOW):
            taking.append(line)
            continue
        if taking:
            fields[name] = _value("".join(taking))
            taking = []
        key = _KEY.fullmatch(line.rstrip("\r\n"))
        name = key[1].strip("\"'") if key is not None else ""
        if name in names:
            taking.append(line)
        else:
            kept.append(line)
    return fields, "".join(kept)


def _names(block: str) -> set[str] | None:
    """Give the names of the fields of a block, YAML or not.

    None where its lines are no fields and ours cannot stand below them.
    """
    rows = [row for line in block.split("\n") if not _SPACE.fullmatch(row := line.rstrip("\r"))]
    keys = [_KEY.fullmatch(row) for row in rows]
    return (
        None
        if keys and keys[0] is None
        else {key[1].strip("\"'") for key in keys if key is not None}
    )


def _value(lines: str) -> Any:
    name, _, value = lines.partition(":")
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        found, _ = front_matter.read(lines)
        return found.get(name.strip("\"' "), "")


def _says(own: dict[str, Any], name: str, value: Any) -> bool:
    """Say whether a note's own field says what ours does."""
    return name in own and _meant({name: own[name]}).get(name) == value


def _meant(own: dict[str, Any]) -> dict[str, Any]:
    """Give what a note's own fields say of what we tell, as we tell it."""
    told: dict[str, Any] = {
        name: _moment(own[name])
        for name in ("created", "updated")
        if isinstance(own.get(name), str)
    }
    if isinstance(own.get("title"), str):
        told["title"] = own["title"]
    if "tags" in own:
        told["tags"] = front_matter.words(own["tags"])
    return {name: value for name, value in told.items() if value is not None}


def _moment(text: str) -> str | None:
    try:
        found = datetime.fromisoformat(text.strip())
        return stamp((found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC))
    except (ValueError, OverflowError):
        return None
