"""The files that pages are made of: the stylesheet and the icon, served by Hearth itself."""

import functools
import hashlib
from pathlib import Path

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.pages.visit import Visit

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"


def routes() -> list[Route]:
    """Give the route of the files."""
    return [Route("/static/{name}", file)]


async def file(visit: Visit) -> Response:
    """Give a file; whoever asks for it as it is now may keep it for ever."""
    name = visit.path_params["name"]
    if name not in _names():
        raise NotFound("There is nothing at this path.")
    content, version = _read(name)
    asked_as_is = visit.query_params.get("v") == version
    return Response(
        content,
        media_type=MEDIA_TYPES[Path(name).suffix],
        headers={"Cache-Control": FOR_EVER if asked_as_is else "no-cache"},
    )


def address_of(name: str) -> str:
    """Return the address of a file, which changes whenever the file does."""
    return f"/static/{name}?v={_read(name)[1]}"


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(path.name for path in STATIC.iterdir() if path.suffix in MEDIA_TYPES)


@functools.cache
def _read(name: str) -> tuple[bytes, str]:
    content = (STATIC / name).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]
