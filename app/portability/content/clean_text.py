"""Texts, names and moments of what is imported, made fit for ours.

What no database takes is gone, and nothing here raises.
"""

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

from app.core.database.tx import stamp
from app.core.markdown.shortened import shortened
from app.core.schema import TITLE_MOST
from app.errors import Invalid
from app.portability.content.source_items import NotCarried

LONGEST_TODO_TITLE = 500
LONGEST_NAME = 300
"""So long is what names a thing in a report."""
UNREADABLE = (OSError, ValueError, EOFError, RecursionError, NotImplementedError, Invalid)
"""What reading something that is not as it should be raises.

ValueError has in it whatever is no text, JSON or number.
"""
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_BRACKETS = str.maketrans("[]", "()")
_START = datetime(1970, 1, 1, tzinfo=UTC)


def clean_text(text: object) -> str:
    """Return a text without NUL, with � for halves of characters and \\n at the ends of lines.

    Whatever is no text is the empty one.
    """
    if not isinstance(text, str):
        return ""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.replace("\0", "")
    # Through UTF-16 pairs of halves become characters, and only single halves become �.
    return (
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")
    )


def clean_line(text: object, most: int = TITLE_MOST) -> str:
    """Return a text as one line of at most so many characters, in NFC, without control
    characters."""
    # Cut before the slower steps: what should be a name may be a whole file.
    whole = unicodedata.normalize("NFC", " ".join(clean_text(text)[: most * 4].split()))
    kept = (
        whole
        if whole.isprintable()
        else "".join(mark for mark in whole if unicodedata.category(mark) not in ("Cc", "Zl", "Zp"))
    )
    return shortened(kept, most)


def title_of(text: str, otherwise: str) -> str:
    """Return a title for a note without one.

    Its first line that says something, without the marks of Markdown.
    """
    for row in text[:10_000].splitlines():
        plain = _LINKED.sub(
            r"\1", row.strip().lstrip("#>*-+ ").removeprefix("[ ]").removeprefix("[x]")
        )
        if found := clean_line(plain.replace("**", "").replace("`", ""), 80):
            return found
    return clean_line(otherwise) or "Untitled"


def folder_name(name: object, otherwise: str = "Untitled") -> str:
    """Return a name that a folder can have."""
    # Signs that look alike: a name with a slash must not become two folders.
    found = clean_line(clean_text(name).replace("/", "∕").replace("\\", "∖"))
    return otherwise if found in ("", ".", "..") else found


def tag_label(name: object) -> str:
    """Return a tag as notes have it: one line, without a leading #."""
    return clean_line(clean_text(name).strip().lstrip("#"), 64)


def tag_labels(names: Iterable[object]) -> tuple[str, ...]:
    """Return tags, each once."""
    return tuple(dict.fromkeys(found for name in names if (found := tag_label(name))))


def markdown_link(words: object, target: str, *, picture: bool = False) -> str:
    """Return a Markdown link, or a picture, with words that cannot end it early."""
    return f"{'!' * picture}[{clean_line(words).translate(_BRACKETS)}]({target})"


def web_address(address: object) -> str:
    """Return an address of the web as a link may have it; empty if it is none."""
    found = clean_line(address, 2_000)
    return (
        quote(found, safe="%/:=&?~#+!$,;'@*[]")
        if found.lower().startswith(("http://", "https://", "mailto:"))
        else ""
    )


def moment_from_epoch(value: object, per_second: int) -> str | None:
    """Return a moment that is told as a number of seconds, or of parts of one, since 1970.

    None for what is no such number, and for 0, by which programs mean "never".
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
        # Not fromtimestamp, which fails before 1970 on Windows.
        return stamp(_START + timedelta(seconds=number / per_second)) if number else None
    except (ValueError, OverflowError):
        return None


def moment_from_iso(value: object) -> str | None:
    """Return a moment that is told in ISO 8601, with its offset if it has one.

    None for what is none.
    """
    try:
        found = datetime.fromisoformat(clean_text(value).strip())
    except ValueError:
        return None
    if found.tzinfo is None:
        # No zone is told, so none is made up: the import reads it as a time of the user's own.
        return found.isoformat(timespec="milliseconds")
    try:
        return stamp(found.astimezone(UTC))
    except OverflowError:
        return None


def stored_moment(found: date) -> str:
    """Return a day, a moment in UTC, or a wall time where there is no zone, as they are stored."""
    if not isinstance(found, datetime):
        return found.isoformat()
    if found.tzinfo is None:
        return found.isoformat(timespec="seconds")
    try:
        return stamp(found.astimezone(UTC))
    except OverflowError:  # at the ends of the calendar UTC is in the year 0 or 10,000
        return found.replace(tzinfo=None).isoformat(timespec="seconds")


def zone_named(name: str) -> ZoneInfo | None:
    """Return the time zone of that name, None if there is none."""
    try:
        return ZoneInfo(name) if name else None
    except (OSError, ValueError, KeyError):  # a folder, a path, or no such file
        return None


def decode_base64(text: str) -> bytes:
    """Return the bytes that a text stands for; empty for what is no Base64."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def note_damaged_text(name: str, *texts: str) -> Iterator[NotCarried]:
    """Tell of a text in which some bytes were no characters."""
    if any("\ufffd" in text for text in texts):
        yield NotCarried(
            report_name(name), "it contained bytes that are not valid text; each is now a �"
        )


def report_name(name: object) -> str:
    """Return a name as a report shows it."""
    return clean_line(name, LONGEST_NAME) or "(without a name)"


def reason_text(error: BaseException) -> str:
    """Return the end of a sentence that says why something cannot be read, without paths of this
    machine.
    """
    return (
        str(error.strerror)
        if isinstance(error, OSError) and error.strerror
        else str(error).rstrip(".") or "it ends too early"
    )


def not_readable(name: str, error: BaseException) -> NotCarried:
    """Tell of something that cannot be read."""
    return NotCarried(report_name(name), f"it cannot be read: {reason_text(error)}")


def join_paragraphs(*parts: str | None) -> str:
    """Return paragraphs as one text, those that are empty left out."""
    return "\n\n".join(part for part in parts if part and part.strip())
