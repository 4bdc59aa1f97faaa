"""Paths of notes and folders: rows of the database, never files."""

import unicodedata

from app.core.schema import Line
from app.errors import Invalid

DEEPEST = 32
NAME = Line(1, 255)


def split_path(path: str, *, field: str) -> list[str]:
    """Return the segments of a path.

    Raise Invalid, naming `field`, for one that is hostile or malformed.
    """
    if path.startswith("/"):
        raise Invalid(f"{field} must not begin with a slash.", field=field)
    if "\\" in path:
        raise Invalid(
            f"{field} must not contain a backslash; segments are separated by a slash.", field=field
        )
    segments = path.split("/")
    if len(segments) > DEEPEST:
        raise Invalid(f"{field} must not be deeper than {DEEPEST} segments.", field=field)
    return [_check_segment(segment, field) for segment in segments]


def _check_segment(segment: str, field: str) -> str:
    if not segment.isprintable() and any(unicodedata.category(mark) == "Cc" for mark in segment):
        raise Invalid(f"{field} must not contain control characters.", field=field)
    if not segment.strip():
        raise Invalid(f"{field} must not contain an empty segment.", field=field)
    if segment.strip() in (".", ".."):
        raise Invalid(f"{field} must not contain the segment {segment.strip()}.", field=field)
    try:
        name: str = NAME(segment)
    except ValueError as error:
        raise Invalid(f"{field}: each segment {error}.", field=field) from None
    return name
