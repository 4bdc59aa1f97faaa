"""The tables of attachments, of their parts and of their texts.

Every statement that changes or reads them.
"""

import hashlib
import sqlite3

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import NotFound, QuotaExceeded
from app.workspace.attachments.media_types import FileType
from app.workspace.attachments.text_extraction import ExtractedText

PART = 1 << 20
"""The bytes of a part: so that neither a write nor a read holds up others for long."""
MOST = 100_000
PURGED = 4
"""How many attachments are deleted in one transaction, of up to so many times 20 MiB."""


def begin(tx: Tx, me: Caller, *, name: str, kind: FileType, size: int, sha256: str) -> int:
    """Make an attachment that is not yet complete and return its id.

    Raise QuotaExceeded where there is no room for it.
    """
    # Incomplete ones count too: uploads at the same time must not pass the quota together.
    held, number = tx.require_row(
        "SELECT ifnull(sum(size), 0), count(*) FROM attachments WHERE owner_id = :me", me=me.user
    )
    quota = tx.settings.attachment_quota
    if held + size > quota:
        raise QuotaExceeded(
            f"Your attachments hold {held} bytes and may hold {quota}; delete some first.",
            limitBytes=quota,
        )
    if number >= MOST:
        raise QuotaExceeded(
            f"You have {number} attachments, the most allowed; delete some first.", limit=MOST
        )
    return tx.insert(
        "attachments",
        owner_id=me.user,
        name=name,
        media_type=kind.media_type,
        charset=kind.charset,
        size=size,
        sha256=sha256,
        created_at=tx.now,
    )


def put_part(tx: Tx, attachment: int, number: int, content: bytes) -> None:
    """Store one part of an attachment."""
    tx.insert("attachment_parts", attachment_id=attachment, number=number, bytes=content)


def complete(tx: Tx, me: Caller, attachment: int) -> sqlite3.Row:
    """Let an attachment be seen, now that all its parts are there, and return it."""
    return tx.require_row(
        "UPDATE attachments SET complete = 1 WHERE id = :id AND owner_id = :me RETURNING *",
        id=attachment,
        me=me.user,
    )


def require_own(tx: Tx, me: Caller, attachment: int) -> sqlite3.Row:
    """Return an attachment of the caller; raise NotFound for any other."""
    row = tx.one(
        "SELECT * FROM attachments WHERE id = :id AND owner_id = :me AND complete = 1",
        id=attachment,
        me=me.user,
    )
    if row is None:
        raise NotFound("There is no such attachment.", attachmentId=attachment)
    return row


def is_picture(tx: Tx, me: Caller, attachment: int) -> bool:
    """Return whether there is such an attachment of the caller, and it is a picture."""
    return bool(
        tx.value(
            "SELECT media_type LIKE 'image/%' FROM attachments "
            "WHERE id = :id AND owner_id = :me AND complete = 1",
            id=attachment,
            me=me.user,
        )
    )


def find_same(tx: Tx, me: Caller, content: bytes) -> int | None:
    """Return an attachment of the caller with just these bytes; None where there is none."""
    found: int | None = tx.value(
        "SELECT min(id) FROM attachments "
        "WHERE owner_id = :me AND sha256 = :sha256 AND size = :size AND complete = 1",
        me=me.user,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )
    return found


def list_newest(tx: Tx, me: Caller, *, limit: int, offset: int) -> list[sqlite3.Row]:
    """Return the caller's attachments, newest first."""
    return tx.all(
        "SELECT * FROM attachments WHERE owner_id = :me AND complete = 1 "
        "ORDER BY id DESC LIMIT :limit OFFSET :offset",
        me=me.user,
        limit=limit,
        offset=offset,
    )


def count_all(tx: Tx, owner: int) -> tuple[int, int]:
    """Return how many attachments a user has, and their bytes."""
    row = tx.require_row(
        "SELECT count(*), ifnull(sum(size), 0) FROM attachments "
        "WHERE owner_id = :owner AND complete = 1",
        owner=owner,
    )
    return row[0], row[1]


def read_part(tx: Tx, me: Caller, attachment: int, number: int) -> bytes | None:
    """Return one part of an attachment of the caller; None where there is none."""
    found: bytes | None = tx.value(
        """SELECT bytes FROM attachment_parts JOIN attachments ON attachments.id = attachment_id
           WHERE attachment_id = :id AND number = :number AND owner_id = :me AND complete = 1""",
        id=attachment,
        number=number,
        me=me.user,
    )
    return found


def read_text(tx: Tx, me: Caller, attachment: int) -> ExtractedText | None:
    """Return the text of an attachment of the caller, if it has been read before."""
    row = tx.one(
        """SELECT t.content, t.is_cut, t.trouble FROM attachment_texts t
           JOIN attachments a ON a.id = t.attachment_id
           WHERE a.id = :id AND a.owner_id = :me""",
        id=attachment,
        me=me.user,
    )
    return None if row is None else ExtractedText(row[0], is_cut=row[1] == 1, trouble=row[2])


def keep_text(tx: Tx, attachment: int, found: ExtractedText) -> None:
    """Store the text of an attachment, unless that was deleted meanwhile."""
    tx.run(
        # From the row itself: an attachment deleted while it was read gets no text.
        """INSERT OR IGNORE INTO attachment_texts (attachment_id, content, is_cut, trouble)
           SELECT id, :text, :cut, :trouble FROM attachments WHERE id = :id""",
        id=attachment,
        text=found.text,
        cut=int(found.is_cut),
        trouble=found.trouble,
    )


def remove(tx: Tx, me: Caller, attachment: int) -> None:
    """Delete an attachment of the caller for good; raise NotFound for any other."""
    require_own(tx, me, attachment)
    tx.run("DELETE FROM attachments WHERE id = :id", id=attachment)


def discard(tx: Tx, attachment: int) -> None:
    """Delete what there is of an attachment that did not come to be complete."""
    tx.run("DELETE FROM attachments WHERE id = :id AND complete = 0", id=attachment)


def purge_stale(tx: Tx, before: str) -> int:
    """Delete some attachments that were begun before a moment and never completed.

    Return how many.
    """
    return tx.run(
        """DELETE FROM attachments WHERE id IN (SELECT id FROM attachments
           WHERE complete = 0 AND created_at < :before LIMIT :some)""",
        before=before,
        some=PURGED,
    ).rowcount


def purge_owner(tx: Tx, owner: int) -> int:
    """Delete some attachments of a user who is to be deleted; return how many."""
    return tx.run(
        """DELETE FROM attachments WHERE id IN (
               SELECT id FROM attachments WHERE owner_id = :owner LIMIT :some)""",
        owner=owner,
        some=PURGED,
    ).rowcount
