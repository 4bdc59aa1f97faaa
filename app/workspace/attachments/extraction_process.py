"""The process that reads PDF and HTML files.

Bytes in; the text out, page by page, so that what was read in time is kept.
"""

import html
import io
import logging
import re
import sys
from collections.abc import Iterator

from app.core.process import subprocess_reader
from app.workspace.attachments.media_types import decode_text

SECONDS = 20
MOST_PAGES = 500
MOST_CHARACTERS = 400_000
MOST_HTML = 1_000_000
APART = ("nav", "footer", "script", "style", "noscript", "svg", "template", "iframe")
"""What of a page is not its text."""
_TITLE = re.compile(r"<title\b[^>]{0,200}>([^<]{1,2000})</title", re.IGNORECASE)


def main(kind: str, charset: str) -> None:
    """Read standard input and write its text."""
    subprocess_reader.limit_self(SECONDS)
    content = sys.stdin.buffer.read()
    for line in (
        _pdf_pages(content) if kind == "pdf" else _html_text(decode_text(content, charset or None))
    ):
        subprocess_reader.write_line(line)


def _pdf_pages(content: bytes) -> Iterator[dict[str, object]]:
    import pypdf  # only here: reading HTML needs none of it

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = pypdf.PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        yield {"trouble": "The PDF is locked with a password."}
        return
    yield {"pages": len(reader.pages)}
    size = 0
    for page in reader.pages[:MOST_PAGES]:
        # Broken fonts give NULs and halves of surrogate pairs, which no JSON and no row can hold.
        text = page.extract_text().replace("\0", "").encode("utf-8", "ignore").decode()
        yield {"text": text.strip()}
        size += len(text)
        if size > MOST_CHARACTERS:
            break


def _html_text(text: str) -> Iterator[dict[str, object]]:
    from app.core.markdown.from_html.from_html import from_html

    title = _TITLE.search(text[:MOST_HTML])
    yield {"title": " ".join(html.unescape(title[1]).split()) if title else ""}
    body = text[:MOST_HTML]
    for name in APART:
        body = _remove_elements(body, name)
    head = re.search(r"</head\s*>", body, re.IGNORECASE)
    found = re.sub(r"\n{3,}", "\n\n", from_html(body[head.end() :] if head else body)).strip()
    yield {
        "text": found[:MOST_CHARACTERS],
        "cut": len(text) > MOST_HTML or len(found) > MOST_CHARACTERS,
    }


def _remove_elements(text: str, name: str) -> str:
    """Return a text without the elements of that name; one that does not end is left."""
    # By find, not by a regular expression: `<script.*?</script` is quadratic where none ends.
    low, kept, place = text.lower(), [], 0
    if len(low) != len(text):  # a letter that is longer in lower case would shift every place
        low = text
    while (start := _find_start_tag(low, name, place)) >= 0 and (
        end := low.find(f"</{name}", start)
    ) >= 0:
        kept.append(text[place:start])
        place = low.find(">", end) + 1 or len(text)
    return "".join([*kept, text[place:]])


def _find_start_tag(text: str, name: str, place: int) -> int:
    while (place := text.find(f"<{name}", place)) >= 0:
        if not text[place + len(name) + 1 : place + len(name) + 2].isalnum():
            return place
        place += 1
    return -1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
