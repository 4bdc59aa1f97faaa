"""Notes: Markdown pages in folders.

Listing, reading and writing them; what rearranges them is in note_places.py.
"""

import sqlite3
from typing import Annotated, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import render_async
from app.core.markdown.from_html import html_losses
from app.core.markdown.to_html import html_tags
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, NameOrPath, Record, Tags, Text, Title, encode
from app.errors import RevisionConflict
from app.workspace.attachments import pasted_pictures
from app.workspace.attachments.pasted_pictures import Pasted
from app.workspace.folders import access, folders
from app.workspace.index import note_tags
from app.workspace.notes import link_renames, note_rows, snapshots

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


class EditedNote(Record):
    id: int
    title: str
    folder_id: int | None
    revision: int
    updated_at: str


class Edited(Record):
    """After a change of title, `linksToRewrite` notes still link to the old one, of those the
    caller may change; `linksRewritten` did.

    `notice` says what of the HTML could not be kept, as Markdown has no mark for it.
    """

    note: EditedNote
    links_to_rewrite: int | UnsetType = UNSET
    links_rewritten: int | UnsetType = UNSET
    notice: str | UnsetType = UNSET


class Edit(msgspec.Struct, frozen=True):
    """What an edit asks for; None leaves a field as it is."""

    title: str | None
    text: note_rows.Text | None
    tags: str | None


class _Asked(msgspec.Struct, frozen=True):
    """A change of a note as it was asked for.

    Its text is made into Markdown on the note as it then is.
    """

    id: int
    content: str | None
    content_format: str | None
    edit: Edit
    if_revision: int | None
    rewrite_links: bool


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
    text = note_rows.measured(content)
    folder = folders.named_or_numbered(tx, me, folder_id, folder_name)
    if folder is not None:
        access.demand(access.rank(tx, me, folder), "editor")
    owner, place = (access.root(me), None) if folder is None else (folder["owner_id"], folder["id"])
    note_id = note_rows.insert(
        tx, owner=owner, folder_id=place, title=title, text=text, tags=note_tags.stored(tags or [])
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
                await _whole(app.glance(_read, me, id)), folder=None, folder_id=None
            )
        )
    version = app.glance(_version, me, id)
    held = app.memory.get(("note", *version))
    if held is None:
        note = await _whole(app.glance(_read, me, id))
        held = encode(note)
        if note.revision == version[1]:
            app.memory.put(("note", *version), held)
    return NoteAnswer(cast(Note, msgspec.Raw(held)))


@operation(
    "PATCH /os/notes/{id}",
    scope="os.notes:write",
    http=Http(refuses={"title": "links are to be rewritten and cannot hold it"}),
)
async def change_note(
    app: App,
    me: Caller,
    *,
    id: Id,
    title: Title | None = None,
    content: Content | None = None,
    tags: TagsIn | None = None,
    content_format: Literal["html", "markdown"] | None = None,
    if_revision: Id | None = None,
    rewrite_links: bool = False,
) -> Edited:
    """Change a note's title, text or tags; what is not given stays.

    The state before is kept as a snapshot.

    Without contentFormat, content that holds an HTML tag is read as HTML, else as Markdown.
    Content equal to what reading the note gave leaves the Markdown byte for byte as it is.
    Pictures pasted into HTML become attachments; what Markdown cannot hold is named in `notice`.
    With ifRevision a note that changed meanwhile is not overwritten. A new title tells how many
    notes link by the old one (`linksToRewrite`, up to 1,000); with rewriteLinks those the caller
    may change link by the new one, snapshots first.
    """
    edit = Edit(title, None, None if tags is None else note_tags.stored(tags))
    asked = _Asked(id, content, content_format, edit, if_revision, rewrite_links)
    if content is None or content_format == "markdown" or not pasted_pictures.may_hold(content):
        return await _change(app, me, asked)
    note = app.glance(_read, me, id, "writer")
    _require_revision(note, if_revision)
    pasted = (
        await pasted_pictures.kept(app, me, content)
        if _is_html(note["content"], asked)
        else Pasted(content)
    )
    try:
        done = await _change(app, me, msgspec.structs.replace(asked, content=pasted.html))
    except BaseException:
        pasted_pictures.discard(app, me, pasted)
        raise
    if pasted.number and note["owner_id"] != me.user:
        done.notice = " ".join(
            [
                *([done.notice] if done.notice else []),
                "The pictures are attachments of yours: only you can open them.",
            ]
        )
    return done


async def _change(app: App, me: Caller, asked: _Asked) -> Edited:
    """Change a note, and again from the start when it has changed meanwhile."""
    while True:
        base = app.glance(_read, me, asked.id)
        with html_losses.watched() as lost:
            text = (
                None
                if asked.content is None
                else await _new_text(base["content"], asked.content, asked)
            )
        edit = msgspec.structs.replace(
            asked.edit, text=None if text is None else note_rows.measured(text)
        )
        done = await app.write(
            _edit,
            me,
            asked.id,
            edit,
            base_revision=base["revision"],
            if_revision=asked.if_revision,
            rewrite_links=asked.rewrite_links,
        )
        if done is not None:
            done.notice = html_losses.notice(lost) or UNSET
            return done


