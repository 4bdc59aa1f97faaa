"""A page of Google Keep's Takeout, read as the JSON that should have been beside it."""

import re
from html.parser import HTMLParser
from typing import Any

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# newer pages put a narrow no-break space before AM and PM
_HEADING = re.compile(
    r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2}):(\d{2})[\s\u202f]*([AP]M)?"
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_TEXTS = ("heading", "title", "content", "text", "label-name")
_DEEPEST = 200


def read(page: str) -> dict[str, Any]:
    """Return what a page shows under the names of the JSON; raise ValueError for a page of another
    program.
    """
    reader = _Page()
    reader.feed(page)
    reader.close()
    found = {name: "".join(parts) for name, parts in reader.found.items()}
    if (
        not reader.is_note
        or not found["heading"].strip()
        or not (found["title"] or found["content"] or reader.items or reader.pictures)
    ):
        raise ValueError("it is not a Keep note")
    items = [("".join(parts), checked) for parts, checked in reader.items]
    return {
        "title": found["title"].strip(),
        "textContent": "" if items else found["content"].strip("\n "),
        "isTrashed": reader.trashed,
        "listContent": [{"text": text.strip(), "isChecked": checked} for text, checked in items],
        "isArchived": reader.archived,
        "isPinned": reader.pinned,
        "color": reader.color,
        "labels": [{"name": "".join(parts).strip()} for parts in reader.labels],
        "attachments": [{"filePath": name, "mimetype": "image/"} for name in reader.pictures],
        "userEditedAsShown": _moment(found["heading"]),
    }


class _Page(HTMLParser):
    """What stands where, by the classes of the elements that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.is_note = self.archived = self.trashed = self.pinned = False
        self.color = ""
        self.found: dict[str, list[str]] = {"heading": [], "title": [], "content": []}
        self.items: list[tuple[list[str], bool]] = []
        self.labels: list[list[str]] = []
        self.pictures: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what opens."""
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        if tag == "br":
            self._add("\n")
        elif (
            tag == "img"
            and given.get("src")
            and not given["src"].startswith(("data:", "http:", "https:"))
        ):
            self.pictures.append(given["src"])
        self._mark(classes)
        # what lies deeper belongs to what is open there
        if tag not in _VOID and len(self._open) < _DEEPEST:
            place = next((name for name in _TEXTS if name in classes), "")
            self._open.append(f"{tag} {place}")

    def handle_endtag(self, tag: str) -> None:
        """Close up to the element that ends."""
        for number in range(len(self._open) - 1, -1, -1):
            if self._open[number].split(" ")[0] == tag:
                del self._open[number:]
                return

    def handle_data(self, data: str) -> None:
        """Add text where it belongs."""
        self._add(data)

    def _mark(self, classes: list[str]) -> None:
        if "note" in classes:
            self.is_note = True
            self.color = next((name for name in classes if name.isupper()), "")
        if "listitem" in classes:
            self.items.append(([], "checked" in classes))
        if "label-name" in classes:
            self.labels.append([])
        self.archived |= "archived" in classes
        self.trashed |= "trashed" in classes
        self.pinned |= "pinned" in classes

    def _add(self, text: str) -> None:
        place = next(
            (one.split(" ")[1] for one in reversed(self._open) if not one.endswith(" ")), ""
        )
        if place in self.found:
            self.found[place].append(text)
        elif place == "text" and self.items:
            self.items[-1][0].append(text)
        elif place == "label-name" and self.labels:
            self.labels[-1].append(text)


def _moment(heading: str) -> str | None:
    """Return the time at the top of a page, as a wall time, where it is written in English."""
    found = _HEADING.search(heading)
    if found is None or found[1].lower() not in _MONTHS:
        return None
    hour = int(found[4]) % 12 + 12 * (found[7] == "PM") if found[7] else int(found[4])
    month = _MONTHS.index(found[1].lower()) + 1
    return f"{found[3]}-{month:02}-{int(found[2]):02}T{hour:02}:{found[5]}:{found[6]}"
