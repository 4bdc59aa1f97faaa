"""An edited rendering back to Markdown: source lines that the edit did not touch keep their bytes."""

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from html import unescape

from app.core import markdown
from app.core.regex import regex

MOST_COMPARED = 250_000  # pairs of lines that difflib looks at; beyond, all between the first and the last change is one change
_TAG = regex(r"<[^>]*>")
_DESTINATION = regex(r"\]\([^)]*\)")
_BULLET = regex(r"^([ \t]*)([-+*])(?=[ \t]|$)")
_LINE_END = regex(r"(\r\n?|\n)")

Rewrite = Callable[[range, range], list[str] | None]


def edited(source: str, rendered: str, html: str) -> str:
    """Return the Markdown of `html`, an edit of `rendered`, which is the HTML of `source`.

    What it renders to decides: a text made of old and new lines is taken only if it shows exactly what the whole, read back, would.
    """
    old, ends = _parted(source)
    before, after = rendered.split("\n"), markdown.clean_lines(html).split("\n")
    if len(before) != len(old):
        return markdown.to_markdown(html)
    text = _joined(old, ends, before, after, lambda was, now: _retouched(old, before, after, was, now))
    if text is not None and markdown.render(text) == "\n".join(after):
        return text
    whole = markdown.to_markdown(html)
    wanted = markdown.render(whole)
    shown, lines = wanted.split("\n"), whole.split("\n")
    for rewrite in (
        lambda was, now: _retouched(old, before, shown, was, now) or _with_bullet(old, was, [lines[at] for at in now]),
        lambda was, now: _with_bullet(old, was, [lines[at] for at in now]),
        lambda was, now: [lines[at] for at in now],
    ):
        text = _joined(old, ends, before, shown, rewrite) if len(lines) == len(shown) else None
        if text is not None and markdown.render(text) == wanted:
            return text
    return whole


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Give the lines of a text and what ends each; the last is ended by nothing."""
    parts = _LINE_END.split(text)
    return parts[::2], [*parts[1::2], ""]


def _joined(old: list[str], ends: list[str], before: list[str], after: list[str], rewrite: Rewrite) -> str | None:
    """Put together the untouched lines and the rewritten ones; None where some cannot be rewritten."""
    usual = ends[0] or "\n"
    parts: list[str] = []
    for same, was, now in _changes(before, after):
        fresh = [old[at] for at in was] if same else rewrite(was, now)
        if fresh is None:
            return None
        kept = [ends[at] or usual for at in was][: len(fresh)]
        for line, end in zip(fresh, kept + [usual] * (len(fresh) - len(kept)), strict=True):
            parts += (line, end)
    return "".join(parts[:-1])


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[bool, range, range]]:
    """Give the stretches of lines, in order, and whether they are the same in both."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    was, now = range(head, len(before) - tail), range(head, len(after) - tail)
    yield True, range(head), range(head)
    if len(was) * len(now) > MOST_COMPARED:
        yield len(was) == 0 == len(now), was, now
    else:
        matcher = SequenceMatcher(None, before[head : was.stop], after[head : now.stop], autojunk=False)
        for kind, a, b, c, d in matcher.get_opcodes():
            yield kind == "equal", range(head + a, head + b), range(head + c, head + d)
    yield True, range(was.stop, len(before)), range(now.stop, len(after))


def _retouched(old: list[str], before: list[str], after: list[str], was: range, now: range) -> list[str] | None:
    """Carry what changed within lines over to their source; None where lines came, went or changed in more than text."""
    if len(was) != len(now):
        return None
    lines = [_retouched_line(old[a], before[a], after[b]) for a, b in zip(was, now, strict=True)]
    return None if None in lines else [line for line in lines if line is not None]


def _with_bullet(old: list[str], was: range, lines: list[str]) -> list[str]:
    """Write new list items with the mark of the list around them, so that they do not begin a list of their own."""
    around = [*reversed(old[max(0, was.start - 20) : was.start]), *old[was.start : was.stop + 20]]
    mark = next((found[2] for found in map(_BULLET.match, around) if found), "-")
    return [_BULLET.sub(rf"\g<1>{mark}", line) for line in lines]


def _retouched_line(source: str, before: str, after: str) -> str | None:
    if before == after:
        return source
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    while head and (before[head - 1].isalnum() or before[head - 1] in "&#"):
        head -= 1
    while tail and (before[-tail].isalnum() or before[-tail] in ";#"):
        tail -= 1
    if head + tail >= len(before):  # only added to: take the text around it, for a place to find it by
        head, tail = _text_before(before, head), len(before) - _text_after(before, len(before) - tail)
    gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
    if not gone or "<" in gone + come or ">" in gone + come:
        return None
    word = unescape(gone)
    shown = [unescape(_TAG.sub("", part)) for part in (before[:head], before)]
    spots = [found.start() for found in re.finditer(re.escape(word), _DESTINATION.sub(_blank, source))]
    number = shown[0].count(word)
    if len(spots) != shown[1].count(word) or number >= len(spots):
        return None
    return source[: spots[number]] + unescape(come) + source[spots[number] + len(word) :]


def _blank(found: re.Match[str]) -> str:
    return "\0" * len(found[0])


def _text_before(line: str, at: int) -> int:
    return line.rfind(">", 0, at) + 1


def _text_after(line: str, at: int) -> int:
    found = line.find("<", at)
    return len(line) if found < 0 else found
