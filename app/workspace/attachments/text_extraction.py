"""Extracting the text of a file.

Text and Markdown stay as they are, HTML becomes Markdown, and of a PDF the text of its pages is
taken.
"""

from msgspec import Struct

from app.core.app import App
from app.core.process import subprocess_reader
from app.workspace.attachments.extraction_process import MOST_CHARACTERS, SECONDS
from app.workspace.attachments.media_types import FileType, decode_text, is_textual

HTML = ("text/html", "application/xhtml+xml")
PDF = "application/pdf"
BYTES_A_CHARACTER = 4
MARGIN_SECONDS = 5


class ExtractedText(Struct, frozen=True):
    """What a file says; `is_cut` where that is not all of it, `trouble` why nothing could be
    read.
    """

    text: str = ""
    title: str = ""
    is_cut: bool = False
    trouble: str | None = None


def enough_bytes(media_type: str) -> int | None:
    """Return how many of a file's first bytes are all that its text needs; None for all of them."""
    return MOST_CHARACTERS * BYTES_A_CHARACTER if is_textual(media_type) else None


async def extract(app: App, content: bytes, kind: FileType) -> ExtractedText:
    """Return the text of a file.

    PDF and HTML are read by a process with limits of its own, since hostile ones make readers run
    for hours or out of memory.
    """
    if kind.media_type == PDF or kind.media_type in HTML:
        format_ = "pdf" if kind.media_type == PDF else "html"
        return await _extract_in_process(app, content, format_, kind.charset)
    if is_textual(kind.media_type):
        text = decode_text(content, kind.charset)
        return ExtractedText(text[:MOST_CHARACTERS], is_cut=len(text) > MOST_CHARACTERS)
    return ExtractedText(
        trouble=f"A file of the type {kind.media_type} holds no text that can be read here."
    )


async def _extract_in_process(
    app: App, content: bytes, kind: str, charset: str | None
) -> ExtractedText:
    async with app.children:
        found, ended = await subprocess_reader.read_lines(
            "app.workspace.attachments.extraction_process",
            kind,
            charset or "",
            given=content,
            seconds=SECONDS + MARGIN_SECONDS,
        )
    if trouble := next((line["trouble"] for line in found if "trouble" in line), None):
        return ExtractedText(trouble=trouble)
    texts = [line["text"] for line in found if "text" in line]
    whole = "\n\n".join(text for text in texts if text)
    if not whole:
        empty = (
            "The PDF holds no text, only pictures of it."
            if kind == "pdf"
            else "The page holds no text."
        )
        return ExtractedText(
            trouble=empty if ended and texts else f"The {kind.upper()} file could not be read."
        )
    pages = next((line["pages"] for line in found if "pages" in line), len(texts))
    cut = (
        not ended
        or len(whole) > MOST_CHARACTERS
        or len(texts) < pages
        or any(line.get("cut") for line in found)
    )
    return ExtractedText(
        whole[:MOST_CHARACTERS], next((line["title"] for line in found if "title" in line), ""), cut
    )
