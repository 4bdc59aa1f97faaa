"""The commands that are made from operations, as `operations.json` has them."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("operations.json")


@functools.cache
def read_index() -> Mapping[str, Any]:
    """Return what the file says: `nouns` with their verbs, and the `summaries` of all commands."""
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found


def entries_of(noun: str) -> Mapping[str, Any]:
    """Return the entries of a noun by verb; none where it has no operation."""
    found: Mapping[str, Any] = read_index()["nouns"].get(noun, {})
    return found


def entry_named(operation: str) -> tuple[str, Mapping[str, Any]] | None:
    """Return the command and the entry of an operation; None where it has no command."""
    for noun, verbs in read_index()["nouns"].items():
        for verb, entry in verbs.items():
            if entry["operation"] == operation:
                return f"{noun} {verb}", entry
    return None
