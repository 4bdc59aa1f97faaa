"""Google Keep as Takeout gives it.

A file of JSON for each note, a page of HTML beside it, and the files that notes show.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from app.core.json_body import objects_in
from app.errors import Invalid
from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_line,
    clean_text,
    join_paragraphs,
    markdown_link,
    moment_from_epoch,
    not_readable,
    note_damaged_text,
    report_name,
    tag_labels,
    title_of,
    web_address,
)
from app.portability.content.source_items import (
    Item,
    NotCarried,
    Source,
    SourceFile,
    SourceNote,
    item_address,
)
from app.portability.formats import keep_html

ARCHIVE = "Archive"
MOST_BYTES = 16 << 20
MOST_PAGE = 2 << 20
MOST_LOOKED_AT = 20
_MARKS = frozenset(
    {
        "userEditedTimestampUsec",
        "createdTimestampUsec",
        "isTrashed",
        "isArchived",
        "isPinned",
        "textContent",
        "listContent",
    }
)
_RICH = (
    "font-weight:700",
    "font-weight:bold",
    "font-style:italic",
    "<h1",
    "<h2",
    "<strong",
    "<em>",
    "<b>",
    "<i>",
)
_NOT_NOTES = frozenset({"Labels.txt", "archive_browser.html"})


def recognise(path: Path) -> bool:
    """Return whether a folder or archive holds notes of Keep; never raises."""
    return open_source.looks(_looks_like_keep, path)


def read(path: Path) -> Source:
    """Open a Takeout, or the folder of Keep in it."""
    if open_source.looks(open_source.is_alone, path):
        raise Invalid(
            "Give the folder or archive of the Takeout and not one of its files.", field="path"
        )
    return Keep(open_source.tree_of(path))


class Keep:
    """A Takeout. The first look keeps where the files lie, the second reads note after note."""

    format = "google-keep"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, dict[str, Entry]] = {}
        self._refused: list[NotCarried] = []

    def total(self) -> int | None:
        """Count the notes and files."""
        self._look()
        return sum(
            not _is_page(entry, inside)
            for inside in self._files.values()
            for entry in inside.values()
        )

    def items(self) -> Iterator[Item]:
        """Yield every note, with its files right before it, then files that no note shows."""
        self._look()
        yield from self._refused
        keys: set[str] = set()
        for folder, inside in self._files.items():
            shown: set[str] = set()
            if not any(_is_note(entry) for entry in inside.values()):
                yield from _elsewhere(folder, inside)
                continue
            for entry in inside.values():
                if _is_note(entry) and not _is_page(entry, inside):
                    # A Takeout in several parts repeats its folders, and a name may stand in two of
                    # them.
                    own = entry.stem if entry.stem not in keys else f"{folder}/{entry.stem}"
                    keys.add(own)
                    yield from self._note(entry, inside, shown, own)
            yield from self._rest(inside, shown)

    def close(self) -> None:
        """Close the archive."""
        self._tree.close()

    def _look(self) -> None:
        if self._files or self._refused:
            return
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                self._refused.append(entry)
            else:
                self._files.setdefault(entry.folder, {})[entry.name] = entry

    def _note(
        self, entry: Entry, inside: dict[str, Entry], shown: set[str], own: str
    ) -> Iterator[Item]:
        try:
            note = _any_note(entry)
        except UNREADABLE as error:
            yield not_readable(entry.path, error)
            # the page beside it says nearly the same
            page = inside.get(entry.stem + ".html")
            if entry.ending == "json" and page is not None:
                yield from self._note(page, inside, shown, own)
            return
        if not _is_keep(note):
            yield NotCarried(report_name(entry.path), "it is not a Keep note")
        elif note.get("isTrashed") is True:
            yield NotCarried(report_name(note.get("title") or entry.name), "it was in Keep's trash")
        else:
            yield from self._carried(note, entry, inside, shown, own)

    def _carried(
        self,
        note: Mapping[str, Any],
        entry: Entry,
        inside: dict[str, Entry],
        shown: set[str],
        own: str,
    ) -> Iterator[Item]:
        body = clean_text(note.get("textContent")) or _boxes(note.get("listContent"))
        title = clean_line(note.get("title")) or title_of(body, entry.stem)
        pictures: list[str] = []
        for attachment in objects_in(note.get("attachments")):
            file = _find_file(clean_text(attachment.get("filePath")), inside)
            if file is None:
                yield NotCarried(
                    report_name(attachment.get("filePath")),
                    f"the note “{report_name(title)}” shows it, but it is not in the Takeout",
                )
                continue
            # a file comes once, before the first note that shows it
            if file.name not in shown:
                yield SourceFile(
                    key=file.name, name=clean_line(file.name), open=file.open, size=file.size
                )
            shown.add(file.name)
            picture = clean_text(attachment.get("mimetype")).startswith("image/")
            pictures.append(
                markdown_link(file.name, item_address("attachment", file.name), picture=picture)
            )
        yield from _lost(note, title)
        yield from note_damaged_text(title, body, title)
        colour = clean_text(note.get("color")).lower()
        yield SourceNote(
            key=own,
            path=(ARCHIVE,) if note.get("isArchived") is True else (),
            title=title,
            text=join_paragraphs(body, _links(note.get("annotations"), body), "\n".join(pictures)),
            pinned=note.get("isPinned") is True,
            tags=tag_labels(
                [
                    *(one.get("name") for one in objects_in(note.get("labels"))),
                    f"color/{colour}" if colour not in ("", "default") else "",
                ]
            ),
            created=_moment(note, "created"),
            updated=_moment(note, "userEdited"),
        )

    def _rest(self, inside: dict[str, Entry], shown: set[str]) -> Iterator[Item]:
        """Tell of files that belong to no note."""
        for entry in inside.values():
            if entry.name in _NOT_NOTES:
                yield NotCarried(
                    report_name(entry.path),
                    "it only describes the Takeout; labels are imported with their notes",
                )
            elif not _is_note(entry) and entry.name not in shown:
                yield NotCarried(report_name(entry.path), "no imported note shows it")


def _elsewhere(folder: str, inside: dict[str, Entry]) -> Iterator[Item]:
    """Tell of a folder of the Takeout that has no notes: it is of another service."""
    if folder:
        count = f"{len(inside):,} {'file' if len(inside) == 1 else 'files'}"
        yield NotCarried(report_name(folder), f"it contains no Keep notes ({count})")
    else:
        for entry in inside.values():
            yield NotCarried(report_name(entry.path), "it is not a Keep note")


def _looks_like_keep(path: Path) -> bool:
    if open_source.is_alone(path):
        return False
    tried = 0
    for entry in open_source.first_entries(path):
        # a vault may hold JSON of any program beside its notes
        if entry.ending == "md":
            return False
        if not _is_note(entry) or entry.name in _NOT_NOTES:
            continue
        tried += 1
        if tried > MOST_LOOKED_AT:
            return False
        if open_source.looks(_holds_keep, entry):
            return True
    return False


def _holds_keep(entry: Entry) -> bool:
    return _is_keep(_any_note(entry))


def _any_note(entry: Entry) -> dict[str, Any]:
    return (
        _from_json(entry)
        if entry.ending == "json"
        else keep_html.read(entry.read(MOST_PAGE).decode("utf-8", "replace"))
    )


def _from_json(entry: Entry) -> dict[str, Any]:
    return msgspec.json.decode(
        entry.read(MOST_BYTES).decode("utf-8-sig", "replace"), type=dict[str, Any]
    )


def _is_keep(note: Mapping[str, Any]) -> bool:
    # one or two of these names stand in the JSON of other programs too
    return len(_MARKS & note.keys()) >= 3


def _is_note(entry: Entry) -> bool:
    return entry.ending in ("json", "html") and entry.name not in _NOT_NOTES


def _is_page(entry: Entry, inside: Mapping[str, Entry]) -> bool:
    """Return whether it is the page of a note whose JSON is there too."""
    return entry.ending == "html" and entry.stem + ".json" in inside


def _boxes(value: Any) -> str:
    """Return a checklist as Markdown."""
    rows = []
    for one in objects_in(value):
        text = "\n  ".join(clean_text(one.get("text")).strip().splitlines())
        rows.append(f"- [{'x' if one.get('isChecked') is True else ' '}] {text}")
    return "\n".join(rows)


def _links(value: Any, body: str) -> str:
    """Return the pages that Keep found in a note, those that its text names left out."""
    pages = [
        (one, page)
        for one in objects_in(value)
        if (page := web_address(one.get("url"))) and page not in body
    ]
    return "\n".join(
        f"- {markdown_link(clean_line(one.get('title')) or page, page)}" for one, page in pages
    )


def _lost(note: Mapping[str, Any], title: str) -> Iterator[NotCarried]:
    """Tell of what a note has and ours have not."""
    if any(mark in clean_text(note.get("textContentHtml")) for mark in _RICH):
        yield NotCarried(report_name(title), "its bold, italic and headings are now plain text")
    others = [
        clean_text(one.get("email"))
        for one in objects_in(note.get("sharees"))
        if one.get("isOwner") is not True
    ]
    if others:
        yield NotCarried(
            report_name(title),
            f"it was shared with {clean_line(', '.join(others), 200)}; here only you can see it",
        )


def _find_file(path: str, inside: Mapping[str, Entry]) -> Entry | None:
    """Return the file that a note shows.

    Takeout writes another ending than the file has now and then.
    """
    name = path.rpartition("/")[2]
    if name in inside:
        return inside[name]
    stem = name.rpartition(".")[0]
    alike = [
        entry for entry in inside.values() if stem and entry.stem == stem and not _is_note(entry)
    ]
    return alike[0] if len(alike) == 1 else None


def _moment(note: Mapping[str, Any], what: str) -> str | None:
    return moment_from_epoch(note.get(f"{what}TimestampUsec"), 1_000_000) or note.get(
        f"{what}AsShown"
    )
