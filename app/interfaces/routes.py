"""From a method and a path to an operation, in one look-up."""

from typing import Any, NamedTuple

from app.core.operation import Catalog, Operation
from app.core.shapes import LARGEST_ID
from app.errors import MethodNotAllowed, NotFound

MOST_DIGITS = 4000


class Found(NamedTuple):
    """The operation that answers, and the texts in the path under their names."""

    operation: Operation[..., Any]
    texts: dict[str, str]


class _Node:
    __slots__ = ("literal", "methods", "parameter")

    def __init__(self) -> None:
        self.literal: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.methods: dict[str, tuple[Operation[..., Any], tuple[str, ...]]] = {}


class Routes:
    """All routes of the catalogue as a tree of segments; a literal segment goes before a parameter."""

    def __init__(self, catalog: Catalog) -> None:
        self._root = _Node()
        self._whole: dict[tuple[str, str], Found] = {}
        for method, path, operation in catalog.routes():
            self._add(method, path, operation)

    def find(self, method: str, path: str) -> Found:
        """Give what answers `method` on `path` (below the base path); raise NotFound or MethodNotAllowed."""
        wanted = "GET" if method == "HEAD" else method
        if (whole := self._whole.get((wanted, path))) is not None:
            return whole
        segments = path.removesuffix("/").split("/")[1:]
        matches = _walk(self._root, segments, [])
        for node, texts in matches:
            if (held := node.methods.get(wanted)) is not None:
                return Found(held[0], dict(zip(held[1], texts, strict=True)))
        if not matches:
            raise NotFound("There is nothing at this path.")
        allowed = {method for node, _ in matches for method in node.methods}
        raise MethodNotAllowed(f"{method} is not known at this path.", allow=sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))

    def _add(self, method: str, path: str, operation: Operation[..., Any]) -> None:
        node, names = self._root, []
        for segment in path.split("/")[1:]:
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(segment, _Node())
        node.methods[method] = (operation, tuple(names))
        if not names:
            self._whole[method, path] = Found(operation, {})


def path_values(operation: Operation[..., Any], texts: dict[str, str]) -> dict[str, Any]:
    """Give the typed values of the path; an id too large to exist is NotFound, one that is no number Invalid."""
    for name, text in texts.items():
        too_large = len(text) > 15 and text.isascii() and text.isdecimal() and (len(text) > MOST_DIGITS or int(text) > LARGEST_ID)
        if too_large and operation.shape.reads_integer(name):
            raise NotFound("There is no such thing.", field=name)
    values = operation.shape.from_text(texts)
    if any(isinstance(value, int) and value < 1 for value in values.values()):
        raise NotFound("There is no such thing.")
    return values


def _walk(node: _Node, segments: list[str], texts: list[str]) -> list[tuple[_Node, list[str]]]:
    """Give every node that the segments lead to, literal ways first."""
    if not segments:
        return [(node, texts)] if node.methods else []
    head, rest = segments[0], segments[1:]
    found = _walk(node.literal[head], rest, texts) if head in node.literal else []
    if node.parameter is not None and head:
        found += _walk(node.parameter, rest, [*texts, head])
    return found
