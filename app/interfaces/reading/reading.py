"""A note's Markdown as its reader sees it: the one way from a text to a page."""

from app.core.markdown import render_async
from app.core.markdown.hidden_text import without_hidden
from app.interfaces.reading.footnotes import split_footnotes
from app.interfaces.reading.leads import Leads
from app.interfaces.reading.reading_html import Reading, reading_html


async def read(
    markdown: str,
    leads: Leads,
    *,
    title: str = "",
    prefix: str = "",
    first_line: int = 0,
    may_tick: bool = False,
) -> Reading:
    """Return a text below its front matter as a page shows it to whoever has these leads.

    A first heading that says the title once more is left out. Boxes that may be ticked know their
    line, counted from `first_line`; `prefix` begins each id.
    """
    text, said = await render_async.beside_loop(
        len(markdown), lambda: split_footnotes(without_hidden(markdown))
    )
    shown = {
        name: reading_html(await render_async.render_html(one), leads, prefix=f"{prefix}{n}-").html
        for n, (name, one) in enumerate(said.items(), 1)
    }
    html = await render_async.render_html(text)
    return await render_async.beside_loop(
        len(html),
        lambda: reading_html(
            html,
            leads,
            title=title,
            footnotes=shown,
            prefix=prefix,
            first_line=first_line,
            may_tick=may_tick,
        ),
    )
