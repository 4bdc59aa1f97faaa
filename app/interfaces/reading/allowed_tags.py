"""The few tags of HTML that a note's text may hold: those that change but how words look.

The renderer gives all markup as text. Here what is exactly one of these tags becomes it again,
outside of code and without attributes, and the sanitiser has the last word: it closes what is
open, so that nothing reaches beyond the text.
"""

import re
from collections import Counter
from functools import cache

import nh3

from app.core.markdown.to_html.html_tags import TAGS
from app.core.markdown.to_html.to_html import ATTRIBUTES, VALUES

MOST = 2_000
SPLIT_TAGS = re.compile(r'(<(?:[^"<>]++|"[^"]*+")*+>)')
PAIRED = frozenset("kbd u sub sup mark".split())
FOLDED = frozenset({"details", "summary"})
_WRITTEN = re.compile(r"&lt;(?:br ?/?|(/?)(kbd|u|sub|sup|mark|details|summary))&gt;", re.IGNORECASE)
_WITHIN_BLOCK = re.compile(r"</?(?:em|strong|del|a|code|br|input|span)\b")
_NO_BREAK = re.compile(r"(</?details>|</summary>)<br>")


def allow_tags(html: str) -> str:
    """Return the HTML of a text with the tags that stand in it as text and are allowed.

    Those of words count where they are closed in the same block; too many stay text.
    """
    written = Counter((found[2] or "br").lower() + (found[1] or "") for found in _each(html))
    if not 0 < written.total() <= MOST:
        return html
    folds = {name for name in FOLDED if written[name] == written[f"{name}/"]}
    pieces = SPLIT_TAGS.split(html)
    run: list[int] = []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            run.append(at)
        elif not _WITHIN_BLOCK.match(piece):
            _allow(pieces, run, folds)
            run = []
    _allow(pieces, run, folds)
    allowed = _NO_BREAK.sub(r"\1", "".join(pieces))
    clean = _cleaner().clean(allowed).replace("<p></p>", "")
    # boxes know their lines by them
    return clean if clean.count("\n") == html.count("\n") else html


def _each(html: str) -> list[re.Match[str]]:
    return list(_WRITTEN.finditer(html)) if "&lt;" in html else []


def _allow(pieces: list[str], run: list[int], folds: set[str]) -> None:
    """Turn what is allowed in the texts of one block into tags; code is text."""
    texts = [at for at in run if not (at and pieces[at - 1].startswith(("<code", "<pre", "<span")))]
    balance = Counter[str]()
    broken: set[str] = set()
    for at in texts:
        for found in _each(pieces[at]):
            name = (found[2] or "br").lower()
            balance[name] += -1 if found[1] else 1
            if balance[name] < 0:
                broken.add(name)
    pairs = {name for name in PAIRED if not balance[name] and name not in broken}
    allowed = {"br", *pairs, *folds}

    def tag(found: re.Match[str]) -> str:
        name = (found[2] or "br").lower()
        return f"<{found[1] or ''}{name}>" if name in allowed else found[0]

    for at in texts:
        pieces[at] = _WRITTEN.sub(tag, pieces[at])


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags={*TAGS, *PAIRED, *FOLDED},
        attributes=ATTRIBUTES,
        tag_attribute_values=VALUES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
