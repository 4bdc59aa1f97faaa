"""Addresses in texts of the workspace, of an export and of an import.

In the workspace they hold numbers, in an export paths and lasting keys, in an import what the
source calls a thing.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Literal
from urllib.parse import unquote

from app.portability.content.file_names import relative_link
from app.portability.content.literal_text import replace_outside

Kind = Literal["note", "file"]
Lookup = Callable[[Kind, int], str | None]
_PREFIX = r"(?:hearth:note/|/os/notes/|/os/attachments/)"
# No word, slash or dash behind the number: /os/notes/12/edit or 12-draft is another address.
_NUMBERED = re.compile(rf"({_PREFIX})([1-9][0-9]{{0,15}})(?![\w/-])")
_PLACE = r"""(\][ \t]*\([ \t]*<?|^ {0,3}\[[^\]\n]{1,500}\]:[ \t]*<?|=["'])"""
"""What stands before the address of a link: in Markdown, in a definition, in HTML."""
_REST = r"""((?:[#?][^()\s<>"']{0,2000})?)(?=[)\s<>"']|\Z)"""
_BEFORE = re.compile(rf"{_PLACE}\Z", re.MULTILINE)
_BEHIND = re.compile(_REST)
_LONGEST_PLACE = 600  # longer than the longest label of a definition in `_PLACE`
_KEYED = re.compile(rf"({_PREFIX})([0-9a-f]{{12}}-[0-9]{{10,16}})(?![\w/-])")
_KEY = r"([A-Za-z0-9%._~/+=@-]{1,3000})"
_NAMED = re.compile(rf"(note|attachment):{_KEY}")
_RELATIVE = re.compile(rf"""{_PLACE}([^()\s<>#?"']{{1,2000}}){_REST}""", re.MULTILINE)


def may_hold(text: str) -> bool:
    """Return quickly whether a text may hold addresses of the workspace."""
    return "/os/notes/" in text or "/os/attachments/" in text or "hearth:note/" in text


def to_export_file(text: str, file: str, path: Lookup, key: Lookup) -> str:
    """Return a text as it stands in the file of an export.

    Links to what is exported lead to its file, its other addresses hold its key. What is not
    exported keeps its number.
    """
    if not may_hold(text):
        return text

    def put(match: re.Match[str]) -> str | None:
        kind, number = _kind_of_prefix(match[1]), int(match[2])
        target = path(kind, number) if _is_linked(match) else None
        if target is not None:
            return relative_link(file, target)
        lasting = key(kind, number)
        return None if lasting is None else match[1] + lasting

    return replace_outside(_NUMBERED, put, text)


def to_keys(text: str, key: Lookup) -> str:
    """Return a text with keys for the numbers of what is exported."""
    if not may_hold(text):
        return text
    return replace_outside(
        _NUMBERED,
        lambda match: match[1] + (key(_kind_of_prefix(match[1]), int(match[2])) or match[2]),
        text,
    )


def to_names(text: str, file: str, key: Callable[[str], tuple[Kind, str] | None]) -> str:
    """Return a text of an export with the names of what its links lead to.

    Only links that are written as an export writes them.
    """

    def put(match: re.Match[str]) -> str | None:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(match[2])))
        # Only in the export's own spelling: a link that people wrote otherwise must come back as it
        # is.
        found = key(target) if relative_link(file, target) == match[2] else None
        return (
            None
            if found is None
            else f"{match[1]}{'note' if found[0] == 'note' else 'attachment'}:{found[1]}{match[3]}"
        )

    return (
        replace_outside(_RELATIVE, put, text)
        if "](" in text or "]:" in text or "=" in text
        else text
    )


def referenced_keys(text: str) -> set[tuple[Kind, str]]:
    """Return what a text of a source may refer to, by kind and key."""
    found: set[tuple[Kind, str]] = set()
    # `replace_outside` serves to look only: nothing that `add` returns is ever put into the text.
    if _may_be_named(text):
        replace_outside(
            _NAMED,
            lambda match: found.add(_kind_and_key(match)) if _is_placed(match) else None,
            text,
        )
    if may_hold(text):
        replace_outside(
            _KEYED, lambda match: found.add((_kind_of_prefix(match[1]), match[2])), text
        )
    return found


def to_addresses(text: str, rows: Mapping[tuple[Kind, str], int]) -> str:
    """Return a text with the addresses of the rows that the things of a source became.

    What became none stays as it is.
    """

    def put(match: re.Match[str]) -> str | None:
        thing = _kind_and_key(match)
        row = rows.get(thing) if _is_placed(match) else None
        return (
            None if row is None else f"/os/{'notes' if thing[0] == 'note' else 'attachments'}/{row}"
        )

    if _may_be_named(text):
        text = replace_outside(_NAMED, put, text)
    if may_hold(text):
        text = replace_outside(
            _KEYED,
            lambda match: match[1] + str(rows.get((_kind_of_prefix(match[1]), match[2]), match[2])),
            text,
        )
    return text


def replace_file_addresses(text: str, files: Mapping[int, int]) -> str:
    """Return a text with the addresses of the files that have taken the place of others."""
    return replace_outside(
        _NUMBERED,
        lambda match: (
            match[1] + str(files.get(int(match[2]), match[2]))
            if "attachments" in match[1]
            else None
        ),
        text,
    )


def normalise_links(text: str) -> str:
    """Return a text with links to notes in one spelling.

    A tree does not say by which of the two a note was linked.
    """
    if not may_hold(text):
        return text

    def put(match: re.Match[str]) -> str | None:
        is_note = "attachments" not in match[1] and _is_linked(match)
        return f"/os/notes/{match[2]}" if is_note else None

    return replace_outside(_NUMBERED, put, text)


def _may_be_named(text: str) -> bool:
    return "note:" in text or "attachment:" in text


def _kind_and_key(match: re.Match[str]) -> tuple[Kind, str]:
    return "note" if match[1] == "note" else "file", unquote(match[2])


def _is_linked(match: re.Match[str]) -> bool:
    """Return whether an address is all that a link leads to, but for a fragment or query."""
    return _BEHIND.match(match.string, match.end()) is not None and _is_placed(match)


def _is_placed(match: re.Match[str]) -> bool:
    """Return whether an address stands where a link has it.

    Looked for backwards from the address: to search for what stands before it takes four times
    as long, as it may begin in several ways.
    """
    text, start = match.string, match.start()
    line = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_PLACE)
    return _BEFORE.search(text, line, start) is not None


def _kind_of_prefix(prefix: str) -> Kind:
    return "file" if "attachments" in prefix else "note"
