"""The operators in a query, as chips that can be taken away and added."""

import re
from typing import NamedTuple

_OPERATOR = re.compile(
    r'(?<!\S)-?(?:title|tag|folder|in|is|updated|created|after|before):(?:"[^"]*"|\S+)', re.I
)
SUGGESTED = ("in:pinned", "is:todo", 'updated:"this week"', 'created:"last month"')


class Chip(NamedTuple):
    """An operator, and the query with it taken away or added."""

    text: str
    query: str


def used_operators(query: str) -> list[Chip]:
    """Return the operators that a query holds, each with the query without it."""
    return [
        Chip(found.group(), " ".join((query[: found.start()] + query[found.end() :]).split()))
        for found in _OPERATOR.finditer(query)
    ]


def suggested_operators(query: str) -> list[Chip]:
    """Return operators that a query does not hold yet, each with the query and it."""
    return [Chip(each, f"{query} {each}".strip()) for each in SUGGESTED if each not in query]
