"""How a text begins, as one line of plain words."""

from app.core.markdown.front_matter import body_start
from app.core.markdown.plain_words import without_signs


def excerpt(markdown: str, most: int = 130, *, title: str = "") -> str:
    """Return the first words of a text without its marks, and without the title above it."""
    text = without_signs(markdown[(at := body_start(markdown)) : at + most * 4])
    first, _, rest = text.lstrip().partition("\n")
    if first.strip().casefold() == title.strip().casefold():
        text = rest
    words = " ".join(text.split())
    if len(words) <= most:
        return words
    return words[:most].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
