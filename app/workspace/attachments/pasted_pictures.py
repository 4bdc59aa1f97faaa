"""Pictures that an editor pasted into HTML as data.

Kept as attachments, to which the text then links.
"""

import asyncio
import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

import msgspec

from app.core.app import App
from app.core.caller import Caller
from app.workspace.attachments import attachment_rows, attachments

_PICTURE = re.compile(
    r"(<img\b[^>]*?\ssrc\s*=\s*)(?:\"data:(image/[\w.+-]{1,60})((?:;[^,\"]{0,60})?),([^\"]*)\"|'data:(image/[\w.+-]{1,60})((?:;[^,']{0,60})?),([^']*)')",
    re.IGNORECASE,
)
_ENDINGS = {"svg+xml": "svg", "jpeg": "jpg", "x-icon": "ico"}


class PastedPictures(msgspec.Struct):
    """HTML whose pictures lead to attachments, how many do, and those attachments that were made
    for it.
    """

    html: str
    number: int = 0
    made: list[int] = []


def may_hold(html: str) -> bool:
    """Check quickly whether it is worth looking for pictures."""
    return "data:image/" in html or "DATA:IMAGE/" in html


async def keep_pictures(app: App, me: Caller, html: str) -> PastedPictures:
    """Keep the pictures of an HTML text as attachments of the caller.

    One that is kept already is not kept again.
    """
    done = PastedPictures(html)
    parts: list[str] = []
    at = 0
    try:
        for match in _PICTURE.finditer(html):
            kind, encoding, data = match.group(2, 3, 4) if match[2] else match.group(5, 6, 7)
            content = await asyncio.to_thread(_decode_data, encoding, data)
            if content:
                number = await _keep_picture(app, me, kind.lower(), content, done)
                parts += [html[at : match.start()], match[1], f'"/os/attachments/{number}"']
                at = match.end()
                done.number += 1
    except BaseException:
        discard_pictures(app, me, done)
        raise
    done.html = "".join([*parts, html[at:]])
    return done


def discard_pictures(app: App, me: Caller, pasted: PastedPictures) -> None:
    """Delete what was made for a text that was not stored in the end."""
    for number in pasted.made:
        app.tasks.start(app.write(attachment_rows.remove, me, number))


async def _keep_picture(
    app: App, me: Caller, kind: str, content: bytes, done: PastedPictures
) -> int:
    """Return the number of the attachment that holds a picture."""
    # Editors send all pictures again with every save: those that are known must not pile up.
    held = await app.read(attachment_rows.find_same, me, content)
    if held is not None:
        return held
    ending = kind.partition("/")[2]
    name = f"pasted picture.{_ENDINGS.get(ending, ending)}"
    answer = await attachments.upload_attachment(
        app, me, content=content, content_type=kind, name=name
    )
    done.made.append(answer.attachment.id)
    return answer.attachment.id


def _decode_data(encoding: str, data: str) -> bytes:
    """Return the bytes of a data address; none where they cannot be read."""
    raw = unquote_to_bytes(data)
    if not encoding.lower().endswith(";base64"):
        return raw
    try:
        return base64.b64decode(b"".join(raw.split()), validate=True)
    except binascii.Error:
        return b""
