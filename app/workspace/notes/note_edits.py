"""Editing a note: its title, text and tags, with a snapshot of the state before."""

import sqlite3
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.markdown import render_async
from app.core.markdown.from_html import html_losses
from app.core.markdown.to_html import html_tags
from app.core.operation import Http, operation
from app.core.schema import Id, Record, Title
from app.workspace.attachments import pasted_pictures
from app.workspace.attachments.pasted_pictures import PastedPictures
from app.workspace.folders import access
from app.workspace.index import note_tags
from app.workspace.notes import link_renames, note_rows, notes, snapshot_rows
from app.workspace.notes.notes import Content, TagsIn


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


class NoteEdit(msgspec.Struct, frozen=True):
    """What an edit asks for; None leaves a field as it is."""

    title: str | None
    text: note_rows.Text | None
    tags: str | None


class _ChangeRequest(msgspec.Struct, frozen=True):
    """A change of a note as it was asked for.

    Its text is made into Markdown on the note as it then is.
    """

    id: int
    content: str | None
    content_format: str | None
    edit: NoteEdit
    if_revision: int | None
    rewrite_links: bool


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
    edit = NoteEdit(title, None, None if tags is None else note_tags.pack_tags(tags))
    asked = _ChangeRequest(id, content, content_format, edit, if_revision, rewrite_links)
    if content is None or content_format == "markdown" or not pasted_pictures.may_hold(content):
        return await _change_until_done(app, me, asked)
    note = app.glance(notes.note_row, me, id, "writer")
    note_rows.require_revision(note, if_revision)
    pasted = (
        await pasted_pictures.keep_pictures(app, me, content)
        if _is_html(note["content"], asked)
        else PastedPictures(content)
    )
    try:
        done = await _change_until_done(
            app, me, msgspec.structs.replace(asked, content=pasted.html)
        )
    except BaseException:  # a client that leaves, too
        pasted_pictures.discard_pictures(app, me, pasted)
        raise
    if pasted.number and note["owner_id"] != me.user:
        notice = "The pictures are attachments of yours: only you can open them."
        done.notice = f"{done.notice} {notice}" if done.notice else notice
    return done


async def _change_until_done(app: App, me: Caller, asked: _ChangeRequest) -> Edited:
    """Change a note, and again from the start when it has changed meanwhile."""
    # HTML is turned into Markdown against the stored text, outside of any transaction; whoever
    # writes in between makes that result stale.
    while True:
        base = app.glance(notes.note_row, me, asked.id)
        with html_losses.gather_losses() as lost:
            text = asked.content
            if text is not None and _is_html(base["content"], asked):
                text = await render_async.apply_edit(base["content"], text)
        edit = msgspec.structs.replace(
            asked.edit, text=None if text is None else note_rows.measure_text(text)
        )
        done = await app.write(
            _edit_revision,
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


def edit_note(
    tx: Tx, me: Caller, note_id: int, edit: NoteEdit, *, if_revision: int | None = None
) -> Edited:
    """Carry out an edit that was prepared without the note's text.

    Raise RevisionConflict when the note is not at `if_revision`.
    """
    note = access.require_note(tx, me, note_id, "writer")
    note_rows.require_revision(note, if_revision)
    return _carry_out(tx, me, note, edit, rewrite_links=False)


def apply_edit(
    tx: Tx,
    me: Caller,
    note: sqlite3.Row,
    edit: NoteEdit,
    *,
    label: str = snapshot_rows.BEFORE_EDIT,
    message: str | None = None,
) -> bool:
    """Carry out an edit, with a snapshot first; return whether it changed anything."""
    title = note["title"] if edit.title is None else edit.title
    tags = note["tags"] if edit.tags is None else edit.tags
    text = edit.text or note_rows.Text(note["content"], note["size"], note["word_count"])
    if (title, tags, text.content) == (note["title"], note["tags"], note["content"]):
        return False
    snapshot_rows.take(tx, me, note, label=label, message=message, automatic=True)
    note_rows.update(tx, note, title=title, tags=tags, text=text)
    return True


def _edit_revision(
    tx: Tx,
    me: Caller,
    note_id: int,
    edit: NoteEdit,
    *,
    base_revision: int,
    if_revision: int | None,
    rewrite_links: bool,
) -> Edited | None:
    """Carry out an edit that was prepared on `base_revision`.

    None when the note has changed since and it must be prepared again.
    """
    note = access.require_note(tx, me, note_id, "writer")
    note_rows.require_revision(note, if_revision)
    return (
        _carry_out(tx, me, note, edit, rewrite_links=rewrite_links)
        if note["revision"] == base_revision
        else None
    )


def _carry_out(
    tx: Tx, me: Caller, note: sqlite3.Row, edit: NoteEdit, *, rewrite_links: bool
) -> Edited:
    linking = _find_linking(tx, me, note, edit.title, rewrite_links=rewrite_links)
    apply_edit(tx, me, note, edit)
    rewritten = (
        link_renames.rewrite_linking(tx, me, note, linking, keep_own=False)
        if linking and rewrite_links
        else 0
    )
    now = tx.require_row(
        "SELECT id, title, folder_id, revision, updated_at FROM notes WHERE id = :id", id=note["id"]
    )
    left = len(linking.notes) if linking and not rewrite_links else 0
    edited = EditedNote(*now)
    if access.sees_one_note(me):
        edited.folder_id = None
    return Edited(edited, left or UNSET, rewritten or UNSET)


def _find_linking(
    tx: Tx, me: Caller, note: sqlite3.Row, title: str | None, *, rewrite_links: bool
) -> link_renames.LinkingNotes | None:
    """Return what links to a note by its title, if that is about to become another one that links
    can name.
    """
    if title is None or title == note["title"]:
        return None
    if rewrite_links:
        link_renames.require_linkable(title)
    return link_renames.find_linking(tx, me, note, note["title"], new_title=title)


def _is_html(stored: str, asked: _ChangeRequest) -> bool:
    """Return whether content for a note that holds `stored` is to be read as HTML."""
    content = asked.content or ""
    return asked.content_format == "html" or (
        asked.content_format is None and content != stored and html_tags.holds_html(content)
    )
