"""An item of a Joplin export: a title, a text, and properties below them, in one Markdown file."""

import re
from collections.abc import Mapping

import msgspec

from app.portability.content.clean_text import clean_text, moment_from_epoch, moment_from_iso

NOTE, FOLDER, RESOURCE, TAG, NOTE_TAG = 1, 2, 4, 5, 6
KINDS = {
    3: "settings",
    7: "saved searches",
    8: "alarms",
    9: "keys of the encryption",
    10: "changes",
    11: "notes' lists of resources",
    12: "states of resources",
    13: "old versions of notes",
    14: "migrations",
    15: "saved filters",
    16: "commands",
}
_ID = re.compile(r"[0-9a-f]{32}")
_PROPERTY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(.*)")
_FILE = re.compile(r"(?:.*/)?([0-9a-f]{32})\.md")


class JoplinItem(msgspec.Struct, frozen=True):
    """One item; `properties` are as they are written."""

    id: str
    kind: int
    title: str
    body: str
    properties: Mapping[str, str]

    def text(self, name: str) -> str:
        """Return a property, empty if it is not there."""
        return self.properties.get(name, "")

    def on(self, name: str) -> bool:
        """Return whether a property is set, be it a flag or a moment."""
        return self.text(name) not in ("", "0")

    def when(self, *names: str) -> str | None:
        """Return the first of these properties that is a moment, be it in ISO 8601 or in
        milliseconds since 1970.
        """
        for name in names:
            value = self.text(name)
            if value and (
                found := moment_from_epoch(value, 1000)
                if value.lstrip("-").isdigit()
                else moment_from_iso(value)
            ):
                return found
        return None


def parse(text: str) -> JoplinItem:
    """Read an item; raise ValueError for what is none."""
    head, _, tail = clean_text(text).rstrip("\n ").rpartition("\n\n")
    properties: dict[str, str] = {}
    for row in tail.split("\n"):
        found = _PROPERTY.fullmatch(row.strip())
        if found is None:
            raise ValueError("it has no properties at its end")
        properties[found[1]] = found[2].strip()
    kind, own = properties.get("type_", ""), properties.get("id", "").lower()
    if not _ID.fullmatch(own) or not kind.isdecimal() or len(kind) > 3:
        raise ValueError("it has no id or no type")
    title, _, body = head.partition("\n")
    return JoplinItem(own, int(kind), title, body.removeprefix("\n"), properties)


def id_in(path: str) -> str | None:
    """Return the id that the name of an item's file is; None for every other file."""
    found = _FILE.fullmatch(path)
    return found[1] if found else None


def id_of(text: str) -> str:
    """Return a property that is an id; empty if it is none."""
    found = text.strip().lower()
    return found if _ID.fullmatch(found) else ""
