"""Attachments: files that a user keeps in the workspace and shows to the agent."""

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.download import Download
from app.core.operation import HOUR, Http, operation
from app.core.schema import Id, Line, Most, Offset, Record
from app.errors import Invalid, NotFound
from app.workspace.attachments import attachment_rows as rows
from app.workspace.attachments import text_extraction
from app.workspace.attachments.media_types import detect, kind_to_keep
from app.workspace.attachments.text_extraction import ExtractedText

STALE = timedelta(hours=1)
"""How long an upload may take before what there is of it is deleted."""
Name = Annotated[str, Meta(description="the file's name, 1 to 255 characters"), Line()]


class Attachment(Record):
    """A file; `media_type` is what was said of it, where that says something, else what its
    bytes are.
    """

    id: int
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    created_at: str


class AttachmentAnswer(Record):
    attachment: Attachment


class AttachmentList(Record):
    attachments: list[Attachment]
    total: int


class Purged(Record):
    purged: int


@operation(
    "POST /os/attachments",
    scope="os.notes:write",
    http=Http(status=201, refuses={"body": "it is empty"}, body="max_attachment_body", raw=True),
)
async def upload_attachment(
    app: App, me: Caller, *, content: bytes, content_type: str = "", name: Name = "attachment"
) -> AttachmentAnswer:
    """Store a file: the body is its bytes, with its own Content-Type."""
    if not content:
        raise Invalid("The body is empty; it must be the bytes of the file.", field="body")
    kind, digest = await asyncio.to_thread(
        lambda: (kind_to_keep(content, name, content_type), hashlib.sha256(content).hexdigest())
    )
    attachment = await app.write(
        rows.begin, me, name=name, kind=kind, size=len(content), sha256=digest
    )
    # A write per part, so that 20 MiB hold up nobody. Cut off, what is there goes in a task of its
    # own, since this one may be cancelled; what a crash leaves is deleted within hours.
    try:
        for number, start in enumerate(range(0, len(content), rows.PART)):
            await app.write(rows.put_part, attachment, number, content[start : start + rows.PART])
        row = await app.write(rows.complete, me, attachment)
    except BaseException:
        app.tasks.start(app.write(rows.discard, attachment))
        raise
    return AttachmentAnswer(_attachment_record(row))


@operation("GET /os/attachments", scope="os.notes:read")
def list_attachments(
    tx: Tx, me: Caller, *, limit: Annotated[int, Meta(ge=1), Most(200)] = 50, offset: Offset = 0
) -> AttachmentList:
    """List the stored files, newest first."""
    return AttachmentList(
        [_attachment_record(row) for row in rows.list_newest(tx, me, limit=limit, offset=offset)],
        rows.count_all(tx, me.user)[0],
    )


@operation("GET /os/attachments/{id}", scope="os.notes:read")
async def download_attachment(app: App, me: Caller, *, id: Id) -> Download:
    """Download a file, to be saved; no browser shows or runs it."""
    row = app.quick(rows.require_own, me, id)
    return Download(row["name"], row["media_type"], row["size"], _stream_parts(app, me, row))


@operation("DELETE /os/attachments/{id}", scope="os.notes:write")
def delete_attachment(tx: Tx, me: Caller, *, id: Id) -> Record:
    """Delete a file for good. Messages that had it keep its name."""
    rows.remove(tx, me, id)
    return Record()


@operation("COMMAND", frees=True, every=HOUR)
async def purge_stale_attachments(app: App, me: Caller) -> Purged:
    """Delete what is left of uploads that were cut off."""
    before, purged = stamp(app.clock() - STALE), 0
    while gone := await app.write(rows.purge_stale, before):
        purged += gone
    return Purged(purged)


async def read_content(app: App, me: Caller, row: sqlite3.Row, most: int | None = None) -> bytes:
    """Return the bytes of a file, or at least its first `most`.

    Raise NotFound when it is deleted meanwhile.
    """
    found = bytearray()
    async for part in _stream_parts(app, me, row):
        found += part
        if most is not None and len(found) >= most:
            break
    return bytes(found)


async def read_text(app: App, me: Caller, row: sqlite3.Row) -> ExtractedText:
    """Return the text of a file; it is read once and kept."""
    known = await app.read(rows.read_text, me, row["id"])
    if known is not None:
        return known
    content = await read_content(app, me, row, text_extraction.enough_bytes(row["media_type"]))
    # What was said of a text file may be wrong: a PDF sent as text needs all its bytes after all.
    kind = await asyncio.to_thread(detect, content, row["name"], declared_type(row))
    if len(content) < row["size"] and text_extraction.enough_bytes(kind.media_type) is None:
        content = await read_content(app, me, row)
    found = await text_extraction.extract(app, content, kind)
    await app.write(rows.keep_text, row["id"], found)
    return found


def declared_type(row: sqlite3.Row) -> str:
    """Return what was said of a file, as the header of a request says it."""
    charset = f"; charset={row['charset']}" if row["charset"] else ""
    return f"{row['media_type']}{charset}"


async def _stream_parts(app: App, me: Caller, row: sqlite3.Row) -> AsyncGenerator[bytes, None]:
    for number in range(-(-row["size"] // rows.PART)):
        part = await app.read(rows.read_part, me, row["id"], number)
        if part is None:
            raise NotFound("The attachment was deleted while it was read.")
        yield part


def _attachment_record(row: sqlite3.Row) -> Attachment:
    return Attachment(
        row["id"], row["name"], row["media_type"], row["size"], row["sha256"], row["created_at"]
    )
