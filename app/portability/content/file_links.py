"""Links by title in an export.

They follow the names that the files of notes got, and come back as they were.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.text import fold_name
from app.portability.content.literal_text import replace_outside
from app.workspace.index import link_text
from app.workspace.index.link_text import Link
from app.workspace.notes.link_targets import LinkResolver, link_names

LONGEST = 800
_WIKI = re.compile(r"\[\[([^\[\]\n]{1,800})\]\]")


class FileLinks:
    """What links by title have to say so that other programs find the files.

    Only titles matter whose file has another name, or a name that several files have.
    """

    def __init__(
        self, tx: Tx, me: Caller, places: Mapping[int, str], titles: Iterable[tuple[int, str]]
    ) -> None:
        self._view = LinkResolver(tx, me)
        self._places = places
        self._named = Counter(fold_name(_file_stem(place)) for place in places.values())
        self._odd = {name for name, count in self._named.items() if count > 1}
        for note_id, title in titles:
            if fold_name(link_text.without_md_ending(title)) != fold_name(
                _file_stem(places[note_id])
            ):
                self._odd |= link_names(title)

    def rewrite_links(self, text: str) -> tuple[str, dict[str, str]]:
        """Return a text whose links find the files of the export, and for each new text the old."""
        before: dict[str, str] = {}
        if not self._odd or "[[" not in text:
            return text, before
        parts, end = [], 0
        for link in link_text.find_links(text):
            new = self._new(text, link) if link.kind == "wiki" else None
            old = text[link.start + 2 : link.end - 2]
            if (
                new is not None
                and new != old
                and len(new) <= LONGEST
                # Two old texts for the same new one could not be told apart on the way back.
                and before.setdefault(new, old) == old
            ):
                parts += [text[end : link.start], "[[", new, "]]"]
                end = link.end
        return "".join([*parts, text[end:]]), before

    def _new(self, text: str, link: Link) -> str | None:
        if not any(reading.name in self._odd for reading in link_text.link_readings(link)):
            return None
        note = self._view.find_note(link)
        place = self._places.get(note["id"]) if note is not None else None
        if note is None or place is None:
            return None
        names = link_names(note["title"])
        # A title may hold # itself, so the cut is the one whose left side is the note's name.
        cuts = (
            cut
            for cut in _split_target(link.target)
            if fold_name(cut[0].rpartition("/")[2].strip()) in names
            or fold_name(cut[0].strip()) in names
        )
        title, rest = next(cuts, ("", ""))
        if not title:  # an alias goes along in the front matter
            return None
        path = place.partition("/")[2].removesuffix(link_text.ENDING)
        target = path if self._named[fold_name(_file_stem(place))] > 1 else _file_stem(place)
        if fold_name(link_text.without_md_ending(title.strip())) in (
            fold_name(target),
            fold_name(path),
        ):
            return None
        old = text[link.start + 2 : link.end - 2]
        bar = old.find("|")
        if bar >= 0:
            # In a table the bar stands behind a backslash, which belongs to it.
            return f"{target}{rest}{old[bar - (old[bar - 1 : bar] == chr(92)) :]}"
        # A new alias keeps the old words in sight; in a table its bar needs a backslash.
        row = text[text.rfind("\n", 0, link.start) + 1 : link.start].lstrip().startswith("|")
        return f"{target}{rest}{chr(92) * row}|{old}"


def restore_links(text: str, before: object) -> str:
    """Return a text with its links by title as they were before the export."""
    known = (
        {new: old for new, old in before.items() if isinstance(old, str)}
        if isinstance(before, dict)
        else {}
    )
    return (
        replace_outside(
            _WIKI, lambda match: f"[[{known[match[1]]}]]" if match[1] in known else None, text
        )
        if known
        else text
    )


def _file_stem(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(link_text.ENDING)


def _split_target(target: str) -> Iterable[tuple[str, str]]:
    yield target, ""
    for place in range(len(target) - 1, -1, -1):
        if target[place] == "#":
            yield target[:place], target[place:]
    yield target.partition("#")[0], "".join(target.partition("#")[1:])
