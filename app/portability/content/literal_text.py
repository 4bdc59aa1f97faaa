"""What of a Markdown text stands for itself, code and maths: nothing in it is ever rewritten."""

import bisect
import re
from collections.abc import Callable, Sequence

from app.core.markdown.blocks import Span, code_spans

_MATHS = re.compile(
    r"\$\$.+?\$\$|(?<!\\)\$(?![\s$])(?:\\.|[^$\n\\])+(?<![\s\\])\$(?!\d)", re.DOTALL
)


def replace_outside(
    pattern: re.Pattern[str],
    put: Callable[[re.Match[str]], str | None],
    text: str,
    *,
    maths: bool = False,
) -> str:
    """Return a text with what `put` gives for each match that does not stand in code, or in maths.

    None leaves a match as it is.
    """
    spans: list[Span] | None = None

    def replaced(match: re.Match[str]) -> str:
        nonlocal spans
        if spans is None:  # only with a first match: finding code costs more than the pattern
            spans = literal_spans(text) if maths else code_spans(text)
        found = None if lies_inside(spans, match.start()) else put(match)
        return match[0] if found is None else found

    return pattern.sub(replaced, text)


def literal_spans(text: str) -> list[Span]:
    """Return what stands in code, fenced, in backticks or indented, and in maths, in order."""
    code = code_spans(text)
    if "$" not in text:
        return code
    return sorted([*code, *(match.span() for match in _MATHS.finditer(_blank_spans(text, code)))])


def lies_inside(spans: Sequence[Span], place: int) -> bool:
    """Return whether a place lies in one of some spans that are in order of their beginnings."""
    last = bisect.bisect_right(spans, place, key=lambda span: span[0])
    # maths may lie around code
    return any(place < end for _, end in spans[max(0, last - 2) : last])


def _blank_spans(text: str, spans: Sequence[Span]) -> str:
    """Return a text of the same length with ends of lines for what stands in spans."""
    # Ends of lines, because no inline maths goes over one.
    parts, place = [], 0
    for start, end in spans:
        if start >= place:
            parts += [text[place:start], "\n" * (end - start)]
            place = end
    return "".join([*parts, text[place:]])
