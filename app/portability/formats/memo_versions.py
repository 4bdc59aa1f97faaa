"""A memo as the several versions of Memos' API shape it."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from app.core.json_body import objects_in
from app.core.markdown import blocks
from app.portability.content.clean_text import (
    clean_line,
    clean_text,
    moment_from_epoch,
    moment_from_iso,
)

_TAG = re.compile(r"(?<!\S)#([^\s#,.;:!?()\[\]`]{1,64})")
_STATES = {"ARCHIVED": "archived", "DELETED": "deleted"}


class MemoFile(msgspec.Struct, frozen=True):
    """A file of a memo."""

    id: str
    name: str
    picture: bool
    size: int | None
    content: str
    """In base64, mostly empty."""
    page: str
    """Where it lies on the web, if it does."""


class Memo(msgspec.Struct, frozen=True):
    """A memo, whatever its shape was."""

    ids: tuple[str, ...]
    """By each of them another memo may refer to it; the first is its own."""
    content: str
    title: str
    state: str
    visibility: str
    pinned: bool
    tags: tuple[str, ...]
    attached: tuple[MemoFile, ...]
    related: tuple[str, ...]
    parent: str
    place: str
    reactions: int
    created: str | None
    updated: str | None

    @property
    def id(self) -> str:
        """Return its own id."""
        return self.ids[0]


def memo(found: Any) -> Memo | None:
    """Read a memo; None for what is none or has no id."""
    if not isinstance(found, dict) or not isinstance(found.get("content"), str):
        return None
    # `content` alone is in the JSON of half the programs there are.
    if not found.keys() & {"createTime", "createdTs", "createdAt"} or not found.keys() & {
        "visibility",
        "rowStatus",
        "state",
        "name",
        "uid",
    }:
        return None
    ids = tuple(
        dict.fromkeys(one for name in ("name", "uid", "id") if (one := _id(found.get(name))))
    )
    if not ids:
        return None
    content = clean_text(found["content"])
    given = found.get("property")
    property_ = given if isinstance(given, dict) else {}
    related, parent = _relations(found, ids)
    tags = found.get("tags") or property_.get("tags")
    return Memo(
        ids=ids,
        content=content,
        title=clean_text(property_.get("title")),
        state=_STATES.get(clean_text(found.get("state") or found.get("rowStatus")), ""),
        visibility=clean_text(found.get("visibility")).removeprefix("VISIBILITY_"),
        pinned=found.get("pinned") is True,
        tags=tuple(map(clean_text, tags)) if isinstance(tags, list) else _tags_in(content),
        attached=tuple(_attached(found)),
        related=related,
        parent=_id(found.get("parent")) or parent,
        place=_place(found.get("location")),
        reactions=len(objects_in(found.get("reactions"))),
        created=_moment(found, "create"),
        updated=_moment(found, "update"),
    )


def _tags_in(content: str) -> tuple[str, ...]:
    """Return the tags of a text, for versions that did not tell them beside it."""
    if "#" not in content:
        return ()
    code = blocks.code_spans(content)
    return tuple(
        found[1]
        for found in _TAG.finditer(content)
        if not any(start <= found.start() < end for start, end in code)
    )


def _id(value: Any) -> str:
    """Return the last part of a name such as memos/abc, or a number, as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)[:64]
    return clean_line(value, 200).rpartition("/")[2]


def _moment(found: dict[str, Any], what: str) -> str | None:
    """Return a moment: an ISO text, or seconds since 1970 in older shapes."""
    return (
        moment_from_iso(found.get(f"{what}Time"))
        or moment_from_epoch(found.get(f"{what}dTs"), 1)
        or moment_from_iso(found.get(f"{what}dAt"))
    )


def _attached(found: dict[str, Any]) -> Iterator[MemoFile]:
    for name in ("attachments", "resources", "resourceList"):
        for one in objects_in(found.get(name)):
            size = clean_text(str(one.get("size", "")))
            yield MemoFile(
                id=_id(one.get("name")) or _id(one.get("uid")) or _id(one.get("id")),
                name=clean_line(one.get("filename")),
                picture=clean_text(one.get("type")).startswith("image/"),
                size=int(size) if size.isdecimal() and len(size) < 16 else None,
                content=clean_text(one.get("content")),
                page=clean_text(one.get("externalLink")),
            )


def _relations(found: dict[str, Any], own: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the ids of memos that this one refers to, and of the one that it comments on."""
    related: list[str] = []
    parent = ""
    for one in objects_in(found.get("relations")) + objects_in(found.get("relationList")):
        start = _reference(one.get("memo")) or _id(one.get("memoId")) or own[0]
        other = _reference(one.get("relatedMemo")) or _id(one.get("relatedMemoId"))
        if start in own and other:
            if one.get("type") == "COMMENT":
                parent = other
            else:
                related.append(other)
    return tuple(dict.fromkeys(related)), parent


def _reference(value: Any) -> str:
    return (
        _id(value.get("name") or value.get("uid"))
        if isinstance(value, dict)
        else _id(value)
        if isinstance(value, str)
        else ""
    )


def _place(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    numbers = [
        str(value[name])
        for name in ("latitude", "longitude")
        if isinstance(value.get(name), int | float)
    ]
    return ", ".join(part for part in (clean_line(value.get("placeholder")), *numbers) if part)
