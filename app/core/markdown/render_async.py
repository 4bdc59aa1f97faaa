"""Markdown rendered without holding up the event loop.

Short texts at once, long ones on a thread that lets others work, one at a time.
"""

import asyncio

from app.core.markdown import html_edit, render_parts

LONGEST_INLINE = 600


async def html(text: str) -> str:
    """Give the HTML of a Markdown text."""
    if len(text) <= LONGEST_INLINE:
        return render_parts.render(text)
    known = render_parts.known(text)
    return await asyncio.to_thread(_html, text) if known is None else known


async def edited(source: str, html: str) -> str:
    """Give the Markdown of an edited rendering.

    Lines that the edit did not touch keep their bytes.
    """
    if max(len(source), len(html)) <= LONGEST_INLINE:
        return html_edit.edited(source, html)
    return await asyncio.to_thread(html_edit.edited, source, html)


def _html(text: str) -> str:
    return render_parts.html(render_parts.of(text))
