"""The fields above a note's text, in one line each."""

import itertools
from collections.abc import Iterator
from typing import Any

from app.core.markdown.front_matter import body_start, find_block, read_fields

MOST_WORDS = 100


def fields_of(markdown: str) -> list[tuple[str, str]]:
    """Return names and values as people read them; of lines that are no YAML, the lines."""
    found = find_block(markdown) if body_start(markdown) else None
    if found is None:
        return []
    fields, trouble = read_fields(found[1])
    if trouble is not None:
        rows = (line.partition(":") for line in found[1].splitlines())
        fields = {name.strip(): value for name, _, value in rows}
    return [
        (name, ", ".join(filter(None, itertools.islice(_words(value), MOST_WORDS))))
        for name, value in fields.items()
    ]


def _words(value: Any) -> Iterator[str]:
    """Give the words of a value one by one: lists may hold each other, and so never end."""
    if isinstance(value, str):
        yield " ".join(value.split())
        return
    yield ""
    for name, each in value.items() if isinstance(value, dict) else (("", one) for one in value):
        for words in _words(each):
            yield f"{name}: {words}" if name and words else words
