"""The marks within a line that the Markdown of the API leaves as text, and readers of notes know.

Those of Obsidian and its like: `[[links]]`, `==highlights==`, `_stress_`, `#tags`, footnotes; and
bare addresses.
"""

import re
from html import escape, unescape

from app.interfaces.reading.footnotes import Numbered
from app.interfaces.reading.headings import Anchors, last_heading
from app.interfaces.reading.leads import Leads

_MARKED = re.compile(
    r"""!?\[\[(?P<wiki>[^\[\]\n]{1,600})\]\]|\bhttps?://(?:[^\s<>"'&]|&amp;){1,2000}"""
    r"|(?<![\w\\])(?P<bars>__?)(?P<stressed>[^\s_](?:[^_\n]{0,500}[^\s_])?)(?P=bars)(?!\w)"
    r"|(?<![\w=])==(?P<lit>[^\s=](?:[^=\n]{0,500}[^\s=])?)==(?![\w=])"
    r"|\[\^(?P<foot>[^\[\]\s]{1,60})\]"
    r"|(?<![^\s(,;])#(?P<tag>\w[\w/-]{0,63})(?![\w/-])"
)
PATH = " › "
"""Between a note and its heading, as people read it."""


class TextMarks:
    """What makes HTML of the marks in a text, for one page and reader."""

    def __init__(self, leads: Leads, anchors: Anchors, footnotes: Numbered) -> None:
        self._leads = leads
        self._anchors = anchors
        self._footnotes = footnotes

    def html(self, text: str, *, tags: bool) -> str:
        """Return the HTML of a text between two tags; without `tags` a hash in it is one."""
        return _MARKED.sub(
            lambda found: found[0] if found["tag"] and not tags else self._marked(found), text
        )

    def _marked(self, match: re.Match[str]) -> str:
        if match["wiki"] is not None:
            return self.link(match["wiki"])
        if match["stressed"] is not None:
            tag = "em" if match["bars"] == "_" else "strong"
            return f"<{tag}>{self.html(match['stressed'], tags=False)}</{tag}>"
        if match["lit"] is not None:
            return f"<mark>{self.html(match['lit'], tags=False)}</mark>"
        if match["foot"] is not None:
            return self._footnotes.mark(unescape(match["foot"])) or match[0]
        if match["tag"] is not None:
            address = self._leads.tag(match["tag"])
            return f'<a class="hash" href="{address}">{match[0]}</a>' if address else match[0]
        # Marks at the end belong to the sentence that the address stands in.
        address = match[0].rstrip(".,;:!?)]*~")
        rest = match[0][len(address) :]
        return f'<a href="{address}" rel="noreferrer" target="_blank">{address}</a>{rest}'

    def link(self, written: str) -> str:
        """Return the HTML of what stands in `[[…]]`."""
        inner = unescape(written)
        target, bar, shown = inner.partition("|")
        target = target.strip()
        if target.startswith("#"):
            shown = shown.strip() if bar else _path("", target[1:])
            id_ = self._anchors.find(last_heading(target))
            address, kind = f"#{id_}" if id_ else "", "wiki"
        else:
            lead = self._leads.named(target)
            name = target[: len(target) - len(lead.heading)].rstrip("# ")
            shown = shown.strip() if bar else _path(name, lead.heading)
            address, kind = lead.address, "wiki missing" if lead.missing else "wiki"
        shown = escape(shown or inner)
        if not address:
            return f'<span class="{kind}">{shown}</span>'
        return f'<a class="{kind}" href="{escape(address)}">{shown}</a>'


def _path(name: str, headings: str) -> str:
    """Return a note and its headings as people read them; names of blocks say nothing."""
    parts = [name.rpartition("/")[2] or name, *headings.split("#")]
    return PATH.join(part.strip() for part in parts if part.strip() and part.strip()[0] != "^")
