"""Front matter: the fields, in YAML, that many programs keep between two rules above a text.

It belongs to a note's text, so it is kept, searched and edited with it; but whoever shows or quotes
what a note says begins behind it.
"""

import re

LARGEST = 64 << 10
"""The characters of a front matter; what is longer is text."""
_BLOCK = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([^\s:#\-][^:\n]{0,99}):(?:[ \t]+(.*))?\Z")
_GOES_ON = re.compile(r"[ \t#]|- |-\Z|\Z")


def find_block(text: str) -> re.Match[str] | None:
    """Find what looks like front matter at the top of a text, its lines as the first group."""
    return _BLOCK.match(text, 0, LARGEST) if text.startswith(("---", "\ufeff---")) else None


def body_start(text: str) -> int:
    """Return where the text below the front matter begins; 0 where there is none.

    Between two rules there may be sentences, too: fields begin with a name and a colon, and each
    of their lines is a field or goes on from one.
    """
    found = find_block(text)
    if found is None:
        return 0
    lines = found[1].splitlines()
    are_fields = any(_FIELD.match(line) for line in lines) and all(
        _FIELD.match(line) or _GOES_ON.match(line) for line in lines
    )
    return found.end() if are_fields else 0


def read_fields(text: str) -> list[tuple[str, str]]:
    """Return the fields above a text as people read them: names, and values in one line each."""
    start, fields = body_start(text), list[tuple[str, list[str]]]()
    found = find_block(text[:start])
    for line in found[1].splitlines() if found else ():
        field = _FIELD.match(line)
        if field:
            fields.append((field[1].strip(), [field[2] or ""]))
        elif fields:
            fields[-1][1].append(line.strip().removeprefix("- "))
    return [(name, _in_one_line(values)) for name, values in fields]


def _in_one_line(values: list[str]) -> str:
    """Return a value without the marks of YAML around its words: items with commas between them,
    the lines of a longer text with spaces.
    """
    first, *rest = values
    if first.startswith(("|", ">")):
        return " ".join(filter(None, rest))
    if first.startswith("[") and first.endswith("]"):
        first, rest = "", first[1:-1].split(",")
    return ", ".join(filter(None, (one.strip(" \t\"'") for one in (first, *rest))))
