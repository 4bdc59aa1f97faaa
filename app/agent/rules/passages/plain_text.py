"""What a text of a note says, without the marks that only its page shows as something else."""

import re

from app.agent.rules.passages import tables

_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|!\[\[[^\]\n]*\]\]")
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?(?P<name>[^\[\]\n]+)\]\]")


def plain(text: str) -> str:
    """Return a text on one line without its pictures, links to notes as the names that they show,
    and a row of a table as its cells.
    """
    text = _LINK.sub(_shown, _PICTURE.sub(" ", text))
    row = text.strip()
    if row.startswith("|"):
        text = ", ".join(filter(None, tables.cells(row)))
    return " ".join(text.split())


def _shown(link: re.Match[str]) -> str:
    """Return the words that a link shows: after a bar they are said, else it names its note."""
    name = link["name"]
    return name if "|" in link[0] else name.partition("#")[0].rpartition("/")[2] or name
