"""Formats that cannot be imported, each with the best way to bring it here all the same."""

from pathlib import Path

from app.portability.archives import open_source
from app.portability.archives.source_tree import Entry
from app.portability.content.clean_text import UNREADABLE

_VAULT = "bring it into an Obsidian vault with Obsidian's plugin Importer, and import the vault"
_DECRYPT = "decrypt it with the program that made it, and import what comes out"
_MARKDOWN = "save it as Markdown first, with pandoc for one, and import that"
_WAYS: dict[str, tuple[str, str]] = {
    "bear": (
        "notes of Bear",
        "in Bear choose to export notes as Markdown with attachments, and import that folder",
    ),
    "textbundle": (
        "a TextBundle",
        "let the program that wrote it export Markdown with attachments, and import that folder",
    ),
    "enex": (
        "an export of Evernote",
        "import it into Joplin, export that as JEX, and import the JEX",
    ),
    "one": ("a notebook of OneNote", _VAULT),
    "roam": ("an export of Roam Research", _VAULT),
    "dayone": (
        "an export of Day One",
        "let Day One export Markdown or plain text, and import that",
    ),
    "simplenote": (
        "an export of Simplenote",
        "import the folder of text files that lies beside it, renamed to .md",
    ),
    "standard": (
        "a backup of Standard Notes",
        "in Standard Notes export decrypted plain text, and import that renamed to .md",
    ),
    "trilium": (
        "an export of Trilium",
        "in Trilium export the notes as Markdown, and import that archive",
    ),
    "nsx": (
        "an export of Synology Note Station",
        "import it into Joplin with its converter, export that as JEX, and import the JEX",
    ),
    "encrypted": ("encrypted", _DECRYPT),
    "document": ("a document", _MARKDOWN),
    "outline": (
        "an outline in OPML",
        "let the program that wrote it export Markdown, and import that",
    ),
}
_ENDINGS = {
    "enex": "enex",
    "bear": "bear",
    "bear2bk": "bear",
    "bearbk": "bear",
    "textbundle": "textbundle",
    "textpack": "textbundle",
    "nsx": "nsx",
    "opml": "outline",
    **dict.fromkeys(("one", "onepkg", "onetoc2"), "one"),
    **dict.fromkeys(("docx", "doc", "odt", "rtf", "pages", "epub", "pdf"), "document"),
    **dict.fromkeys(("age", "gpg", "pgp", "asc", "mdenc", "encrypted", "enc"), "encrypted"),
}
_IN_JSON = {
    '"activeNotes"': "simplenote",
    '"create-time"': "roam",
    '":block/uid"': "roam",
    '"content_type"': "standard",
    '"richText"': "dayone",
}
_LOOKED_AT = 8192
_CIPHERS = (
    b"-----BEGIN PGP MESSAGE-----",
    b"age-encryption.org/v1",
    b"-----BEGIN AGE ENCRYPTED FILE-----",
    b"$ANSIBLE_VAULT;",
    b"U2FsdGVkX1",
    b"Salted__",
    b"\0GITCRYPT\0",
)


def refusal(path: Path) -> str:
    """Return what a file or folder is and what to do, if it is known and cannot be imported.

    Else nothing.
    """
    found = _known(path)
    return (
        f"{path.name} is {_WAYS[found][0]}, which cannot be imported as it is: {_WAYS[found][1]}."
        if found
        else ""
    )


def is_encrypted(content: bytes) -> bool:
    """Return whether what should be a text is encrypted as a whole."""
    return content[:200].lstrip(b"\xef\xbb\xbf \r\n").startswith(_CIPHERS)


def _known(path: Path) -> str:
    kind = _ENDINGS.get(path.suffix.lower().removeprefix("."), "")
    if kind:
        return kind
    try:
        return _by_content(path)
    except UNREADABLE:
        return ""


def _by_content(path: Path) -> str:
    entries = list(open_source.first_entries(path))
    bundled = [".textbundle/" in f"{one.path.lower()}/" for one in entries]
    if bundled and all(bundled):
        return "textbundle"
    if any(one.name == "!!!meta.json" for one in entries):
        return "trilium"
    kinds = {_ENDINGS.get(one.ending, "") for one in entries}
    if len(kinds) == 1 and "" not in kinds:
        return kinds.pop()
    return next(
        (kind for one in entries[:20] if one.ending in ("json", "txt") and (kind := _by_head(one))),
        "",
    )


def _by_head(entry: Entry) -> str:
    with entry.open() as file:
        head = file.read(_LOOKED_AT).decode("utf-8", "replace")
    return (
        next((kind for mark, kind in _IN_JSON.items() if mark in head), "")
        if head.lstrip("\ufeff \r\n")[:1] in ("{", "[")
        else ""
    )
