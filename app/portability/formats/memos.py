"""Reads what Memos gives by its API.

Its pages as JSON, in one file or in a folder of them, with the files of its attachments beside
them.
"""

import functools
import io
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.folder_tree import FileTree
from app.portability.archives.source_tree import Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_line,
    clean_text,
    decode_base64,
    join_paragraphs,
    markdown_link,
    note_damaged_text,
    reason_text,
    report_name,
    tag_labels,
    title_of,
    web_address,
)
from app.portability.content.literal_text import replace_outside
from app.portability.content.source_items import (
    Item,
    NotCarried,
    Source,
    SourceFile,
    SourceNote,
    item_address,
)
from app.portability.formats import memo_versions
from app.portability.formats.json_stream import JsonStream
from app.portability.formats.memo_versions import Memo, MemoFile

ARCHIVE = "Archive"
MOST_LOOKED_AT = 20
LISTS = frozenset({"memos", "data"})
_FILE_LINK = re.compile(
    r"(?:(?<=\]\()|(?<=src=[\"']))(?:https?://[^/\s()<>]{1,300})?/(?:file/(?:attachments|resources)|o/r)/([A-Za-z0-9_-]{1,64})(?:/[^\s()<>]*)?"
)
_MEMO_LINK = re.compile(
    r"(?<=\()(?:https?://[^/\s()<>]{1,300})?/(?:m|memos)/([A-Za-z0-9_-]{1,64})(?=[)#])"
)


def recognise(path: Path) -> bool:
    """Return whether a file, or one of the first in a folder, is such JSON; never raises."""
    return open_source.looks(_looks_like_memos, path)


def read(path: Path) -> Source:
    """Open a file or a folder, which may be zipped."""
    if path.is_file() and not open_source.looks(_looks_like_memos, path):
        raise Invalid(f"{path.name} holds no memos as Memos' API gives them.", field="path")
    return Memos(open_source.tree_of(path))


class Memos:
    """Pages of memos. The first look keeps the title of each memo that others refer to by its
    id, the second gives them.
    """

    format = "memos"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._titles: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._files: list[Entry] = []
        self._pages: list[Entry] = []
        self._refused: list[NotCarried] = []
        self._read = False

    def total(self) -> int | None:
        """Return None: counting is reading."""
        return None

    def items(self) -> Iterator[Item]:
        """Yield every memo with its files before it, page by page, then tell of files that none
        shows.
        """
        self._look()
        yield from self._refused
        shown: set[str] = set()
        seen: set[str] = set()
        for page in self._pages:
            count = 0
            try:
                with page.open() as stream:
                    for found in _values(JsonStream(stream)):
                        count += 1
                        yield from self._memo(found, f"{page.path}, number {count}", shown, seen)
            except UNREADABLE as error:
                yield NotCarried(
                    report_name(page.path),
                    f"it is damaged after {count} memos: {reason_text(error)}",
                )
        for entry in self._files:
            if entry.path not in shown:
                yield NotCarried(report_name(entry.path), "no imported memo shows it")

    def close(self) -> None:
        """Close the archive."""
        self._tree.close()

    def _look(self) -> None:
        if self._read:
            return
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                self._refused.append(entry)
            else:
                may_be = entry.ending == "json" or isinstance(self._tree, FileTree)
                (
                    self._pages
                    if may_be and open_source.looks(_holds_memos, entry)
                    else self._files
                ).append(entry)
        for page in self._pages:
            open_source.looks(self._remember, page)
        self._read = True

    def _remember(self, page: Entry) -> bool:
        with page.open() as stream:
            for found in _values(JsonStream(stream)):
                if memo := memo_versions.memo(found):
                    self._titles[memo.id] = _title(memo)
                    self._own.update(dict.fromkeys(memo.ids, memo.id))
        return True

    def _memo(self, found: Any, place: str, shown: set[str], seen: set[str]) -> Iterator[Item]:
        memo = memo_versions.memo(found)
        if memo is None:
            yield NotCarried(report_name(place), "it is not a memo, or has no id")
            return
        # Pages that were fetched while new memos came in overlap.
        if memo.id in seen:
            return
        seen.add(memo.id)
        title = _title(memo)
        if memo.state == "deleted":
            yield NotCarried(report_name(title), "it was deleted in Memos")
            return
        more: list[str] = []
        text = memo.content
        for attached in memo.attached:
            target = yield from self._attached(attached, title, shown)
            if (
                attached.id
                and target.startswith("attachment:")
                and f"/{attached.id}" in text
                and attached.id in _files_in(text)
            ):
                text = replace_outside(
                    _FILE_LINK, functools.partial(_instead, attached.id, target), text
                )
            elif target:
                more.append(markdown_link(attached.name, target, picture=attached.picture))
        if "/m/" in text or "/memos/" in text:
            text = replace_outside(
                _MEMO_LINK,
                lambda one: (
                    item_address("note", self._own[one[1]]) if one[1] in self._own else None
                ),
                text,
            )
        yield from note_damaged_text(title, text)
        yield from _lost(memo, title)
        yield SourceNote(
            key=memo.id,
            path=(ARCHIVE,) if memo.state == "archived" else (),
            title=title,
            pinned=memo.pinned,
            tags=tag_labels(memo.tags),
            text=join_paragraphs(text, "\n".join(more), "\n".join(self._related(memo)))
            if more or memo.related or memo.parent or memo.place
            else text,
            created=memo.created,
            updated=memo.updated,
        )

    def _attached(
        self, attached: MemoFile, title: str, shown: set[str]
    ) -> Generator[Item, None, str]:
        """Yield the file of an attachment; return where a link to it leads, empty if nowhere."""
        key = attached.id or attached.name
        entry = _find_file(attached, self._files)
        if entry is not None:
            if entry.path not in shown:
                shown.add(entry.path)
                yield SourceFile(
                    key=key,
                    name=clean_line(attached.name) or entry.name,
                    open=entry.open,
                    size=entry.size,
                )
            return item_address("attachment", key)
        if inside := decode_base64(attached.content):
            yield SourceFile(
                key=key,
                name=clean_line(attached.name) or "attachment",
                open=lambda: io.BytesIO(inside),
                size=len(inside),
            )
            return item_address("attachment", key)
        if page := web_address(attached.page):
            return page
        yield NotCarried(
            report_name(attached.name or key),
            f"the memo “{report_name(title)}” has this file, but it is not beside the JSON",
        )
        return ""

    def _related(self, memo: Memo) -> Iterator[str]:
        """Yield lines about what a memo refers to and where it was written."""
        if (parent := self._own.get(memo.parent)) and parent != memo.id:
            yield f"Comment on {markdown_link(self._titles[parent], item_address('note', parent))}"
        for other in (self._own.get(one) for one in memo.related):
            if other and other not in (memo.id, parent):
                yield f"Related: {markdown_link(self._titles[other], item_address('note', other))}"
        if memo.place:
            yield f"Place: {memo.place}"


