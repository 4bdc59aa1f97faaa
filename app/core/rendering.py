"""Rendered Markdown, remembered: the same text is rendered once, and long texts off the event loop."""

import asyncio
from collections import OrderedDict

from app.core import markdown

MOST_CHARACTERS = 8_000_000
LONGEST_REMEMBERED = 64_000
LONGEST_INLINE = 4_000


class Renderings:
    """The last rendered texts, up to some eight million characters of Markdown and HTML together."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._held: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    async def html(self, text: str) -> str:
        """Give the HTML of a Markdown text."""
        found = self._held.get(text)
        if found is not None:
            self._held.move_to_end(text)
            return found
        made = markdown.render(text) if len(text) <= LONGEST_INLINE else await asyncio.to_thread(markdown.render, text)
        if len(text) <= LONGEST_REMEMBERED and text not in self._held:
            self._remember(text, made)
        return made

    def _remember(self, text: str, made: str) -> None:
        self._held[text] = made
        self._size += len(text) + len(made)
        while self._size > self._most:
            old_text, old_made = self._held.popitem(last=False)
            self._size -= len(old_text) + len(old_made)


_shared = Renderings()


async def html(text: str) -> str:
    """Give the HTML of a Markdown text, from memory where it can be."""
    return await _shared.html(text)
