"""Links by title in an export.

They follow the names that the files of notes got, and come back as they were.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.text import fold
from app.portability.content.literal_text import outside
from app.workspace.index import link_text
from app.workspace.index.link_text import Link
from app.workspace.notes.link_targets import View, names_for

LONGEST = 800
_WIKI = re.compile(r"\[\[([^\[\]\n]{1,800})\]\]")


class FileLinks:
    """What links by title have to say so that other programs find the files.

    Titles whose file has another name, or one of several, matter alone.
    """

    def __init__(
        self, tx: Tx, me: Caller, places: Mapping[int, str], titles: Iterable[tuple[int, str]]
    ) -> None:
        self._view = View(tx, me)
        self._places = places
        self._named = Counter(fold(_stem(place)) for place in places.values())
        self._odd = {name for name, count in self._named.items() if count > 1}
        for note_id, title in titles:
            if fold(link_text.without_ending(title)) != fold(_stem(places[note_id])):
                self._odd |= names_for(title)

    def written(self, text: str) -> tuple[str, dict[str, str]]:
        """Give a text with links that files of the export answer to, and what stood there before
        by what stands there now.
        """
        before: dict[str, str] = {}
        if not self._odd or "[[" not in text:
            return text, before
        parts, end = [], 0
        for link in link_text.links(text):
            new = self._new(text, link) if link.kind == "wiki" else None
            old = text[link.start + 2 : link.end - 2]
            if (
                new is not None
                and new != old
                and len(new) <= LONGEST
                and before.setdefault(new, old) == old
            ):
                parts += [text[end : link.start], "[[", new, "]]"]
                end = link.end
        return "".join([*parts, text[end:]]), before

    def _new(self, text: str, link: Link) -> str | None:
        if not any(reading.name in self._odd for reading in link_text.readings(link)):
            return None
        note = self._view.note(link)
        place = self._places.get(note["id"]) if note is not None else None
        if note is None or place is None:
            return None
        names = names_for(note["title"])
        title, rest = next(
            cut
            for cut in _cuts(link.target)
            if fold(cut[0].rpartition("/")[2].strip()) in names or fold(cut[0].strip()) in names
        )
        path = place.partition("/")[2].removesuffix(link_text.ENDING)
        target = path if self._named[fold(_stem(place))] > 1 else _stem(place)
        if fold(link_text.without_ending(title.strip())) in (fold(target), fold(path)):
            return None
        old = text[link.start + 2 : link.end - 2]
        bar = old.find("|")
        if bar >= 0:
            return f"{target}{rest}{old[bar - (old[bar - 1 : bar] == chr(92)) :]}"
        row = text[text.rfind("\n", 0, link.start) + 1 : link.start].lstrip().startswith("|")
        return f"{target}{rest}{chr(92) * row}|{old}"


def restored(text: str, before: object) -> str:
    """Give a text with its links by title as they were before the export."""
    known = (
        {new: old for new, old in before.items() if isinstance(old, str)}
        if isinstance(before, dict)
        else {}
    )
    return (
        outside(_WIKI, lambda match: f"[[{known[match[1]]}]]" if match[1] in known else None, text)
        if known
        else text
    )


def _stem(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(link_text.ENDING)


def _cuts(target: str) -> Iterable[tuple[str, str]]:
    yield target, ""
    for place in range(len(target) - 1, -1, -1):
        if target[place] == "#":
            yield target[:place], target[place:]
    yield target.partition("#")[0], "".join(target.partition("#")[1:])
