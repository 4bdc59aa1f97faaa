"""Stores the files, snapshots, conversations and settings that an import carries.

Files and snapshots part by part, however large they are.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from app.account import users
from app.agent.turn import conversation_rows, message_attachments
from app.core.database.tx import Tx
from app.errors import AppError
from app.portability.content import import_rows
from app.portability.content.clean_text import reason_text
from app.portability.content.import_rows import SNAPSHOTS
from app.portability.content.source_items import (
    MessageFile,
    NotCarried,
    SourceConversation,
    SourceFile,
    SourceSettings,
)
from app.portability.imports.known_rows import ImportContext, find_rows, known_row, with_addresses
from app.portability.imports.prepare import state_digest
from app.workspace.attachments import attachment_rows
from app.workspace.attachments.media_types import LOOKED_AT, FileType, detect
from app.workspace.notes import snapshot_rows

PART = attachment_rows.PART
SNAPSHOT_BYTES = 4 << 20
SNAPSHOT_COUNT = 100


class InspectedFile(NamedTuple):
    """What one reading of a file tells of it."""

    size: int
    sha256: str
    kind: FileType
    digest: bytes
    first: bytes


def inspect_file(source: SourceFile, most: int, check: Callable[[], None]) -> InspectedFile | str:
    """Read a file through once and return what it is, or the reason why it cannot be imported.
    For a thread.
    """
    if source.size is not None and source.size > most:
        return f"it is larger than {most} bytes (HEARTH_MAX_ATTACHMENT_BODY)"
    summed, size, first = hashlib.sha256(), 0, b""
    try:
        with source.open() as file:
            while part := file.read(PART):
                check()
                first = first or part
                summed.update(part)
                size += len(part)
                if size > most:
                    return f"it is larger than {most} bytes (HEARTH_MAX_ATTACHMENT_BODY)"
    except OSError as error:
        return f"it cannot be read: {reason_text(error)}"
    if size == 0:
        return "it is empty"
    kind = (
        FileType(source.media_type, None)
        if source.media_type
        else detect(first[:LOOKED_AT] if size > PART else first, source.name, "")
    )
    return InspectedFile(
        size,
        summed.hexdigest(),
        kind,
        state_digest((source.name, summed.hexdigest()), ""),
        first if size <= PART else b"",
    )


def file_state(
    tx: Tx, context: ImportContext, key: str, looked: InspectedFile
) -> tuple[Literal["created", "updated", "unchanged"], int]:
    """Return what is to be done about a file, and which row it is now.

    One whose bytes changed is stored anew.
    """
    _, row_id = known_row(tx, context, "file", key)
    row = (
        tx.one(
            "SELECT sha256 FROM attachments WHERE id = :id AND owner_id = :me AND complete = 1",
            id=row_id,
            me=context.me.user,
        )
        if row_id
        else None
    )
    if row is None:
        return "created", 0
    return "unchanged" if row["sha256"] == looked.sha256 else "updated", row_id


def begin_file(
    tx: Tx,
    context: ImportContext,
    source: SourceFile,
    name: str,
    looked: InspectedFile,
    created: str | None,
) -> int:
    """Make the row of a file; one that fits into a part is whole with it."""
    made = attachment_rows.begin(
        tx.with_moment(created) if created else tx,
        context.me,
        name=name,
        kind=looked.kind,
        size=looked.size,
        sha256=looked.sha256,
    )
    if looked.first:
        attachment_rows.put_part(tx, made, 0, looked.first)
        finish_file(tx, context, source.key, made, looked)
    return made


def finish_file(
    tx: Tx, context: ImportContext, key: str, row_id: int, looked: InspectedFile
) -> None:
    """Let a file be seen, now that all of it is stored."""
    attachment_rows.complete(tx, context.me, row_id)
    import_rows.put(
        tx, context.me.user, context.source, "file", key, row_id=row_id, digest=looked.digest
    )


def read_parts(file: BinaryIO) -> Iterator[bytes]:
    """Yield the parts of a file."""
    while part := _read_full(file):
        yield part


def snapshot_batches(
    kept: Iterator[snapshot_rows.ImportedSnapshot],
) -> Iterator[list[snapshot_rows.ImportedSnapshot]]:
    """Yield snapshots in batches that a transaction can take."""
    batch: list[snapshot_rows.ImportedSnapshot] = []
    size = 0
    for one in kept:
        batch.append(one)
        size += len(one.content)
        if size >= SNAPSHOT_BYTES or len(batch) >= SNAPSHOT_COUNT:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def put_snapshots(
    tx: Tx, context: ImportContext, key: str, batch: Sequence[snapshot_rows.ImportedSnapshot]
) -> int:
    """Add snapshots to a note of the source; return their number."""
    known = import_rows.find(tx, context.me.user, context.source, "note", key)
    if (
        known is None
        or tx.one(
            "SELECT 1 FROM notes WHERE id = :id AND owner_id = :me",
            id=known["row_id"],
            me=context.me.user,
        )
        is None
    ):
        return 0
    snapshot_rows.add_imported(
        tx, known["row_id"], [_snapshot_with_addresses(tx, context, one) for one in batch]
    )
    return len(batch)


def note_snapshots_done(tx: Tx, context: ImportContext, key: str) -> None:
    """Record that a note has all its snapshots."""
    import_rows.note_done(tx, context.me.user, context.source, key, SNAPSHOTS)


def store_conversation(
    tx: Tx, context: ImportContext, source: SourceConversation
) -> Literal["created", "unchanged"]:
    """Store a conversation with the user's own agent, unless it is there."""
    if conversation_state(tx, context, source) == "unchanged":
        return "unchanged"
    me = context.me.user
    made = conversation_rows.begin(
        tx.with_moment(source.created), type="direct", owner=me, title=source.title, members=(me,)
    )
    for one in source.messages:
        message = conversation_rows.add_message(
            tx.with_moment(one.created),
            made,
            role=one.role,
            sender_type=one.sender_type,
            sender=me if one.role == "user" else None,
            label=one.label,
            content=with_addresses(tx, context, one.content),
        )
        message_attachments.add(
            tx, message, [_attachment_record(tx, context, file) for file in one.files]
        )
    # Read: what was said long ago must not stand there as new.
    conversation_rows.mark_read(tx, me, made)
    told = (source.title, source.created, [one.created for one in source.messages])
    import_rows.put(
        tx,
        me,
        context.source,
        "conversation",
        source.key,
        row_id=made,
        digest=state_digest(told, ""),
    )
    return "created"


