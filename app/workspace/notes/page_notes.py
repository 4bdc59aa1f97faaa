"""What only the pages of the home ask of notes: their Markdown, and saving as one types."""

import json
import sqlite3
from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.markdown.front_matter import body_start
from app.core.operation import operation
from app.core.schema import Id, Offset, Record, Tags, Title, encode
from app.errors import Invalid
from app.workspace.folders import access
from app.workspace.folders.folder_rows import IN_LIST, id_list
from app.workspace.index import note_tags
from app.workspace.notes import link_renames, note_rows, notes, snapshot_rows
from app.workspace.notes.notes import Content, TagsIn

BEGINNING = 600
WITH_FIELDS = 6_000
"""Of a text that may have front matter above what it says."""
TYPING = timedelta(minutes=5)
"""What one person types within so long is one version, not one for every pause."""


class NoteText(Record):
    """A note as it is stored; `role` is what the caller may do with it."""

    id: int
    title: str
    markdown: str
    folder_id: int | None
    tags: Tags
    pinned: bool
    word_count: int
    revision: int
    created_at: str
    updated_at: str
    snapshot_count: int
    role: str


class Beginning(Record):
    id: int
    text: str


class Beginnings(Record):
    beginnings: list[Beginning]


class LinkingCount(Record):
    notes: int


class SavedText(Record):
    """The note after saving; `end` is where the text that was saved ends in it."""

    id: int
    revision: int
    updated_at: str
    start: int
    end: int
    kept: bool


@operation("PAGE", scope="os.notes:read", effect="read")
def read_note_text(tx: Tx, me: Caller, *, id: Id) -> NoteText:
    """Read a note as it is stored, without rendering it."""
    row = notes.note_row(tx, me, id)
    rank = access.note_rank(tx, me, id, owner=row["owner_id"], folder_id=row["folder_id"])
    return copy_fields(
        NoteText,
        row,
        markdown=row["content"],
        tags=msgspec.Raw(row["tags"]),
        pinned=row["pinned"] == 1,
        role=access.ROLES[rank - 1] if rank <= len(access.ROLES) else "owner",
    )


@operation("PAGE", scope="os.notes:read", effect="read")
def list_beginnings(
    tx: Tx, me: Caller, *, ids: Annotated[list[Id], Meta(max_length=200)]
) -> Beginnings:
    """Read how some notes begin below their front matter, of those the caller may read."""
    rows = tx.all(
        f"""SELECT id, owner_id, folder_id,
                substr(content, 1, iif(content GLOB '---*', {WITH_FIELDS}, {BEGINNING})) AS text
            FROM notes WHERE id IN ({IN_LIST}) AND trash_id IS NULL""",
        ids=id_list(ids),
    )
    return Beginnings(
        [
            Beginning(row["id"], row["text"][(at := body_start(row["text"])) : at + BEGINNING])
            for row in rows
            if access.note_rank(
                tx, me, row["id"], owner=row["owner_id"], folder_id=row["folder_id"]
            )
        ]
    )


@operation("PAGE", scope="os.notes:read", effect="read")
def count_linking(tx: Tx, me: Caller, *, id: Id, title: Title) -> LinkingCount:
    """Count the notes the caller may change that still link to a note by a title it had."""
    note = access.require_note(tx, me, id, columns="id, owner_id, folder_id, title")
    found = link_renames.find_linking(tx, me, note, title, new_title=note["title"])
    return LinkingCount(len(found.notes))


@operation("PAGE", scope="os.notes:write")
def autosave_note(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    if_revision: Id,
    title: Title | None = None,
    content: Content | None = None,
    tags: TagsIn | None = None,
    start: Offset = 0,
    end: Offset | UnsetType = UNSET,
    base: Content | None = None,
    keep: bool = False,
) -> SavedText:
    """Save what somebody types; with `end` the part of the text from `start` to there.

    The state before is kept as a snapshot, but not again within five minutes of typing, unless
    `keep` asks for it or another has written in between. A part that was moved by a change
    elsewhere is found again by `base`, what it held.
    """
    note = access.require_note(tx, me, id, "writer")
    whole = content
    if content is not None and not isinstance(end, UnsetType):
        start, end = _find_part(note, if_revision, start, end, base)
        whole = note["content"][:start] + content + note["content"][end:]
    else:
        note_rows.require_revision(note, if_revision)
    text = (
        note_rows.Text(note["content"], note["size"], note["word_count"])
        if whole is None
        else note_rows.measure_text(whole)
    )
    name = note["title"] if title is None else title
    packed = note["tags"] if tags is None else note_tags.pack_tags(tags)
    kept = False
    if (name, packed, text.content) != (note["title"], note["tags"], note["content"]):
        if kept := keep or not _is_kept(tx, me, note):
            snapshot_rows.take(tx, me, note, label=snapshot_rows.BEFORE_EDIT, automatic=True)
        note_rows.update(tx, note, title=name, tags=packed, text=text)
    now = tx.require_row("SELECT revision, updated_at FROM notes WHERE id = :id", id=id)
    return SavedText(
        id, now["revision"], now["updated_at"], start, start + len(content or ""), kept
    )


def _find_part(
    note: sqlite3.Row, if_revision: int, start: int, end: int, base: str | None
) -> tuple[int, int]:
    """Return where the part that is to be replaced begins and ends.

    Raise RevisionConflict where it is not the same any more.
    """
    text = note["content"]
    if end < start or (end > len(text) and if_revision == note["revision"]):
        raise Invalid("end must lie in the text, and not before start.", field="end")
    if if_revision == note["revision"]:
        return start, end
    if base and text.count(base) == 1:
        found = text.index(base)
        return found, found + len(base)
    note_rows.require_revision(note, if_revision)
    return start, end


def _is_kept(tx: Tx, me: Caller, note: sqlite3.Row) -> bool:
    """Return whether the newest snapshot is of the same person's typing, of a short while ago."""
    last = tx.one(
        "SELECT author, label, created_at FROM snapshots WHERE note_id = :note "
        "ORDER BY seq DESC LIMIT 1",
        note=note["id"],
    )
    return (
        last is not None
        and last["label"] == snapshot_rows.BEFORE_EDIT
        and json.loads(last["author"]) == json.loads(encode(me.actor))
        and tx.moment - datetime.fromisoformat(last["created_at"]) < TYPING
    )
