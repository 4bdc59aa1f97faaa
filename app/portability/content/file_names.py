"""Names of files and folders that every system takes.

Windows, macOS and Linux; no two that any of them takes for the same.

Marks that no link by title can hold, # ^ [ ], are left out too.
"""

import re
import unicodedata
from urllib.parse import quote

LONGEST = 80
LONGEST_BYTES = 200
# Besides what Windows refuses: marks of direction, a BOM and private use, which nobody can see.
_REFUSED = re.compile(
    r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ue000-\uf8ff]'
)
# Windows takes CON.txt and "com¹" for devices, with any ending.
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?:\s*\.|\s*$)", 2
)


def safe_name(name: str, ending: str = "") -> str:
    """Return the file name that comes closest to a name.

    `ending` is added unless the name has it already.
    """
    text = _REFUSED.sub("_", unicodedata.normalize("NFC", name))
    if ending and text.lower().endswith(ending):
        text, ending = text[: -len(ending)], text[-len(ending) :]
    text = _cut(text.strip(" "), LONGEST_BYTES).rstrip(". ")  # Windows drops both at the end
    if not text or text.startswith((".", "~")):
        text = f"_{text.lstrip('.~')}"  # hidden on Unix, or a temporary file of an editor
    if _RESERVED.match(text):
        text = f"_{text}"
    return text + ending


class UniqueNames:
    """The names in one folder; `free` gives each only once, also where systems ignore case."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """Of each name that is allowed, the highest number that one like it has."""

    def free(self, name: str, ending: str = "") -> str:
        """Return the safe name for a name, with a number where it is taken."""
        found = safe_name(name, ending)
        key = _comparison_key(found)
        stem, dot, end = (
            found.rpartition(".") if ending and found.lower().endswith(ending) else (found, "", "")
        )
        # Goes on from the last number of that name: counting from 1 is quadratic for equal titles.
        number = self._numbers.get(key, 1)
        while _comparison_key(found) in self._numbers:
            number += 1
            found = f"{stem} ({number}){dot}{end}"
        self._numbers[key] = number
        self._numbers.setdefault(_comparison_key(found), 1)
        return found


def relative_link(start: str, target: str) -> str:
    """Return the link that leads from one file of a tree to another, both paths with slashes."""
    here, there = start.split("/")[:-1], target.split("/")
    same = 0
    while same < len(here) and same < len(there) - 1 and here[same] == there[same]:
        same += 1
    return quote("/".join([*[".."] * (len(here) - same), *there[same:]]), safe="/!*+,;=@~")


def _comparison_key(name: str) -> str:
    # Case folding may bring up what decomposes again, so Unicode's caseless match does both twice.
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold()).casefold()


def _cut(text: str, most_bytes: int) -> str:
    text = text[:LONGEST]
    encoded = text.encode()
    return text if len(encoded) <= most_bytes else encoded[:most_bytes].decode("utf-8", "ignore")
