"""Markdown as pages show it: the HTML of the API, with the addresses of this home."""

import re

from markupsafe import Markup

from app.core.markdown import convert

_THING = re.compile(r"\]\(hearth:(note|todo|folder)/([1-9][0-9]{0,15})\)")
_MARKS = re.compile(
    r"\[([^\[\]]*)\]\([^()]*\)|^[ \t]*(?:[-*+>]|#{1,6}|\d+\.)[ \t]+|[*_`~]{1,3}", re.M
)
PLACES = {"note": "/notes/", "todo": "/todos/", "folder": "/notes/folder/"}


def html_of(markdown: str) -> Markup:
    """Return the sanitised HTML of a text; links such as `hearth:note/3` lead to its page."""
    text = _THING.sub(lambda found: f"]({PLACES[found[1]]}{found[2]})", markdown)
    html = convert.render_marks(text)
    # the renderer's own sanitiser has been over it
    return Markup(convert.render_plain(text) if html is None else html)  # noqa: S704


def excerpt(markdown: str, most: int = 200) -> str:
    """Return the beginning of a text without its marks, in one line."""
    plain = _MARKS.sub(lambda found: found[1] or "", markdown[: most * 2])
    return " ".join(plain.split())[:most]
