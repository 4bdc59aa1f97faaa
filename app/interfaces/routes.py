"""From a method and a path to an operation, in one look-up."""

import functools
from typing import Any

from app.core.operation import Catalog, Operation
from app.core.schema import LARGEST_ID
from app.errors import MethodNotAllowed, NotFound

MOST_DIGITS = 15
MOST_KNOWN = 4_000
LONGEST_KNOWN = 200
HUGE = 4000


class Found:
    """The operation that answers, and what the path says under the parameters' names."""

    __slots__ = ("_values", "operation", "texts")

    def __init__(self, operation: Operation[..., Any], texts: dict[str, str]) -> None:
        self.operation = operation
        self.texts = texts
        self._values: dict[str, Any] | None = None

    def values(self) -> dict[str, Any]:
        """Give the typed values; an id too large or too small to exist is NotFound, one that is
        no number Invalid.
        """
        if self._values is None:
            self._values = _path_values(self.operation, self.texts)
        return self._values


class _Node:
    __slots__ = ("literal", "methods", "parameter")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.methods: dict[str, tuple[Operation[..., Any], tuple[str, ...]]] = {}


class Routes:
    """All routes of the catalogue as a tree of segments; a literal segment goes before a parameter.

    What was found for a path is remembered, so that a path which is asked for again costs one
    look-up.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._root = _tree(catalog)
        self._known: dict[tuple[str, str], Found] = {}

    def find(self, method: str, path: str) -> Found:
        """Give what answers `method` on `path` (below the base path).

        Raise NotFound or MethodNotAllowed.
        """
        found = self._known.get((method, path))
        if found is None:
            found = self._walk(method, path)
            if len(path) <= LONGEST_KNOWN:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[method, path] = found
        return found

    def _walk(self, method: str, path: str) -> Found:
        wanted = "GET" if method == "HEAD" else method
        match = _match(self._root, path.removesuffix("/").split("/")[1:], [])
        if match is None:
            raise NotFound("There is nothing at this path; GET /os lists every endpoint.")
        node, texts = match
        if wanted not in node.methods:
            allowed = {*node.methods, *(("HEAD",) if "GET" in node.methods else ())}
            raise MethodNotAllowed(f"{method} is not known at this path.", allow=sorted(allowed))
        operation, names = node.methods[wanted]
        return Found(operation, dict(zip(names, texts, strict=True)))


@functools.cache
def _tree(catalog: Catalog) -> _Node:
    """Give the tree of the catalogue, the same for every server of this process."""
    root = _Node()
    for method, path, operation in catalog.routes():
        node, names = root, []
        for segment in path.split("/")[1:]:
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(segment, _Node())
        node.methods[method] = (operation, tuple(names))
    return root


def _path_values(operation: Operation[..., Any], texts: dict[str, str]) -> dict[str, Any]:
    for name, text in texts.items():
        is_long = len(text) > MOST_DIGITS and text.isascii() and text.isdecimal()
        if (
            is_long
            and operation.shape.reads_integer(name)
            and (len(text) > HUGE or int(text) > LARGEST_ID)
        ):
            raise NotFound("There is no such thing.", field=name)
    values = operation.shape.from_text(texts)
    for value in values.values():
        if isinstance(value, int) and value < 1:
            raise NotFound("There is no such thing.")
    return values


def _match(node: _Node, segments: list[str], texts: list[str]) -> tuple[_Node, list[str]] | None:
    """Give the node that the segments lead to, a literal way before a parameter, with the
    parameters' texts.
    """
    if not segments:
        return (node, texts) if node.methods else None
    head, rest = segments[0], segments[1:]
    found = _match(node.literal[head], rest, texts) if head in node.literal else None
    if found is None and node.parameter is not None and head:
        return _match(node.parameter, rest, [*texts, head])
    return found
