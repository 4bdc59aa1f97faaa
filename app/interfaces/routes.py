"""From a method and a path to an operation, in one look-up."""

import functools
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from starlette.routing import Route

from app.core.operation import Catalog, Operation
from app.core.schema import LARGEST_ID
from app.errors import MethodNotAllowed, NotFound

# so many always make an id that may exist
MOST_DIGITS = 15
MOST_KNOWN = 4_000
LONGEST_KNOWN = 200
# Python reads no integer of more than 4,300 digits
HUGE = 4000
Target = TypeVar("Target")


class RouteMatch:
    """The operation that answers, and what the path says under the parameters' names."""

    __slots__ = ("_values", "operation", "texts")

    def __init__(self, operation: Operation[..., Any], texts: dict[str, str]) -> None:
        self.operation = operation
        self.texts = texts
        self._values: dict[str, Any] | None = None

    def values(self) -> dict[str, Any]:
        """Return the typed values; an id too large or too small to exist is NotFound, one that is
        no number Invalid.
        """
        if self._values is None:
            self._values = _path_values(self.operation, self.texts)
        return self._values


class _Node(Generic[Target]):
    __slots__ = ("literal", "methods", "parameter")

    def __init__(self) -> None:
        self.literal: dict[str, _Node[Target]] = {}
        self.parameter: _Node[Target] | None = None
        self.methods: dict[str, tuple[Target, tuple[str, ...]]] = {}


class Routes:
    """All routes of the catalogue as a tree of segments; a literal segment goes before a parameter.

    What was found for a path is remembered: that is a hundred times as fast as walking the tree
    and reading the path's values.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._root = _of_catalog(catalog)
        self._known: dict[tuple[str, str], RouteMatch] = {}

    def find(self, method: str, path: str) -> RouteMatch:
        """Return what answers `method` on `path` (below the base path).

        Raise NotFound or MethodNotAllowed.
        """
        found = self._known.get((method, path))
        if found is None:
            found = RouteMatch(*_walk(self._root, method, path, "GET /os lists every endpoint"))
            if len(path) <= LONGEST_KNOWN:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[method, path] = found
        return found


class PageRoutes:
    """The routes beside the API, found as those of the API are."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = routes

    # made with the first page: a tenth of what a server in a test takes, and few of those show one
    @functools.cached_property
    def _root(self) -> _Node[Route]:
        return _route_tree(
            (method, route.path, route)
            for route in self._routes
            for method in (route.methods or {"GET"}) - {"HEAD"}
        )

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route that answers, and what the path says under the parameters' names.

        Raise NotFound or MethodNotAllowed.
        """
        return _walk(self._root, method, path, "the interface is below /api/v1")


@functools.cache
def _of_catalog(catalog: Catalog) -> _Node[Operation[..., Any]]:
    """Return the tree of the catalogue, the same for every server of this process."""
    return _route_tree(catalog.routes())


def _route_tree(routes: Iterable[tuple[str, str, Target]]) -> _Node[Target]:
    root: _Node[Target] = _Node()
    for method, path, target in routes:
        node, names = root, []
        for segment in path.removesuffix("/").split("/")[1:]:
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.literal.setdefault(segment, _Node())
        node.methods[method] = (target, tuple(names))
    return root


def _walk(root: _Node[Target], method: str, path: str, where: str) -> tuple[Target, dict[str, str]]:
    """Return what answers `method` on `path`, and the texts of the path's parameters.

    Raise MethodNotAllowed, or NotFound, which says where to look.
    """
    wanted = "GET" if method == "HEAD" else method
    match = _match(root, path.removesuffix("/").split("/")[1:], [])
    if match is None:
        raise NotFound(f"There is nothing at this path; {where}.")
    node, texts = match
    if wanted not in node.methods:
        allowed = {*node.methods, *(("HEAD",) if "GET" in node.methods else ())}
        raise MethodNotAllowed(f"{method} is not known at this path.", allow=sorted(allowed))
    target, names = node.methods[wanted]
    return target, dict(zip(names, texts, strict=True))


def _path_values(operation: Operation[..., Any], texts: dict[str, str]) -> dict[str, Any]:
    for name, text in texts.items():
        is_long = len(text) > MOST_DIGITS and text.isascii() and text.isdecimal()
        if (
            is_long
            and operation.fields.reads_integer(name)
            and (len(text) > HUGE or int(text) > LARGEST_ID)
        ):
            raise NotFound("There is no such thing.", field=name)
    values = operation.fields.from_text(texts)
    for value in values.values():
        if isinstance(value, int) and value < 1:
            raise NotFound("There is no such thing.")
    return values


def _match(
    node: _Node[Target], segments: list[str], texts: list[str]
) -> tuple[_Node[Target], list[str]] | None:
    """Return the node that the segments lead to, a literal way before a parameter, with the
    parameters' texts.
    """
    if not segments:
        return (node, texts) if node.methods else None
    head, rest = segments[0], segments[1:]
    found = _match(node.literal[head], rest, texts) if head in node.literal else None
    # an empty segment, as in //, is no value
    if found is None and node.parameter is not None and head:
        return _match(node.parameter, rest, [*texts, head])
    return found