def change(
    tx: Tx, me: Caller, note_id: int, edit: Edit, *, if_revision: int | None = None
) -> Edited:
    """Carry out an edit that was prepared without the note's text.

    Raise RevisionConflict when the note is not at `if_revision`.
    """
    note = access.note(tx, me, note_id, "writer")
    _require_revision(note, if_revision)
    return _carry_out(tx, me, note, edit, rewrite_links=False)


def apply(
    tx: Tx,
    me: Caller,
    note: sqlite3.Row,
    edit: Edit,
    *,
    label: str = snapshots.BEFORE_EDIT,
    message: str | None = None,
) -> bool:
    """Carry out an edit, with a snapshot of the state before; say whether it changed anything."""
    title = note["title"] if edit.title is None else edit.title
    tags = note["tags"] if edit.tags is None else edit.tags
    text = edit.text or note_rows.Text(note["content"], note["size"], note["word_count"])
    if (title, tags, text.content) == (note["title"], note["tags"], note["content"]):
        return False
    snapshots.take(tx, me, note, label=label, message=message, automatic=True)
    note_rows.change(tx, note, title=title, tags=tags, text=text)
    return True


def _edit(
    tx: Tx,
    me: Caller,
    note_id: int,
    edit: Edit,
    *,
    base_revision: int,
    if_revision: int | None,
    rewrite_links: bool,
) -> Edited | None:
    """Carry out an edit that was prepared on `base_revision`.

    None when the note has changed since and it must be prepared again.
    """
    note = access.note(tx, me, note_id, "writer")
    _require_revision(note, if_revision)
    return (
        _carry_out(tx, me, note, edit, rewrite_links=rewrite_links)
        if note["revision"] == base_revision
        else None
    )


def _require_revision(note: sqlite3.Row, if_revision: int | None) -> None:
    if if_revision is not None and if_revision != note["revision"]:
        raise RevisionConflict(
            "The note has changed since: ifRevision is not its revision.",
            field="ifRevision",
            revision=note["revision"],
            updatedAt=note["updated_at"],
        )


def _carry_out(tx: Tx, me: Caller, note: sqlite3.Row, edit: Edit, *, rewrite_links: bool) -> Edited:
    linking = _linking(tx, me, note, edit.title, rewrite_links=rewrite_links)
    apply(tx, me, note, edit)
    rewritten = (
        link_renames.rewrite(tx, me, note, linking, keep_own=False)
        if linking and rewrite_links
        else 0
    )
    now = tx.sure(
        "SELECT id, title, folder_id, revision, updated_at FROM notes WHERE id = :id", id=note["id"]
    )
    left = len(linking.notes) if linking and not rewrite_links else 0
    edited = EditedNote(*now)
    if access.sees_one_note(me):
        edited.folder_id = None
    return Edited(edited, left or UNSET, rewritten or UNSET)


def _linking(
    tx: Tx, me: Caller, note: sqlite3.Row, title: str | None, *, rewrite_links: bool
) -> link_renames.Linking | None:
    """Give what links to a note by its title, if that is about to become another one that links
    can name.
    """
    if title is None or title == note["title"]:
        return None
    if rewrite_links:
        link_renames.require_linkable(title)
    return link_renames.linking(tx, me, note, note["title"], new_title=title)


async def _new_text(stored: str, content: str, asked: _Asked) -> str:
    """Give the Markdown that `content` means for a note that holds `stored`."""
    if not _is_html(stored, asked):
        return content
    return await render_async.edited(stored, content)


def _is_html(stored: str, asked: _Asked) -> bool:
    """Say whether content for a note that holds `stored` is to be read as HTML."""
    content = asked.content or ""
    return asked.content_format == "html" or (
        asked.content_format is None and content != stored and html_tags.holds_html(content)
    )


def _version(tx: Tx, me: Caller, note_id: int) -> tuple[int, int, int, str | None]:
    """Give what a note's record depends on.

    Id, revision, number of snapshots and the name of its folder.
    """
    row = access.note(
        tx, me, note_id, columns=f"id, owner_id, folder_id, revision, snapshot_count, {FOLDER_NAME}"
    )
    return row["id"], row["revision"], row["snapshot_count"], row["folder_name"]


def _read(tx: Tx, me: Caller, note_id: int, least: access.Least = "viewer") -> sqlite3.Row:
    return access.note(tx, me, note_id, least, columns=f"*, {FOLDER_NAME}")


async def _whole(row: sqlite3.Row) -> Note:
    folder = None if row["folder_id"] is None else FolderName(row["folder_id"], row["folder_name"])
    content = await render_async.html(row["content"])
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
