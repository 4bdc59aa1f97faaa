"""An edited text with the empty lines of the text before, for HTML that says nothing of them."""

import re
from collections.abc import Callable, Sequence

from app.core.markdown import blocks, line_edit
from app.core.process.turns import give_turn

_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL | re.IGNORECASE)

Line = tuple[str, str]
"""The text of a line and what ends it."""
Rewrite = Callable[[list[str], list[str], list[str], list[str], range, range], list[str]]


def has_lines(html: str) -> bool:
    """Return whether HTML has line ends between its blocks; many editors write none."""
    return "\n" in (_PRE.sub("", html) if "<pre" in html.lower() else html)


class Layout:
    """The lines of a text that show something, with the empty ones above each."""

    def __init__(self, text: str, rendered: str) -> None:
        lines, ends = line_edit.split_lines(text)
        self.source: list[str] = []
        self.shown: list[str] = []
        self.ends: list[str] = []
        self.above: list[list[Line]] = []
        self.usual = ends[0] or "\n"
        code, at, place = blocks.code_blocks(text), 0, 0
        gap: list[Line] = []
        for line, end, shown in zip(lines, ends, rendered.split("\n"), strict=True):
            while at < len(code) and code[at][1] < place:
                at += 1
            in_code = at < len(code) and code[at][0] <= place
            if shown or in_code or line.strip(" \t>"):
                self.source.append(line)
                self.shown.append(shown)
                self.ends.append(end)
                self.above.append(gap)
                gap = []
            else:
                gap.append((line, end))
            place += len(line) + len(end)
            give_turn()
        self.below = gap


def keep_layout(old: Layout, new: Layout, rewrite: Rewrite, *, closely: bool) -> str:
    """Return a new text with the lines of the old one that show the same, and its empty ones.

    Also above changed lines, `closely` even where the new text has more of them.
    """
    out: list[Line] = []
    resized = False  # lines came or went right above
    for same, was, now in line_edit.line_changes(old.shown, new.shown):
        paired = len(was) == len(now)
        fresh = (
            old.source[was.start : was.stop]
            if same
            else rewrite(old.source, old.shown, new.source, new.shown, was, now)
        )
        for number, line in enumerate(fresh):
            kept = old.above[was[number]] if paired else []
            wider = resized or not (same or (paired and closely))
            out += _longer(kept, new.above[now[number]]) if wider else kept
            out.append((line, old.ends[was[number]] if paired else ""))
            resized = False
            give_turn()
        resized = resized or not paired
    stays = not set(old.shown).isdisjoint(new.shown)
    return "".join(_joined([*out, *(old.below if stays else new.below)], old.usual))


def _longer(one: list[Line], other: list[Line]) -> list[Line]:
    return one if len(one) >= len(other) else [(line, "") for line, _ in other]


def _joined(lines: Sequence[Line], usual: str) -> list[str]:
    return [line + (end or usual) for line, end in lines[:-1]] + [line for line, _ in lines[-1:]]
