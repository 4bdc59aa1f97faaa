"""One entry put into a configuration file that people write: the rest stays as it is.

JSON with comments and commas at the end as editors take it, or TOML.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

INDENT = "  "
MARK = "\ufeff"
"""With which some editors of Windows begin a file."""
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BARE = re.compile(r"[^\s,\]}/]+")
_REST_OF_LINE = re.compile(r"(?:[ \t]*//[^\r\n]*)?")
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class Unreadable(ValueError):
    """The file is not what its program reads, or the entry cannot be put in its place."""


class _Member(NamedTuple):
    name: str
    start: int
    value: int
    end: int


def with_entry_json(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with the entry in a section; raise Unreadable."""
    if text.startswith(MARK):
        return MARK + with_entry_json(text.removeprefix(MARK), section, name, entry)
    before = read_json(text)
    held = before.get(section, {})
    if not isinstance(held, dict) or not isinstance(held.get(name, {}), dict):
        raise Unreadable(f"{section} is not an object")
    whole = {**held.get(name, {}), **entry}
    if not text.strip():
        return json.dumps({section: {name: whole}}, indent=2, ensure_ascii=False) + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    start = _after_space(text, 0)
    unit = _unit(text, start)
    found = _member(text, start, section)
    if found is None:
        made = _put(text, start, section, {name: whole}, unit, newline)
    else:
        made = _put(text, found.value, name, whole, unit, newline)
    if read_json(made) != {**before, section: {**held, name: whole}}:
        raise Unreadable("the entry did not come out as it should")
    return made


def without_entry_json(text: str, section: str, name: str) -> str:
    """Return the text without the entry of a section; raise Unreadable."""
    if text.startswith(MARK):
        return MARK + without_entry_json(text.removeprefix(MARK), section, name)
    before = read_json(text)
    held = before.get(section)
    if not isinstance(held, dict) or name not in held:
        return text
    found = _member(text, _after_space(text, 0), section)
    made = text if found is None else _cut(text, found.value, name)
    rest = {key: value for key, value in held.items() if key != name}
    if read_json(made) != {**before, section: rest}:
        raise Unreadable("the entry could not be taken out alone")
    return made


def read_json(text: str) -> dict[str, Any]:
    """Return what a JSON text with comments holds; raise Unreadable."""
    if not text.strip():
        return {}
    try:
        found = json.loads(_plain(text.removeprefix(MARK)))
    except ValueError as error:
        raise Unreadable(str(error)) from None
    if not isinstance(found, dict):
        raise Unreadable("it does not hold an object")
    return found


def with_entry_toml(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with the entry as a table of its own; raise Unreadable."""
    before = read_toml(text)
    held = before.get(section, {})
    if not isinstance(held, dict) or not isinstance(held.get(name, {}), dict):
        raise Unreadable(f"{section} is not a table")
    newline = "\r\n" if "\r\n" in text else "\n"
    header = f"[{section}.{name}]"
    lines = [header, *(f"{key} = {_toml(value)}" for key, value in entry.items())]
    if name in held:
        made = _replaced_table(text, section, name, entry, newline)
    else:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        made = text + gap + newline.join(lines) + newline
    if read_toml(made) != {**before, section: {**held, name: {**held.get(name, {}), **entry}}}:
        raise Unreadable("the entry did not come out as it should")
    return made


def without_entry_toml(text: str, section: str, name: str) -> str:
    """Return the text without the table of an entry; raise Unreadable."""
    before = read_toml(text)
    held = before.get(section)
    if not isinstance(held, dict) or name not in held:
        return text
    header = _table(text, section, name)
    following = _HEADER.search(text, header[1])
    end = following.start() if following else len(text)
    made = text[: header[0]].rstrip("\r\n") + text[header[0] - 1 : header[0]] + text[end:]
    rest = {key: value for key, value in held.items() if key != name}
    wanted = {**before, section: rest}
    if {section: {}, **read_toml(made)} != wanted:
        raise Unreadable("the entry could not be taken out alone")
    return made


def read_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text holds; raise Unreadable."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)) from None


def _put(text: str, start: int, name: str, value: Any, unit: str, newline: str) -> str:
    """Return the text with a member of the object that begins at `start`, added or replaced."""
    margin = _margin(text, start)
    inner = margin + unit
    lines = json.dumps(value, indent="\t" if "\t" in unit else len(unit), ensure_ascii=False)
    shown = lines.replace("\n", newline + inner)
    members = list(_members(text, start))
    for member in members:
        if member.name == name:
            return text[: member.value] + shown + text[member.end :]
    added = f"{newline}{inner}{json.dumps(name)}: {shown}"
    if not members:
        close = text.index("}", _after_space(text, start + 1))
        kept = text[start + 1 : close].rstrip()
        return text[: start + 1] + kept + added + newline + margin + text[close:]
    end = members[-1].end
    comma = _after_space(text, end)
    has_comma = text[comma] == ","
    last = comma + 1 if has_comma else end
    rest = _REST_OF_LINE.match(text, last)
    at = rest.end() if rest else last
    if has_comma:  # the file ends its lists so
        return text[:at] + added + "," + text[at:]
    return text[:last] + "," + text[last:at] + added + text[at:]


def _cut(text: str, start: int, name: str) -> str:
    """Return the text without a member of the object that begins at `start`."""
    members = list(_members(text, start))
    number = next(at for at, one in enumerate(members) if one.name == name)
    one = members[number]
    begin = len(text[: one.start].rstrip())
    comma = _after_space(text, one.end)
    if text[comma] == ",":
        return text[:begin] + text[comma + 1 :]
    if number == 0:
        return text[:begin] + text[one.end :]
    before = _after_space(text, members[number - 1].end)
    return text[:before] + text[before + 1 : begin] + text[one.end :]


def _unit(text: str, start: int) -> str:
    """Return by what the file indents: its first member's margin, else two spaces."""
    first = next(_members(text, start), None)
    line = "" if first is None else text[: first.start].rpartition("\n")[2]
    return line if line and not line.strip() else INDENT


def _margin(text: str, at: int) -> str:
    """Return the blanks with which the line begins that `at` stands in."""
    line = text[:at].rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip())]


