"""Markdown rendered without holding up the event loop.

Short texts at once, long ones on a thread that lets others work, one at a time.
"""

import asyncio

from app.core.markdown import html_edit, render_parts
from app.core.process.turns import taking_turns

LONGEST_INLINE = 600


async def render_html(text: str) -> str:
    """Return the HTML of a Markdown text."""
    if len(text) <= LONGEST_INLINE:
        return render_parts.render(text)
    known = render_parts.known_html(text)
    return await asyncio.to_thread(_render, text) if known is None else known


async def apply_edit(source: str, html: str) -> str:
    """Return the Markdown of an edited rendering.

    Lines that the edit did not touch keep their bytes.
    """
    if max(len(source), len(html)) <= LONGEST_INLINE:
        return html_edit.apply_html_edit(source, html)
    return await asyncio.to_thread(_apply, source, html)


def _render(text: str) -> str:
    with taking_turns():
        return render_parts.join_html(render_parts.parts_of(text))


def _apply(source: str, html: str) -> str:
    with taking_turns():
        return html_edit.apply_html_edit(source, html)
