"""The pictures that a note's text shows: `![name](/os/attachments/5)`."""

import re

from app.core.markdown import blocks, front_matter
from app.core.markdown.hidden_text import without_hidden

_PICTURE = re.compile(
    r"!\[(?:\\.|[^\[\]\\\n]){0,500}\]\([ \t]{0,9}<?(?:/api/v1)?/os/attachments/([1-9]\d{0,14})"
    r"(?=[>)#\s])"
)


def embedded_pictures(text: str) -> set[int]:
    """Return the numbers of the attachments that the readers of a text see in it.

    None of those in its front matter, in code or in comments.
    """
    if "/os/attachments/" not in text:
        return set()
    shown = without_hidden(text[front_matter.body_start(text) :])
    code = blocks.code_spans(shown)
    return {
        int(found[1])
        for found in _PICTURE.finditer(shown)
        if not blocks.is_within(code, found.start())
    }
