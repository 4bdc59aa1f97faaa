"""What kind of file some bytes are.

By what they begin with, by their name, and by what whoever sent them said.
"""

import re

import msgspec

UNKNOWN = "application/octet-stream"
LOOKED_AT = 8192
SAYS_NOTHING = frozenset(
    {
        "",
        UNKNOWN,
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "binary/octet-stream",
        "*/*",
    }
)
"""What clients send when they do not know the type."""
TEXTUAL = frozenset(
    (
        "application/json application/xml application/javascript application/x-yaml "
        "application/yaml application/toml application/x-ndjson application/sql "
        "application/xhtml+xml image/svg+xml"
    ).split()
)
SEEN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The images that models which see take."""
_BEGINNINGS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"BM", "image/bmp"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"MZ", "application/x-msdownload"),
)
# Three formats share the container RIFF, whose first bytes say nothing of what is in it.
_RIFF = frozenset({"image/webp", "audio/wav", "video/x-msvideo"})
_ENDINGS = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "text": "text/plain",
    "log": "text/plain",
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "eml": "message/rfc822",
    "py": "text/x-python",
    "js": "text/javascript",
    "css": "text/css",
    "sql": "application/sql",
    "svg": "image/svg+xml",
    "rst": "text/x-rst",
    "org": "text/org",
    "tex": "application/x-tex",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "epub": "application/epub+zip",
}
# Zip files by their bytes; only their names tell what they are.
_PACKED = ("application/vnd.", "application/epub+zip")
_HTML_BEGINS = re.compile(
    rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html\b|head\b|body\b)",
    re.IGNORECASE | re.DOTALL,
)
_FORM = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}"


class FileType(msgspec.Struct, frozen=True):
    """A media type without parameters, and the charset that was named with it."""

    media_type: str
    charset: str | None


def detect(content: bytes, name: str, said: str) -> FileType:
    """Return the kind of a file: the bytes decide where they can, then what was said, then the
    name's ending; text is never called something binary.
    """
    declared, charset = _declared_type(said)
    begun = _type_by_signature(content)
    named = _ENDINGS.get(name.rpartition(".")[2].casefold() if "." in name else "", "")
    if begun is not None:
        return FileType(
            named if begun == "application/zip" and named.startswith(_PACKED) else begun, None
        )
    if not is_text(content):
        return FileType(
            UNKNOWN
            if is_textual(declared) or declared in SAYS_NOTHING
            else _unless_image(declared),
            None,
        )
    # Text now. Browsers call every unknown text file text/plain, so a name's ending says more.
    if declared in SAYS_NOTHING or not is_textual(declared) or (declared == "text/plain" and named):
        declared = (
            named
            if is_textual(named)
            else "text/html"
            if _looks_like_html(content)
            else "text/plain"
        )
    return FileType(declared, charset)


def kind_to_keep(content: bytes, name: str, said: str) -> FileType:
    """Return the kind that a file is kept and shown as.

    What was said of it where that says something, else what it is.
    """
    declared, charset = _declared_type(said)
    return (
        detect(content, name, said)
        if declared in SAYS_NOTHING
        else FileType(declared, charset if is_textual(declared) else None)
    )


def is_textual(media_type: str) -> bool:
    """Return whether files of that type are text."""
    return (
        media_type.startswith("text/")
        or media_type in TEXTUAL
        or media_type.endswith(("+json", "+xml"))
        or media_type == "message/rfc822"
    )


def is_text(content: bytes) -> bool:
    """Return whether bytes can be read as text.

    Without a NUL among the first, unless their first mark says that they are UTF-16.
    """
    return content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" not in content[:LOOKED_AT]


def decode_text(content: bytes, charset: str | None = None) -> str:
    """Return bytes as text: by their first mark, as UTF-8, by the charset that was named, else as
    what Western systems wrote before.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace").replace("\0", "")
    for encoding in ("utf-8-sig", charset or "utf-8"):
        try:
            return content.decode(encoding).replace("\0", "")
        except (UnicodeError, LookupError):  # LookupError also for base64 and other non-texts
            continue
    return content.decode("cp1252", errors="replace").replace("\0", "")


def _declared_type(said: str) -> tuple[str, str | None]:
    media_type, _, rest = said.partition(";")
    media_type = media_type.strip().lower()
    found = re.search(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", rest)
    charset = found[1].lower() if found else None
    return (media_type if re.fullmatch(_FORM, media_type) else ""), charset


def _type_by_signature(content: bytes) -> str | None:
    for place, mark, media_type in _BEGINNINGS:
        if (
            content.startswith(mark, place)
            and (media_type not in _RIFF or content.startswith(b"RIFF"))
            and not _is_only_text(mark, content)
        ):
            return media_type
    return None


def _is_only_text(mark: bytes, content: bytes) -> bool:
    """Return whether a short beginning that also words have, as `BM` or `MZ`, is one of a text."""
    return len(mark) <= 3 and mark.isalnum() and is_text(content)


def _unless_image(declared: str) -> str:
    """Return a declared type; bytes that are no known image are not handed on as one."""
    return UNKNOWN if declared in SEEN or declared == "application/pdf" else declared


def _looks_like_html(content: bytes) -> bool:
    return _HTML_BEGINS.match(content[:1024]) is not None
