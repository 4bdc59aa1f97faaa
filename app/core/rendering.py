"""Markdown rendered without holding up the event loop: short texts at once, long ones on a thread."""

import asyncio

from app.core import html_edit, markdown

LONGEST_INLINE = 600


async def html(text: str) -> str:
    """Give the HTML of a Markdown text."""
    return markdown.render(text) if len(text) <= LONGEST_INLINE else await asyncio.to_thread(markdown.render, text)


async def edited(source: str, rendered: str, html: str) -> str:
    """Give the Markdown of an edited rendering; lines that the edit did not touch keep their bytes."""
    if len(html) <= LONGEST_INLINE:
        return html_edit.edited(source, rendered, html)
    return await asyncio.to_thread(html_edit.edited, source, rendered, html)
