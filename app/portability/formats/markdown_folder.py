"""Reads any folder or archive of Markdown files.

Each file a note, its folders the note's folders, every other file one that notes may show.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from app.core.markdown import front_matter
from app.core.text import fold_name
from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry, Folder, Found, Tree
from app.portability.content.clean_text import moment_from_epoch, not_readable, report_name
from app.portability.content.literal_text import replace_outside
from app.portability.content.source_items import (
    Folders,
    Item,
    NotCarried,
    PassedOver,
    SourceFile,
    SourceFolder,
    SourceNote,
    item_address,
)
from app.portability.formats.unsupported import is_encrypted
from app.workspace.attachments.media_types import decode_text
from app.workspace.index import link_text, note_tags

ENDINGS = (".md", ".markdown", ".mdown", ".mkd")
LOOKED_AT = 2_000
"""How many files are looked at to tell whether any of them is Markdown."""
LARGEST = 64 << 20
"""The bytes up to which a file is read at all; a note holds 10 MiB."""
CREATED = ("created", "date created", "created_at", "creation-date", "date")
UPDATED = ("updated", "modified", "date modified", "updated_at", "lastmod")
TAGS = ("tags", "tag", "keywords")
LEFT_OUT = {
    **dict.fromkeys(("db", "sqlite", "sqlite3"), "it is another program's database"),
    **dict.fromkeys(("lock", "tmp"), "it is a program's temporary file"),
    **dict.fromkeys(("part", "crdownload"), "it is an unfinished download"),
}
"""What programs keep for themselves beside the notes, by the endings of the names."""
_LINK = re.compile(
    r"\]\((?:<([^<>\n]{1,2000})>|((?:[^()\s<>]|\([^()\s<>]{0,500}\)){1,2000}))(?=[ )\t])"
)
_DEFINITION = re.compile(
    r"^( {0,3}\[[^\]\n]{1,500}\]:[ \t]*)(?:<([^<>\n]{1,2000})>|(\S{1,2000}))", re.MULTILINE
)
_EMBED = re.compile(
    r"(!?)\[\[([^\[\]\n|#\\]{1,500})(#[^\[\]\n|\\]{0,500})?(?:(\\?\|)([^\[\]\n]{0,500}))?\]\]"
)
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})
_DAY = re.compile(r"([0-9]{4})([-_])([0-9]{2})\2([0-9]{2})")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#\\?]")


def recognise(path: Path) -> bool:
    """Return whether there is a Markdown file."""
    return open_source.looks(
        lambda: any(
            _is_note(entry.path)
            for entry in open_source.first_entries(path, LOOKED_AT, open_source.tree_of)
        )
    )


def read(path: Path) -> "MarkdownFolder":
    """Open a folder, an archive or a single file of Markdown."""
    return MarkdownFolder(open_source.enter_top_folder(open_source.tree_of(path)), "markdown")


class MarkdownFolder:
    """A tree of Markdown files as a source; keys are paths within it."""

    def __init__(self, tree: Tree, format: str) -> None:
        self.format = format
        self._tree = tree
        self._listed = [_left_out(entry) for entry in tree.entries()]
        self._named: dict[str, str] = {}
        for path in sorted(
            (entry.path for entry in self._entries() if not _is_note(entry.path)),
            key=lambda path: path.count("/"),
            reverse=True,
        ):
            self._named[fold_name(path.rpartition("/")[2])] = (
                path  # of several the one nearest to the top, as a vault reads a bare name
            )
        self._folded = {fold_name(entry.path): entry.path for entry in self._entries()}

    def total(self) -> int | None:
        """Count the files, the folders and what cannot be read."""
        return len(self._listed)

    def items(self) -> Iterator[Item]:
        """Yield folders, then files, then notes, so that a note's files are there before it."""
        for entry in self._listed:
            if isinstance(entry, Folder):
                yield SourceFolder(path=tuple(entry.path.split("/")))
        refused = [one for one in self._listed if isinstance(one, NotCarried)]
        # what nobody misses comes last
        yield from sorted(refused, key=lambda one: isinstance(one, PassedOver))
        for entry in self._entries():
            if not _is_note(entry.path):
                made = moment_from_epoch(entry.modified, 1) if entry.modified else None
                yield SourceFile(
                    key=entry.path, name=entry.name, open=entry.open, size=entry.size, created=made
                )
        for entry in self._entries():
            if _is_note(entry.path):
                yield from self._note(entry)

    def close(self) -> None:
        """Let go of the archive."""
        self._tree.close()

    def _entries(self) -> Iterator[Entry]:
        return (one for one in self._listed if isinstance(one, Entry))

    def _note(self, entry: Entry) -> Iterator[Item]:
        name = report_name(entry.path)
        try:
            content = entry.read(LARGEST)
        except OSError as error:
            yield not_readable(name, error)
            return
        # UTF-16 holds NULs too, and begins with a mark of byte order
        if b"\0" in content and content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            yield NotCarried(name, "it is not text: it contains NUL characters")
            return
        if is_encrypted(content):
            yield NotCarried(
                name, "it is encrypted; decrypt it where it was made, and import it again"
            )
            return
        text = decode_text(content)
        fields, body, trouble = front_matter.split_front_matter(text)
        if trouble is not None:
            yield NotCarried(name, f"{trouble}; it was kept as text")
        yield self._made(entry, text, fields, body)

    def _made(self, entry: Entry, text: str, fields: Mapping[str, Any], body: str) -> SourceNote:
        folders, title = entry.folders, entry.stem
        known = {name.lower().strip(): value for name, value in fields.items()}
        carried = {
            *CREATED,
            *UPDATED,
            *TAGS,
            "pinned",
            *(["title"] if str(known.get("title", "")) == title else []),
        }
        tags = [tag for name in TAGS for tag in front_matter.word_list(known.get(name))]
        # what becomes fields as a whole need not stand in the text as well
        head = (
            ""
            if known.keys() <= carried and _is_whole(fields, text[: len(text) - len(body)], tags)
            else text[: len(text) - len(body)]
        )
        return SourceNote(
            key=entry.path,
            path=folders,
            title=title,
            text=head + self._with_addresses(folders, body),
            tags=(*tags, *_inline_tags(body)),
            pinned=str(known.get("pinned", "")).lower() == "true",
            created=_first(known, CREATED),
            updated=_first(known, UPDATED),
            day=_day(title),
            modified=entry.modified,
        )

    def _with_addresses(self, folders: Folders, text: str) -> str:
        """Return a text with the addresses of what its relative links and embeds lead to.

        Links to titles stay, Hearth has them too.
        """
        if "](" in text:
            text = replace_outside(
                _LINK,
                lambda match: self._linked(folders, "](", match[1] or match[2]),
                text,
                maths=True,
            )
        if "]:" in text:
            text = replace_outside(
                _DEFINITION,
                lambda match: self._linked(folders, match[1], match[2] or match[3]),
                text,
                maths=True,
            )
        if "[[" in text:
            text = replace_outside(
                _EMBED, lambda match: self._embedded(folders, match), text, maths=True
            )
        return text

    def _linked(self, folders: Folders, before: str, link: str) -> str | None:
        found = self._target(folders, link)
        return None if found is None else before + found

    def _target(self, folders: Folders, link: str) -> str | None:
        """Return the address of the file that a relative link leads to; None for all others."""
        if _ELSEWHERE.match(link):
            return None
        where = link.partition("#")[0].partition("?")[0]
        rest = link[len(where) :].translate(_IN_ADDRESS)
        where = unquote(where)
        path = self._folded.get(fold_name(posixpath.normpath("/".join([*folders, where]))))
        # many programs leave the ending of a note out of a link
        if path is None and not where.lower().endswith(ENDINGS):
            path = self._folded.get(
                fold_name(posixpath.normpath("/".join([*folders, where + ".md"])))
            )
        return (
            None
            if path is None
            else item_address("note" if _is_note(path) else "attachment", path) + rest
        )

    def _embedded(self, folders: Folders, match: re.Match[str]) -> str | None:
        """Return what stands for a link in double brackets.

        One to a file that is no note gets its address, and keeps its size and fragment.
        """
        shows, target, fragment, bar, shown = (
            match[1],
            match[2].strip(),
            match[3] or "",
            match[4],
            match[5],
        )
        # as vaults read it: from the note, from the top, by the name alone
        path = self._folded.get(
            fold_name(posixpath.normpath("/".join([*folders, target])))
        ) or self._folded.get(fold_name(target.strip("/")))
        path = path or self._named.get(fold_name(target.rpartition("/")[2]))
        if path is None or _is_note(path):
            return None
        name = path.rpartition("/")[2]
        if shown is None:
            shown = name
        elif shows and shown.replace("x", "").isdecimal():  # the width of a picture
            shown = f"{name}{bar}{shown}"
        # a bracket would end the text of the link
        shown = shown.replace("[", "(").replace("]", ")")
        where = item_address("attachment", path) + fragment.translate(_IN_ADDRESS)
        return f"{shows}[{shown}]({where})"


