"""Addresses in texts: in the workspace they hold numbers, in an export paths and lasting keys, in an import what the source calls a thing."""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Literal
from urllib.parse import unquote

from app.core.regex import regex
from app.portability.file_names import relative

Kind = Literal["note", "file"]
Lookup = Callable[[Kind, int], str | None]
_PREFIX = r"(?:hearth:note/|/os/notes/|/os/attachments/)"
_NUMBERED = regex(rf"({_PREFIX})([1-9][0-9]{{0,15}})(?![\w/-])")
_LINKED = regex(rf"\]\(({_PREFIX})([1-9][0-9]{{0,15}})(?=[)\s])")
_KEYED = regex(rf"({_PREFIX})([0-9a-f]{{12}}-[0-9]{{10,16}})(?![\w/-])")
_KEY = r"([A-Za-z0-9%._~/+=@-]{1,3000})"
_NAMED: dict[Kind, re.Pattern[str]] = {"note": regex(rf"note:(?<![\w:/.-]note:){_KEY}"), "file": regex(rf"attachment:(?<![\w:/.-]attachment:){_KEY}")}
_RELATIVE = regex(r"\]\(([^()\s<>#?]{1,2000})(?=[)\s])")


def may_hold(text: str) -> bool:
    """Say quickly whether a text may hold addresses of the workspace."""
    return "/os/notes/" in text or "/os/attachments/" in text or "hearth:note/" in text


def exported(text: str, file: str, path: Lookup, key: Lookup) -> str:
    """Give a text as it stands in the file of an export: links to what is exported lead to its file, other addresses hold its key.

    What is not exported keeps its number.
    """
    if not may_hold(text):
        return text

    def linked(kind: Kind, number: str) -> str | None:
        target = path(kind, int(number))
        return None if target is None else relative(file, target)

    text = _LINKED.sub(lambda match: f"]({linked(_kind(match[1]), match[2]) or match[1] + match[2]}", text)
    return keyed(text, key)


def keyed(text: str, key: Lookup) -> str:
    """Give a text with keys for the numbers of what is exported."""
    return _NUMBERED.sub(lambda match: match[1] + (key(_kind(match[1]), int(match[2])) or match[2]), text) if may_hold(text) else text


def named(text: str, file: str, key: Callable[[str], tuple[Kind, str] | None]) -> str:
    """Give a text of an export with the names of what its links lead to; only links that are written as an export writes them."""

    def name(link: str) -> str | None:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(link)))
        found = key(target) if relative(file, target) == link else None
        return None if found is None else f"{'note' if found[0] == 'note' else 'attachment'}:{found[1]}"

    return _RELATIVE.sub(lambda match: f"]({name(match[1]) or match[1]}", text) if "](" in text else text


def wanted(text: str) -> set[tuple[Kind, str]]:
    """Give what a text of a source may refer to, by kind and key."""
    found: set[tuple[Kind, str]] = set()
    for kind, pattern in _NAMED.items():
        found.update((kind, unquote(match[1])) for match in pattern.finditer(text))
    if may_hold(text):
        found.update((_kind(match[1]), match[2]) for match in _KEYED.finditer(text))
    return found


def resolved(text: str, rows: Mapping[tuple[Kind, str], int]) -> str:
    """Give a text with the addresses of the rows that the things of a source became; what became none stays as it is."""

    def by_name(kind: Kind, key: str) -> str | None:
        row = rows.get((kind, key))
        return None if row is None else f"/os/{'notes' if kind == 'note' else 'attachments'}/{row}"

    text = _NAMED["note"].sub(lambda match: by_name("note", unquote(match[1])) or match[0], text)
    text = _NAMED["file"].sub(lambda match: by_name("file", unquote(match[1])) or match[0], text)
    if may_hold(text):
        text = _KEYED.sub(lambda match: match[1] + str(rows.get((_kind(match[1]), match[2]), match[2])), text)
    return text


def moved(text: str, files: Mapping[int, int]) -> str:
    """Give a text with the addresses of the files that have taken the place of others."""
    return _NUMBERED.sub(lambda match: match[1] + str(files.get(int(match[2]), match[2])) if "attachments" in match[1] else match[0], text)


def plain(text: str) -> str:
    """Give a text with links to notes in one spelling: a tree does not say by which of the two a note was linked."""
    return _LINKED.sub(lambda match: f"]({match[1] if 'attachments' in match[1] else '/os/notes/'}{match[2]}", text) if may_hold(text) else text


def _kind(prefix: str) -> Kind:
    return "file" if "attachments" in prefix else "note"
