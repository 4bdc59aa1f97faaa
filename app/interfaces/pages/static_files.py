"""The files that pages are made of: stylesheets, scripts and icons, served by Hearth itself.

Their addresses hold the version of them all, so that a script may import the one beside it by its
name, and a browser may keep each for ever. Stylesheets that a page needs together come as one file,
`todos.css+today.css`: nothing is painted before the last of them is there. So do the words that the
scripts of a page say, `words-de-shell+todos.js`; within each page they would be sent every time.
"""

import functools
import gzip
import hashlib
import json
import re
from pathlib import Path

from starlette.responses import Response
from starlette.routing import Route

from app.errors import NotFound
from app.interfaces.languages.words import languages, words_of
from app.interfaces.pages.visit import Visit

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOR_EVER = "public, max-age=31536000, immutable"
AND = "+"
MOST_TOGETHER = 5
WORDS = re.compile(r"words-([a-z]+)-([a-z_+]+)\.js")


def routes() -> list[Route]:
    """Give the route of the files."""
    return [Route("/static/{version}/{name}", file)]


async def file(visit: Visit) -> Response:
    """Give a file; whoever asks for it as it is now may keep it for ever."""
    name = visit.path_params["name"]
    found = _found(name)
    if found is None:
        raise NotFound("There is nothing at this path.")
    content, packed = found
    is_current = visit.path_params["version"] == version()
    headers = {"Cache-Control": FOR_EVER if is_current else "no-cache", "Vary": "Accept-Encoding"}
    if "gzip" in visit.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = packed, "gzip"
    return Response(content, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)


def address_of(name: str) -> str:
    """Return the address of a file, which changes whenever one of the files does."""
    if _found(name) is None:
        raise KeyError(name)
    return f"/static/{version()}/{name}"


def address_of_words(language: str, *parts: str) -> str:
    """Return the address of what the scripts of these parts say."""
    return address_of(f"words-{language}-{AND.join(dict.fromkeys(parts))}.js")


def text_of(name: str) -> str:
    """Return the text of a file."""
    return _files()[name][0].decode()


@functools.cache
def version() -> str:
    """Return what names the files as they are now."""
    together = hashlib.sha256()
    for name, (content, _) in sorted(_files().items()):
        together.update(f"{name} {len(content)} ".encode() + content)
    for language in languages():
        together.update(json.dumps(words_of(language).of_scripts()).encode())
    return together.hexdigest()[:12]


@functools.lru_cache(maxsize=200)
def _found(name: str) -> tuple[bytes, bytes] | None:
    """Return what a name stands for, as it is and packed: a file, several stylesheets as one, or
    words; None for another.
    """
    if name in _files():
        return _files()[name]
    if found := WORDS.fullmatch(name):
        content = _words(found[1], found[2].split(AND))
    else:
        names = name.split(AND)
        are_sheets = all(each.endswith(".css") and each in _files() for each in names)
        is_short = len(names) <= MOST_TOGETHER
        content = b"".join(_files()[each][0] for each in names) if are_sheets and is_short else b""
    return (content, gzip.compress(content, mtime=0)) if content else None


def _words(language: str, parts: list[str]) -> bytes:
    """Return the module that brings the words of these parts; empty where there are none."""
    if language not in languages() or len(parts) > MOST_TOGETHER:
        return b""
    words = words_of(language)
    if not all(words.of_scripts(part) for part in parts):
        return b""
    said = json.dumps(words.of_scripts(*parts), ensure_ascii=False, separators=(",", ":"))
    return f'import {{ learn }} from "./words.js";\nlearn({said});\n'.encode()


@functools.cache
def _files() -> dict[str, tuple[bytes, bytes]]:
    """Return every file by its name, as it is and packed by gzip."""
    found = {}
    for path in STATIC.iterdir():
        if path.suffix in MEDIA_TYPES:
            content = path.read_bytes()
            found[path.name] = content, gzip.compress(content, mtime=0)
    return found