def _day(title: str) -> date | None:
    """Return the day of which a note is the journal, by its name: 2024-05-31 or 2024_05_31."""
    match = _DAY.fullmatch(title)
    try:
        return date(int(match[1]), int(match[3]), int(match[4])) if match else None
    except ValueError:
        return None


def _is_whole(fields: Mapping[str, Any], head: str, tags: Sequence[str]) -> bool:
    """Return whether all of a front matter becomes fields of the note.

    It has no comments, each thing once, and what can be one.
    """
    known = [name.lower().strip() for name in fields]
    alone = all(sum(name in group for name in known) <= 1 for group in (CREATED, UPDATED, TAGS))
    dates = [
        str(value) for name, value in fields.items() if name.lower().strip() in (*CREATED, *UPDATED)
    ]
    listed = [
        value
        for name, value in fields.items()
        if name.lower().strip() in TAGS and isinstance(value, list | dict)
    ]
    words = all(isinstance(one, str) for value in listed for one in value) and not any(
        isinstance(value, dict) for value in listed
    )
    return (
        "#" not in head
        and alone
        and words
        and all(map(_is_moment, dates))
        and len(tags) <= note_tags.MOST
        and all(map(_is_tag, tags))
    )


def _is_moment(text: str) -> bool:
    try:
        return not text or datetime.fromisoformat(text.strip()).year > 0
    except ValueError:
        return False


def _is_tag(text: str) -> bool:
    try:
        note_tags.TAG(text)
    except ValueError:
        return False
    return True


def _left_out(one: Found) -> Found:
    if not isinstance(one, Entry) or one.ending not in LEFT_OUT:
        return one
    return PassedOver(report_name(one.path), LEFT_OUT[one.ending])


def _is_note(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next(
        (
            str(fields[name])
            for name in names
            if isinstance(fields.get(name), str | int) and str(fields[name])
        ),
        None,
    )


def _inline_tags(text: str) -> list[str]:
    return (
        [link.target for link in link_text.find_links(text) if link.kind == "tag"]
        if "#" in text
        else []
    )
