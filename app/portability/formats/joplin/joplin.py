"""What a Joplin export holds, be it an archive (JEX) or a folder (RAW).

Notebooks, notes, todos, tags and files.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from app.portability.archives import open_source
from app.portability.archives.source_tree import DEEPEST, Entry, Tree, files
from app.portability.content.clean_text import (
    UNREADABLE,
    clean_line,
    clean_text,
    folder_name,
    join_paragraphs,
    not_readable,
    note_damaged_text,
    report_name,
    tag_labels,
    title_of,
)
from app.portability.content.literal_text import replace_outside
from app.portability.content.source_items import (
    Folders,
    Item,
    NotCarried,
    SourceFile,
    SourceFolder,
    SourceNote,
)
from app.portability.formats import todo_parts
from app.portability.formats.joplin import joplin_items
from app.portability.formats.joplin.joplin_items import (
    FOLDER,
    KINDS,
    NOTE,
    NOTE_TAG,
    RESOURCE,
    TAG,
    JoplinItem,
)

MOST_BYTES = 64 << 20
CONFLICTS = "Conflicts"
_LINK = re.compile(r":/([0-9a-fA-F]{32})")
_BEFORE = ("(", "'", '"', "]:")
"""What stands before the address of a link, spaces and < aside."""
# what Joplin gives for a link that other programs can open
_CLIENT = re.compile(r"joplin://x-callback-url/openNote\?id=([0-9a-fA-F]{32})")
_BOX = re.compile(r"\s*[-*+]\s+\[([ xX])\]\s+(\S.*)")
_HTML = "2"


def looks_like_items(path: Path) -> bool:
    """Return whether the first files of an export's name hold an item, as every one of Joplin's
    does.
    """
    items = (
        entry
        for entry in open_source.first_entries(path)
        if "/" not in entry.path and joplin_items.id_in(entry.path)
    )
    return any(open_source.looks(_is_item, entry) for entry in items)


class Joplin:
    """An export of Joplin. The first look through it keeps what notes refer to, the second gives
    the items, one at a time.
    """

    identity = "joplin"
    """An item has the same id in every export, whatever its format and name."""

    def __init__(self, format: str, tree: Tree) -> None:
        self.format = format
        self._tree = tree
        self._read = False
        self._names: dict[str, str] = {}
        self._parents: dict[str, str] = {}
        self._icons: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        self._tags_of: dict[str, list[str]] = {}
        self._notes: set[str] = set()
        self._blobs: dict[str, Entry] = {}
        self._resources: set[str] = set()
        self._given = 0

    def total(self) -> int | None:
        """Count what the first look found."""
        self._look()
        return self._given

    def items(self) -> Iterator[Item]:
        """Yield everything: notebooks, then files, notes and todos in the order of the export."""
        self._look()
        for own in self._names:
            yield SourceFolder(path=self._path(own), icon=self._icons.get(own))
        others: Counter[int] = Counter()
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                yield entry
            elif joplin_items.id_in(entry.path) and "/" not in entry.path:
                yield from self._item(entry, others)
            elif not entry.path.startswith("resources/"):
                yield NotCarried(report_name(entry.path), "it is not part of a Joplin export")
            elif (own := entry.name[:32].lower()) not in self._resources or self._blobs[
                own
            ].path != entry.path:
                yield NotCarried(
                    report_name(entry.path), "the export does not say what it belongs to"
                )
        for kind, count in sorted(others.items()):
            name = KINDS.get(kind, f"things of type {kind}")
            yield NotCarried(f"{count} {name}", f"Joplin's {name} are not imported")

    def close(self) -> None:
        """Close the archive."""
        self._tree.close()

    def _look(self) -> None:
        """Look through everything once for what notes refer to.

        What is damaged is told of at the second look.
        """
        if self._read:
            return
        for entry in files(self._tree):
            if isinstance(entry, NotCarried):
                continue
            if entry.path.startswith("resources/"):
                # a file is called by its id, whatever its ending
                self._blobs[entry.name[:32].lower()] = entry
            elif "/" not in entry.path and joplin_items.id_in(entry.path):
                try:
                    self._remember(_parsed(entry))
                except UNREADABLE:
                    continue
        self._read = True

    def _remember(self, item: JoplinItem) -> None:
        self._given += item.kind in (NOTE, FOLDER, RESOURCE)
        if item.kind == RESOURCE:
            # also where it is encrypted, so that its file is not told of a second time
            self._resources.add(item.id)
        # nothing may refer to what does not come along
        if item.on("encryption_applied") or item.on("deleted_time"):
            return
        if item.kind == FOLDER:
            self._names[item.id] = folder_name(item.title, "Notebook")
            self._parents[item.id] = joplin_items.id_of(item.text("parent_id"))
            if emoji := _emoji(item):
                self._icons[item.id] = emoji
        elif item.kind == TAG:
            self._tags[item.id] = item.title
        elif item.kind == NOTE_TAG:
            self._tags_of.setdefault(joplin_items.id_of(item.text("note_id")), []).append(
                joplin_items.id_of(item.text("tag_id"))
            )
        elif item.kind == NOTE and (not item.on("is_todo") or _is_more_than_a_todo(item)):
            self._notes.add(item.id)

    def _path(self, own: str) -> Folders:
        """Return the notebooks from the outermost in.

        A circle of them ends where it would begin again.
        """
        path: list[str] = []
        seen: set[str] = set()
        while own in self._names and own not in seen and len(path) < DEEPEST:
            seen.add(own)
            path.append(self._names[own])
            own = self._parents[own]
        return tuple(reversed(path))

    def _item(self, entry: Entry, others: Counter[int]) -> Iterator[Item]:
        try:
            item = _parsed(entry)
        except UNREADABLE as error:
            yield not_readable(entry.path, error)
            return
        name = report_name(item.title or entry.path)
        if item.on("encryption_applied") or item.on("encryption_blob_encrypted"):
            yield NotCarried(
                name,
                "it is encrypted; turn off encryption in Joplin, or export again "
                "once it has been decrypted",
            )
        elif item.on("deleted_time"):
            yield NotCarried(name, "it was in Joplin's trash")
        elif item.kind == NOTE:
            yield from self._todo(item) if item.on("is_todo") else self._note(item)
        elif item.kind == RESOURCE:
            yield from self._file(item)
        elif item.kind == FOLDER and item.text("icon") and not _emoji(item):
            yield NotCarried(name, "its icon is not an emoji and was not imported")
        elif item.kind not in (FOLDER, TAG, NOTE_TAG):
            others[item.kind] += 1

    def _file(self, item: JoplinItem) -> Iterator[Item]:
        blob = self._blobs.get(item.id)
        name = clean_line(item.title or item.text("filename")) or (blob.name if blob else item.id)
        if blob is None:
            yield NotCarried(report_name(name), "its content is missing from the export")
        else:
            yield SourceFile(key=item.id, name=name, open=blob.open, size=blob.size)

    def _note(self, item: JoplinItem, title: str = "") -> Iterator[Item]:
        html = item.text("markup_language") == _HTML
        text, lost = self._linked(item.body)
        title = title or clean_line(item.title) or title_of("" if html else item.body, item.id)
        for link in dict.fromkeys(lost):
            yield NotCarried(
                report_name(title), f"the export does not contain the target of its link :/{link}"
            )
        yield from note_damaged_text(title, item.title, text)
        more = _origin(item)
        if html:
            text += "".join(f"\n<p>{_escaped(row)}</p>" for row in more)
        elif more:
            text = join_paragraphs(text, "\n".join(more))
        yield SourceNote(
            key=item.id,
            path=(CONFLICTS,)
            if item.on("is_conflict")
            else self._path(joplin_items.id_of(item.text("parent_id"))),
            title=title,
            text=text,
            form="html" if html else "markdown",
            tags=tag_labels(self._tags.get(tag, "") for tag in self._tags_of.get(item.id, [])),
            created=item.when("user_created_time", "created_time"),
            updated=item.when("user_updated_time", "updated_time"),
        )

    def _todo(self, item: JoplinItem) -> Iterator[Item]:
        """Yield a todo; one whose text has links, files or more than a description holds is a
        note beside its todo.
        """
        title = clean_text(item.title) or title_of(item.body, item.id)
        steps = _steps(item.body)
        refers = _is_more_than_a_todo(item)
        if refers:
            yield from self._note(item, clean_line(title))
        path = " / ".join(self._path(joplin_items.id_of(item.text("parent_id"))))
        tags = ", ".join(
            tag_labels(self._tags.get(tag, "") for tag in self._tags_of.get(item.id, []))
        )
        text = (
            f"Its text is the note “{clean_line(title)}”." if refers else "" if steps else item.body
        )
        about = (
            [f"Notebook: {path}"] * bool(path)
            + [f"Tags: {tags}"] * bool(tags)
            + ([] if refers else _origin(item))
        )
        yield from todo_parts.todo(
            key=item.id,
            title=title,
            description=join_paragraphs(text, "\n".join(about)),
            steps=() if refers else steps,
            completed=item.on("todo_completed"),
            completed_at=item.when("todo_completed"),
            due=item.when("todo_due"),
            created=item.when("user_created_time", "created_time"),
        )

    def _linked(self, text: str) -> tuple[str, list[str]]:
        """Return a text with links as the import knows them, and the ids that lead nowhere."""
        lost: list[str] = []

        def address(found: re.Match[str]) -> str | None:
            if not _is_link(found):
                return None
            own = found[1].lower()
            if own in self._notes:
                return f"note:{own}"
            if own in self._blobs:
                return f"attachment:{own}"
            lost.append(own)
            return None

        text = replace_outside(_LINK, address, text)
        return replace_outside(_CLIENT, address, text) if "joplin:" in text else text, lost


def _is_item(entry: Entry) -> bool:
    return _parsed(entry).kind > 0


def _parsed(entry: Entry) -> JoplinItem:
    return joplin_items.parse(entry.read(MOST_BYTES).decode("utf-8-sig", "replace"))


def _is_more_than_a_todo(item: JoplinItem) -> bool:
    """Return whether the text of a todo needs a note.

    It has links or files, is HTML, or longer than a description should be.
    """
    body = item.body
    # a description shows no files, and its links lead nowhere
    linked = any(map(_is_link, _LINK.finditer(body))) or _CLIENT.search(body) is not None
    return (
        linked
        or item.text("markup_language") == _HTML
        or len(body) > todo_parts.LONGEST_DESCRIPTION // 2
    )


def _is_link(found: re.Match[str]) -> bool:
    """Return whether an id stands where links have their address, and not just somewhere in a
    text."""
    return found.string[max(0, found.start() - 5) : found.start()].rstrip(" <").endswith(_BEFORE)


def _emoji(item: JoplinItem) -> str:
    """Return the icon of a notebook if it is an emoji, empty for pictures and for none."""
    try:
        found = msgspec.json.decode(item.text("icon") or "{}", type=dict[str, object])
    except msgspec.DecodeError:
        return ""
    return clean_line(found.get("emoji"), 32)


def _origin(item: JoplinItem) -> list[str]:
    """Return lines about where a note comes from."""
    rows = [
        f"{word}: {clean_line(item.text(name), 2_000)}"
        for word, name in (("Source", "source_url"), ("Author", "author"))
        if item.text(name)
    ]
    # 0.00000000 stands for a place that is not known
    place = [_degrees(item.text(name)) for name in ("latitude", "longitude")]
    return rows + (
        [f"Place: {place[0]}, {place[1]}"] if any(one not in ("", "0") for one in place) else []
    )


def _degrees(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _steps(body: str) -> list[tuple[str, bool]]:
    """Return the boxes of a text that is nothing but boxes."""
    rows = [row for row in body.split("\n") if row.strip()]
    found = [_BOX.fullmatch(row) for row in rows]
    return [(box[2], box[1] != " ") for box in found if box] if all(found) else []


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
