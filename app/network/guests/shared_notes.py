"""A note that a link shows on a page, and the pictures in it."""

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.download import Download
from app.core.operation import operation
from app.core.schema import Id, Record
from app.errors import NotFound
from app.network.grants import share_rows
from app.network.grants.share_rows import Link
from app.network.guests import guest_turns
from app.network.guests.guests import Token, require_signed_in
from app.network.messages import senders
from app.workspace.attachments import attachment_rows, attachments
from app.workspace.attachments.embedded_pictures import embedded_pictures
from app.workspace.folders import access


class SharedNote(Record):
    """A note that a link shows, and the attachments in it that the link opens."""

    title: str
    markdown: str
    pictures: list[int]
    owner_name: str
    updated_at: str


@operation("COMMAND", category="guests", effect="read")
async def read_shared_note(
    app: App, me: Caller, *, token: Token, guest: Id | None = None
) -> SharedNote:
    """Return the note that a link shows."""
    link, acting = _require_reader(app, token, guest)
    # Through the ordinary operation, so that the same checks hold as for every other reader.
    note = (await app.call(acting, "get_note_content", {"id": link.note_id})).note
    return SharedNote(
        note.title,
        note.markdown,
        await app.read(_pictures_of, acting, note.id, note.markdown),
        app.quick(senders.require_person_of_row, link.owner).name,
        note.updated_at,
    )


@operation("COMMAND", category="guests", effect="read")
async def download_shared_picture(
    app: App, me: Caller, *, token: Token, id: Id, guest: Id | None = None
) -> Download:
    """Return a picture that stands in the note of a link; raise NotFound for any other file."""
    shown = await read_shared_note(app, me, token=token, guest=guest)
    if id not in shown.pictures:
        raise NotFound("There is no such attachment.")  # as for one that is none
    _, acting = _require_reader(app, token, guest)
    return await attachments.download_attachment(app, acting, id=id)


def _require_reader(app: App, token: str, guest: int | None) -> tuple[Link, Caller]:
    """Return an open link that shows a note, and the caller as which its guests read it."""
    link = app.quick(guest_turns.require_open_link, token, "note")
    require_signed_in(link, guest)
    acting = app.quick(share_rows.guest_caller, link.id)
    if acting is None:
        raise NotFound(guest_turns.NO_LINK, field="token")
    return link, acting


def _pictures_of(tx: Tx, acting: Caller, note_id: int, text: str) -> list[int]:
    """Return the owner's pictures that a text shows.

    None where somebody else may write there: naming a number would open a file to them that they
    cannot read.
    """
    named = sorted(embedded_pictures(text))
    # the guest is not told where the note lies
    folder_id = tx.value("SELECT folder_id FROM notes WHERE id = :id", id=note_id)
    if not named or access.others_write(tx, folder_id):
        return []
    return [id_ for id_ in named if attachment_rows.is_picture(tx, acting, id_)]
