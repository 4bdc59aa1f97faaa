"""Markdown rendered without holding up the event loop.

Short texts at once, long ones on a thread that lets others work, one at a time.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from app.core.markdown import html_edit, render_parts
from app.core.process.turns import taking_turns

LONGEST_INLINE = 600
Made = TypeVar("Made")


async def render_html(text: str) -> str:
    """Return the HTML of a Markdown text."""
    if len(text) <= LONGEST_INLINE:
        return render_parts.render(text)
    known = render_parts.known_html(text)
    if known is not None:
        return known
    return await beside_loop(len(text), lambda: render_parts.join_html(render_parts.parts_of(text)))


async def apply_edit(source: str, html: str) -> str:
    """Return the Markdown of an edited rendering.

    Lines that the edit did not touch keep their bytes.
    """
    longest = max(len(source), len(html))
    return await beside_loop(longest, lambda: html_edit.apply_html_edit(source, html))


async def beside_loop(length: int, work: Callable[[], Made]) -> Made:
    """Return what work on a text of that length makes: of a short one at once."""
    return work() if length <= LONGEST_INLINE else await asyncio.to_thread(_take_turns, work)


def _take_turns(work: Callable[[], Made]) -> Made:
    with taking_turns():
        return work()
