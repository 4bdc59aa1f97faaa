"""Markdown rendered without holding up the event loop: short texts at once, long ones on a thread."""

import asyncio

from app.core import markdown

LONGEST_INLINE = 600


async def html(text: str) -> str:
    """Give the HTML of a Markdown text."""
    return markdown.render(text) if len(text) <= LONGEST_INLINE else await asyncio.to_thread(markdown.render, text)


async def from_html(text: str) -> str:
    """Give the Markdown of an HTML text."""
    return markdown.to_markdown(text) if len(text) <= LONGEST_INLINE else await asyncio.to_thread(markdown.to_markdown, text)
