"""How a text begins, as one line of plain words."""

import re

from app.core.markdown.front_matter import body_start

_MARKS = re.compile(
    r"^(?:[ \t]*(?:#{1,6}(?=\s)|>|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)))+"
    r"|^\s*(?:```.*|[-=|: ]{3,})$",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_WIKI = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]")
_INLINE = re.compile(
    r"\*{1,3}|~~|`+|==|(?<!\w)__?(?=[^\W_])|(?<=[^\W_])__?(?!\w)|\\(?=[!-/:-@\[-`{-~])"
)


def excerpt(markdown: str, most: int = 130, *, title: str = "") -> str:
    """Return the first words of a text without its marks, and without the title above it."""
    text = _MARKS.sub("", markdown[(at := body_start(markdown)) : at + most * 4])
    text = _INLINE.sub("", _LINK.sub(r"\1", _WIKI.sub(r"\1", text)))
    first, _, rest = text.lstrip().partition("\n")
    if first.strip().casefold() == title.strip().casefold():
        text = rest
    words = " ".join(text.replace("|", " ").split())
    if len(words) <= most:
        return words
    return words[:most].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
