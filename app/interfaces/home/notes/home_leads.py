"""Where what a note names leads in the home of a person."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from app.core.markdown.front_matter import body_start
from app.core.text import fold_name
from app.errors import NotFound
from app.interfaces.home.home_page import Person
from app.interfaces.reading.headings import fragment_of, heading_in, last_heading, section_of
from app.interfaces.reading.leads import Leads, Named
from app.interfaces.reading.reading import read

FILES = "/api/v1/os/attachments/"
MOST_EMBEDDED = 20
LONGEST_EMBEDDED = 20_000
_EMBEDDED = re.compile(
    r"^!\[\[([^\[\]|\n]{1,600})(?:\|[^\[\]\n]{0,200})?\]\][ \t]*\r?$", re.MULTILINE
)


class HomeLeads(Leads):
    """What a person can follow: everything.

    `links` are those of the note, by what stands in `[[…]]`; None where nobody has looked, so that
    each is looked for when it is followed.
    """

    def __init__(self, links: Any = None, embedded: Mapping[str, str] | None = None) -> None:
        self._known = (
            None
            if links is None
            else {link.target: link for link in links.links if link.kind == "wiki"}
        )
        self._tags = set() if links is None else {fold_name(tag) for tag in links.tags}
        self._embedded = embedded or {}

    def note(self, number: int, fragment: str) -> str:
        """Return the address of a note's page."""
        return f"/notes/{number}{fragment}"

    def file(self, number: int) -> str:
        """Return the address of an attachment."""
        return f"{FILES}{number}"

    def named(self, target: str) -> Named:
        """Return where a link leads; one to nothing leads to where that note is begun."""
        link = None if self._known is None else self._known.get(target)
        if link is None or link.note_id is None:
            address = f"/notes/named?to={quote(target, safe='')}"
            return Named(address, heading_in(target), self._known is not None)
        heading = heading_in(target, link.title)
        return Named(self.note(link.note_id, fragment_of(last_heading(heading))), heading)

    def tag(self, tag: str) -> str:
        """Return the address of a search for a tag."""
        return f"/search?q={quote(f'tag:{tag}', safe='')}" if fold_name(tag) in self._tags else ""

    def embedded(self, target: str) -> str:
        """Return the text of a note that stands in another."""
        return self._embedded.get(target, "")


async def leads_of(person: Person, note: Any, text: str, links: Any) -> HomeLeads:
    """Return the leads of a note, with the texts that the part of it which is shown embeds.

    What those embed are links.
    """
    plain = HomeLeads(links)
    ids = {link.target: link.note_id for link in links.links if link.note_id != note.id}
    shown: dict[str, str] = {}
    for found in _EMBEDDED.finditer(text):
        target = found[1].strip()
        if len(shown) < MOST_EMBEDDED and target not in shown and ids.get(target) is not None:
            prefix = f"e{len(shown) + 1}-"
            shown[target] = await _text_of(person, ids[target], plain.named(target).heading, prefix)
    return HomeLeads(links, shown)


async def _text_of(person: Person, number: int, heading: str, prefix: str) -> str:
    """Return the HTML of a note, or of a section of it; empty for one that cannot be shown."""
    try:
        note = await person.call("read_note_text", id=number)
    except NotFound:  # it has gone meanwhile
        return ""
    text = note.markdown[body_start(note.markdown) :]
    if heading:
        text = section_of(text, last_heading(heading))
    if len(text) > LONGEST_EMBEDDED:
        text = text[: max(text.rfind("\n\n", 0, LONGEST_EMBEDDED), 0)] + "\n\n…"
    return (await read(text, HomeLeads(), title=note.title, prefix=prefix)).html