def _looks_like_memos(path: Path) -> bool:
    if open_source.is_alone(path):
        return any(map(_holds_memos, open_source.first_entries(path)))
    tried, found = 0, False
    for entry in open_source.first_entries(path):
        if entry.ending == "md" and "/" not in entry.path:
            return False
        if entry.ending == "json" and not found and tried < MOST_LOOKED_AT:
            tried += 1
            found = open_source.looks(_holds_memos, entry)
    return found


def _holds_memos(entry: Entry) -> bool:
    with entry.open() as stream:
        return memo_versions.memo(next(_values(JsonStream(stream)), None)) is not None


def _files_in(text: str) -> set[str]:
    found: set[str] = set()
    replace_outside(_FILE_LINK, lambda one: found.add(one[1]), text)
    return found


def _instead(own: str, target: str, found: re.Match[str]) -> str | None:
    return target if found[1] == own else None


def _values(stream: JsonStream) -> Iterator[Any]:
    """Yield the memos of a page, of a bare list, or of a file that is one memo."""
    if stream.peek() == "[":
        yield from stream.elements()
        return
    alone: dict[str, Any] = {}
    for name in stream.fields():
        if name in LISTS and stream.peek() == "[":
            yield from stream.elements()
        else:
            alone[name] = stream.value()
    if "content" in alone:
        yield alone


def _title(memo: Memo) -> str:
    return clean_line(memo.title, 80) or title_of(
        memo.content, f"Memo of {memo.created[:10]}" if memo.created else f"Memo {memo.id}"
    )


def _lost(memo: Memo, title: str) -> Iterator[NotCarried]:
    if memo.visibility not in ("", "PRIVATE"):
        yield NotCarried(
            report_name(title),
            f"its visibility was {clean_line(memo.visibility, 30)}; here only you can see it",
        )
    if memo.reactions:
        yield NotCarried(report_name(title), f"its {memo.reactions} reactions were not imported")


def _find_file(attached: MemoFile, files: list[Entry]) -> Entry | None:
    """Return the file of an attachment.

    The one that its id names, else the only one of its name, and of its size where that helps.
    """
    name = clean_text(attached.name)
    if attached.id:
        own = [
            entry
            for entry in files
            if attached.id in (entry.stem, entry.name, *entry.folder.split("/"))
            or entry.name.startswith(attached.id + "_")
        ]
        exact = [entry for entry in own if entry.name.endswith(name)]
        if len(exact or own) == 1:
            return (exact or own)[0]
    alike = [
        entry for entry in files if name and (entry.name == name or entry.name.endswith("_" + name))
    ]
    if len(alike) > 1:
        alike = [entry for entry in alike if entry.size == attached.size]
    return alike[0] if len(alike) == 1 else None