def _member(text: str, start: int, name: str) -> _Member | None:
    found = [member for member in _members(text, start) if member.name == name]
    if found and text[found[-1].value] != "{":
        raise Unreadable(f"{name} is not an object")
    return found[-1] if found else None


def _members(text: str, start: int) -> Iterator[_Member]:
    """Yield the members of the object that begins at `start`."""
    if text[start] != "{":
        raise Unreadable("it does not hold an object")
    at = _after_space(text, start + 1)
    while text[at] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise Unreadable("a name is missing")
        value = _after_space(text, _after_space(text, key.end()) + 1)
        end = _end_of_value(text, value)
        yield _Member(json.loads(key[0]), at, value, end)
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _end_of_value(text: str, at: int) -> int:
    """Return where the value ends that begins at `at`."""
    depth = 0
    while True:
        mark = text[at]
        if mark == '"':
            found = _STRING.match(text, at)
            at = found.end() if found else len(text)
        elif mark in "{[":
            depth, at = depth + 1, at + 1
        elif mark in "}]":
            depth, at = depth - 1, at + 1
        elif mark in ",:":
            at += 1
        else:
            found = _BARE.match(text, at)
            at = found.end() if found else at + 1
        if depth == 0:
            return at
        at = _after_space(text, at)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _plain(text: str) -> str:
    """Return JSON without its comments, and without commas that nothing follows."""
    parts, at = [], 0
    while at < len(text):
        space = _after_space(text, at)
        if space > at:
            parts.append(" ")
            at = space
        elif text[at] == '"' and (found := _STRING.match(text, at)):
            parts.append(found[0])
            at = found.end()
        elif text[at] == "," and text[_after_space(text, at + 1) :][:1] in ("}", "]"):
            at += 1
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def _toml(value: Any) -> str:
    """Return a value as TOML has it: JSON's texts and lists are TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def _replaced_table(text: str, section: str, name: str, entry: dict[str, Any], newline: str) -> str:
    """Return the text with the lines of one table's values replaced; others stay."""
    header = _table(text, section, name)
    following = _HEADER.search(text, header[1])
    end = following.start() if following else len(text)
    block = text[header[1] : end]
    for key, value in entry.items():
        line = f"{key} = {_toml(value)}"
        held = re.search(rf"^[ \t]*{re.escape(key)}[ \t]*=[^\r\n]*", block, re.MULTILINE)
        if held is None:
            block = line + newline + block
        else:
            block = block[: held.start()] + line + block[held.end() :]
    return text[: header[1]] + block + text[end:]


def _table(text: str, section: str, name: str) -> tuple[int, int]:
    """Return where the header of a table begins and ends, its line's end included."""
    found = re.search(
        rf"^[ \t]*\[\s*{re.escape(section)}\s*\.\s*\"?{re.escape(name)}\"?\s*\][^\n]*\n?",
        text,
        re.MULTILINE,
    )
    if found is None:
        raise Unreadable(f"{section}.{name} is not a table of its own")
    return found.span()
