"""Which operation a method and a path lead to."""

import pytest

from app.catalog import CATALOG
from app.errors import MethodNotAllowed, NotFound
from app.interfaces.routes import Routes

ROUTES = Routes(CATALOG)


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/os/notes/5", "get_note_content"),
        ("POST", "/os/notes/search", "search_notes"),
        ("HEAD", "/os/notes/", "list_notes"),
        ("GET", "/os/snapshots/5/diff", "diff_snapshots"),
        ("GET", "/os/snapshots/5/6", "read_version"),
        ("GET", "/os/snapshots/5/seq/6", "read_snapshot"),
        ("DELETE", "/os/trash/note/5", "purge_from_trash"),
    ],
)
def test_a_path_leads_to_its_operation(method: str, path: str, name: str) -> None:
    assert ROUTES.find(method, path).operation.name == name


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/os/notes/search", ["POST"]),
        ("DELETE", "/os/notes/grep", ["POST"]),
        ("GET", "/os/todos/replan", ["POST"]),
        ("GET", "/os/snapshots/5/restore", ["POST"]),
        ("POST", "/os/snapshots/5/diff", ["GET", "HEAD"]),
        ("PUT", "/os/notes/5", ["DELETE", "GET", "HEAD", "PATCH"]),
        ("OPTIONS", "/accumulate", ["POST"]),
    ],
)
def test_another_method_on_a_known_path_is_not_allowed(
    method: str, path: str, allow: list[str]
) -> None:
    with pytest.raises(MethodNotAllowed) as refused:
        ROUTES.find(method, path)
    assert refused.value.details["allow"] == allow
    assert refused.value.headers["Allow"] == ", ".join(allow)


@pytest.mark.parametrize(
    "path",
    ["", "/", "/os/notes//", "//os/notes", "/os/notes/5/6", "/os/trash/note", "/os/notes/search/5"],
)
def test_an_unknown_path_is_not_found(path: str) -> None:
    with pytest.raises(NotFound):
        ROUTES.find("GET", path)
