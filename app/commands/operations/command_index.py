"""The commands that are made from operations, as `operations.json` has them."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Route(NamedTuple):
    """A route and the operation that answers it."""

    method: str
    path: str
    operation: str
    integers: list[str]
    downloads: bool


FILE = Path(__file__).with_name("operations.json")


@functools.cache
def read_index() -> Mapping[str, Any]:
    """Return what the file says: `nouns` with their verbs, `routes`, and `summaries`."""
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found


def entries_of(noun: str) -> Mapping[str, Any]:
    """Return the entries of a noun by verb; none where it has no operation."""
    found: Mapping[str, Any] = read_index()["nouns"].get(noun, {})
    return found


def list_routes() -> list[Route]:
    """Return every route of the API."""
    return [Route(*row) for row in read_index()["routes"]]


def entry_named(operation: str) -> tuple[str, Mapping[str, Any]] | None:
    """Return the command and the entry of an operation; None where it has no command."""
    for noun, verbs in read_index()["nouns"].items():
        for verb, entry in verbs.items():
            if entry["operation"] == operation:
                return f"{noun} {verb}", entry
    return None
