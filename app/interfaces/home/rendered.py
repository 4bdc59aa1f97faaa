"""Markdown as pages show it: the HTML of the API, with the addresses of this home."""

import re

from markupsafe import Markup

from app.core.markdown import convert

_THING = re.compile(r"\[((?:\\.|[^\]\\\n])*)\]\(hearth:(note|todo|folder)/([1-9][0-9]{0,15})\)")
PLACES = {"note": "/notes/", "todo": "/todos/", "folder": "/notes/folder/"}


def html_of(markdown: str, *, leads: bool = True) -> Markup:
    """Return the sanitised HTML of a text; links such as `hearth:note/3` lead to its page, or
    become plain words where the things are not the reader's.
    """
    text = _THING.sub(lambda f: f"[{f[1]}]({PLACES[f[2]]}{f[3]})" if leads else f[1], markdown)
    html = convert.render_marks(text)
    # the renderer's own sanitiser has been over it
    return Markup(convert.render_plain(text) if html is None else html)  # noqa: S704