def conversation_state(
    tx: Tx, context: ImportContext, source: SourceConversation
) -> Literal["created", "unchanged"]:
    """Return whether a conversation is there already.

    Messages are never changed, so it is left as it is then.
    """
    _, row_id = known_row(tx, context, "conversation", source.key)
    there = row_id and tx.one(
        "SELECT 1 FROM conversation_members WHERE conversation_id = :id AND user_id = :me",
        id=row_id,
        me=context.me.user,
    )
    return "unchanged" if there else "created"


def store_settings(tx: Tx, context: ImportContext, source: SourceSettings) -> list[NotCarried]:
    """Take the settings that the account has not chosen for itself.

    Tell of the others that differ.
    """
    own = users.settings_of(tx, context.me.user)
    usual = msgspec.to_builtins(users.AccountSettings(name=context.me.username))
    now = msgspec.to_builtins(own)
    lines = []
    accepted = users.change_settings.fields
    for name, value in source.values.items():
        if name not in usual or now[name] == value:
            continue
        if now[name] != usual[name]:
            lines.append(
                NotCarried(
                    f"setting {name}", "this account already has another value, which was kept"
                )
            )
            continue
        try:
            checked = accepted.check({name: value})
            users.change_settings(tx, context.me, **checked)
        except AppError as error:
            lines.append(NotCarried(f"setting {name}", error.message))
    return lines


def _attachment_record(tx: Tx, context: ImportContext, file: MessageFile) -> Any:
    row = find_rows(tx, context, {("file", file.key)}).get(("file", file.key)) if file.key else None
    return {"id": row, "name": file.name[:255], "media_type": file.media_type[:255]}


def _snapshot_with_addresses(
    tx: Tx, context: ImportContext, kept: snapshot_rows.ImportedSnapshot
) -> snapshot_rows.ImportedSnapshot:
    content = with_addresses(tx, context, kept.content)
    return msgspec.structs.replace(kept, content=content, created_at=kept.created_at or tx.now)


def _read_full(file: BinaryIO) -> bytes:
    """Return a whole part: a stream may give less than it was asked for before its end."""
    found = bytearray()
    while len(found) < PART and (more := file.read(PART - len(found))):
        found += more
    return bytes(found)
