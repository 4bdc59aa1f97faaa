"""Notes: Markdown pages in folders; creating and reading them."""

import sqlite3
from typing import Annotated, cast

import msgspec
from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import render_async
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, NameOrPath, Record, Tags, Text, Title, encode
from app.workspace.folders import access, folders
from app.workspace.index import note_tags
from app.workspace.notes import note_rows

Content = Annotated[str, Meta(description="Markdown or plain text, at most 10 MiB"), Text()]
TagsIn = Annotated[
    list[str], Meta(description="at most 50 tags of 1 to 64 characters"), note_tags.TagList()
]


FOLDER_NAME = "(SELECT name FROM folders WHERE folders.id = notes.folder_id) AS folder_name"


class FolderName(Record):
    """A folder by id and name; the root is null and /."""

    id: int | None
    name: str


class Note(Record):
    """A whole note: `content` is HTML, `markdown` what is stored."""

    id: int
    title: str
    content: str
    markdown: str
    folder_id: int | None
    folder: FolderName | None
    tags: Tags
    pinned: bool
    word_count: int
    revision: int
    created_at: str
    updated_at: str
    snapshot_count: int


class NoteAnswer(Record):
    note: Note


class NewNote(Record):
    id: int
    title: str
    folder_id: int | None
    revision: int
    created_at: str


class Created(Record):
    note: NewNote


@operation(
    "POST /os/notes",
    scope="os.notes:write",
    http=Http(
        status=201,
        refuses={"folderName": "both it and folderId are given, or it names several folders"},
        wrap="result",
        invalid_status=422,
        idempotent=300,
    ),
    tool=Tool(risk="W"),
)
def create_note(
    tx: Tx,
    me: Caller,
    *,
    title: Title,
    content: Content,
    folder_id: Id | None = None,
    folder_name: NameOrPath | None = None,
    tags: TagsIn | None = None,
) -> Created:
    """Create a note in a folder the caller may write, or in the root."""
    text = note_rows.measure_text(content)
    folder = folders.find_by_name_or_id(tx, me, folder_id, folder_name)
    if folder is not None:
        access.require_rank(access.folder_rank(tx, me, folder), "editor")
    owner, place = (
        (access.root_owner(me), None) if folder is None else (folder["owner_id"], folder["id"])
    )
    note_id = note_rows.insert(
        tx,
        owner=owner,
        folder_id=place,
        title=title,
        text=text,
        tags=note_tags.pack_tags(tags or []),
    )
    return Created(NewNote(note_id, title, place, 1, tx.now))


@operation(
    "GET /os/notes/{id}",
    scope="os.notes:read",
    http=Http(steady=()),
    tool=Tool(names={"id": "noteId"}, risk="R"),
)
async def get_note_content(app: App, me: Caller, *, id: Id) -> NoteAnswer:
    """Read a whole note, as HTML and as Markdown."""
    if access.sees_one_note(me):
        return NoteAnswer(
            msgspec.structs.replace(
                await _note_record(app.glance(note_row, me, id)), folder=None, folder_id=None
            )
        )
    # Rendering costs milliseconds and more; what it gave is kept for as long as its key holds.
    version = app.glance(_note_version, me, id)
    held = app.memory.get(("note", *version))
    if held is None:
        note = await _note_record(app.glance(note_row, me, id))
        held = encode(note)
        if note.revision == version[1]:  # else it changed between the two looks
            app.memory.put(("note", *version), held)
    return NoteAnswer(cast(Note, msgspec.Raw(held)))


def _note_version(tx: Tx, me: Caller, note_id: int) -> tuple[int, int, int, str | None]:
    """Return what a note's record depends on.

    Id, revision, number of snapshots and the name of its folder.
    """
    row = access.require_note(
        tx, me, note_id, columns=f"id, owner_id, folder_id, revision, snapshot_count, {FOLDER_NAME}"
    )
    return row["id"], row["revision"], row["snapshot_count"], row["folder_name"]


def note_row(tx: Tx, me: Caller, note_id: int, least: access.Least = "viewer") -> sqlite3.Row:
    """Return a live note with the name of its folder, for a caller who has at least that role."""
    return access.require_note(tx, me, note_id, least, columns=f"*, {FOLDER_NAME}")


async def _note_record(row: sqlite3.Row) -> Note:
    folder = None if row["folder_id"] is None else FolderName(row["folder_id"], row["folder_name"])
    content = await render_async.render_html(row["content"])
    return Note(
        row["id"],
        row["title"],
        content,
        row["content"],
        row["folder_id"],
        folder,
        msgspec.Raw(row["tags"]),
        row["pinned"] == 1,
        row["word_count"],
        row["revision"],
        row["created_at"],
        row["updated_at"],
        row["snapshot_count"],
    )
