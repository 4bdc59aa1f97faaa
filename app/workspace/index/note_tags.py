"""Tags of notes: how they are written, and the index by which notes of a tag are found."""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.core.database.tx import Tx
from app.core.schema import CONTROLS, FORMATS, Line, Rule
from app.core.text import fold_name

MOST = 50
TAG = Line(1, 64)
NONE = "[]"
PATTERN = rf"^[^#\"\s{CONTROLS}{FORMATS}][^\"{CONTROLS}]*$"
_decoder = msgspec.json.Decoder(list[str])


class TagList(Rule, frozen=True):
    """At most 50 tags of 1 to 64 characters.

    Leading # are dropped, and of those that differ only by case the first stays.
    """

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {
            "maxItems": MOST,
            "items": {"type": "string", "maxLength": TAG.most, "pattern": PATTERN},
        }

    def __call__(self, value: list[str]) -> list[str]:
        if len(value) > MOST:
            raise ValueError(f"must have at most {MOST} tags")
        unique: dict[str, str] = {}
        for written in value:
            try:
                tag = clean_tag(written)
            except ValueError as error:
                raise ValueError(f"holds a tag that {error}") from None
            unique.setdefault(fold_name(tag), tag)
        return list(unique.values())


def clean_tag(written: str) -> str:
    """Return a tag as it is kept; raise ValueError, a sentence's end, for one that no search could
    ask for.
    """
    tag = TAG(without_hash(written))
    if '"' in tag:  # tag:"two words" could not be written for it
        raise ValueError('must not hold the quotation mark "')
    return tag


def without_hash(written: str) -> str:
    """Return a tag without the # that it may be written with."""
    return written.strip().lstrip("#").strip()


def pack_tags(tags: list[str]) -> str:
    """Return tags as the text that the note's row holds."""
    return msgspec.json.encode(tags).decode() if tags else NONE


def tag_keys(tags: str) -> list[str]:
    """Return the keys by which a note of these stored tags is found."""
    return [] if tags == NONE else [fold_name(tag) for tag in _decoder.decode(tags)]


def rebuild(tx: Tx) -> None:
    """Enter all notes under their tags anew."""
    tx.run("DELETE FROM note_tags")
    for note, owner, tags in tx.all("SELECT id, owner_id, tags FROM notes"):
        insert(tx, owner, note, tags)


def insert(tx: Tx, owner: int, note_id: int, tags: str) -> None:
    """Enter a note under its tags."""
    for key in tag_keys(tags):
        tx.insert("note_tags", owner_id=owner, tag_key=key, note_id=note_id)


def delete(tx: Tx, owner: int, note_id: int, tags: str) -> None:
    """Take a note out from under its tags."""
    for key in tag_keys(tags):
        tx.run(
            "DELETE FROM note_tags WHERE owner_id = :owner AND tag_key = :key AND note_id = :note",
            owner=owner,
            key=key,
            note=note_id,
        )
