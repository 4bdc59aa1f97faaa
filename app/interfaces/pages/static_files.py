"""The files that pages are made of: stylesheets, scripts and icons, served by Hearth itself.

Their addresses hold the version of them all, so that a script may import the one beside it by its
name, and a browser may keep each for ever. Stylesheets that a page needs together come as one file,
`todos.css+today.css`: nothing is painted before the last of them is there.
"""

import functools
import gzip
import hashlib
from pathlib import Path

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.pages.visit import Visit

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOR_EVER = "public, max-age=31536000, immutable"
AND = "+"
MOST_SHEETS = 5


def routes() -> list[Route]:
    """Give the route of the files."""
    return [Route("/static/{version}/{name}", file)]


async def file(visit: Visit) -> Response:
    """Give a file; whoever asks for it as it is now may keep it for ever."""
    name = visit.path_params["name"]
    names = _names(name)
    if not names:
        raise NotFound("There is nothing at this path.")
    is_current = visit.path_params["version"] == version()
    headers = {"Cache-Control": FOR_EVER if is_current else "no-cache", "Vary": "Accept-Encoding"}
    content, packed = _files()[name] if len(names) == 1 else _as_one(names)
    if "gzip" in visit.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = packed, "gzip"
    return Response(content, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)


def address_of(name: str) -> str:
    """Return the address of a file, which changes whenever one of the files does."""
    if not _names(name):
        raise KeyError(name)
    return f"/static/{version()}/{name}"


def text_of(name: str) -> str:
    """Return the text of a file."""
    return _files()[name][0].decode()


@functools.cache
def version() -> str:
    """Return what names the files as they are now."""
    together = hashlib.sha256()
    for name, (content, _) in sorted(_files().items()):
        together.update(f"{name} {len(content)} ".encode() + content)
    return together.hexdigest()[:12]


def _as_one(names: list[str]) -> tuple[bytes, bytes]:
    content = b"".join(_files()[name][0] for name in names)
    return content, gzip.compress(content, mtime=0)


def _names(name: str) -> list[str]:
    """Return the files that a name stands for: one, or several stylesheets; none for another."""
    names = name.split(AND)
    is_known = all(each in _files() for each in names)
    are_sheets = len(names) <= MOST_SHEETS and all(each.endswith(".css") for each in names)
    return names if is_known and (len(names) == 1 or are_sheets) else []


@functools.cache
def _files() -> dict[str, tuple[bytes, bytes]]:
    """Return every file by its name, as it is and packed by gzip."""
    found = {}
    for path in STATIC.iterdir():
        if path.suffix in MEDIA_TYPES:
            content = path.read_bytes()
            found[path.name] = content, gzip.compress(content, mtime=0)
    return found
