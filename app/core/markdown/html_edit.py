"""An edited rendering back to Markdown.

Source lines that the edit did not touch keep their bytes.
"""

import bisect
import functools
import re
from html import unescape
from itertools import accumulate

from app.core.markdown import convert, layout_edit, line_edit, plain_edit, render_parts
from app.core.markdown.from_html.html_tight import tighten_lists
from app.core.markdown.layout_edit import Layout
from app.core.markdown.render_cuts import Block, Cut
from app.core.markdown.render_parts import Part

_TAG = re.compile(r"<[^>]*>")
_DESTINATION = re.compile(r"\]\([^)]*\)")
_BULLET = re.compile(r"^([ \t]*)([-+*])(?=[ \t]|$)")
_LINE_END = re.compile(r"\r\n?|\n")


def apply_html_edit(source: str, html: str) -> str:
    """Return the Markdown of `html`, an edit of the rendering of `source`.

    Raise Unprocessable where a text shown as plain lines was marked up.

    Only the parts around the change are read back, and what stays of the text is what stays of
    the rendering.
    """
    html = convert.clean_lines(html)
    old = render_parts.parts_of(source)
    if (shown := render_parts.join_html(old)) == html:
        return source
    if all(part.plain for part in old):
        return plain_edit.apply_plain_edit(source, html)
    laid_out = layout_edit.has_lines(html)
    if not laid_out:
        html = tighten_lists(html, shown)
    ends = list(accumulate((len(part.html) for part in old), initial=0))
    first, last = _changed_parts(ends, shown, html)
    near = (max(0, first - 1), min(len(old), last + 1))
    least = near if _in_paragraph(old, first, last) else (first, last)
    for few in dict.fromkeys((least, near, (0, len(old)))):
        part = html[ends[few[0]] : len(html) - (ends[-1] - ends[few[1]])]
        text = _with_part(old, few, part, laid_out=laid_out)
        if text is not None:
            return text
    raise AssertionError("an edit of the whole is always taken")


def _in_paragraph(old: list[Part], first: int, last: int) -> bool:
    """Return whether some parts begin or end within a paragraph, whose lines an edit may part or
    join there.
    """
    return "paragraph" in (old[first].above.within, old[last - 1].below.within)


def _changed_parts(ends: list[int], before: str, after: str) -> tuple[int, int]:
    """Return the first part that an edit changed, and the one behind the last."""
    head = _common_prefix(before, after)
    tail = min(_common_prefix(before[::-1], after[::-1]), min(len(before), len(after)) - head)
    first = min(bisect.bisect_right(ends, head) - 1, len(ends) - 2)
    return first, max(bisect.bisect_left(ends, len(before) - tail), first + 1)


def _common_prefix(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike.

    By halves, since comparing parts of texts is fast and looking at each character is not.
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _with_part(old: list[Part], few: tuple[int, int], html: str, *, laid_out: bool) -> str | None:
    """Give the text with some of its parts read back from their HTML; None where that would
    change how the others show.
    """
    above, changed, below = old[: few[0]], old[few[0] : few[1]], old[few[1] :]
    if all(part.plain for part in changed):
        text = plain_edit.apply_plain_edit(_parts_source(changed), html)
    else:
        head = changed[0].above.head
        text = _read_back(
            head + _parts_source(changed),
            _close_lists(changed, render_parts.join_html(changed)),
            _close_lists(changed, html),
            laid_out=laid_out,
        )
        if not text.startswith(head):
            return None
        text = text[len(head) :]
    if below:
        end = _LINE_END.search(below[0].source) or _LINE_END.search(_parts_source(changed))
        text = _end_line(text, end[0] if end else "\n", below[0].above.within)
    whole = _parts_source(above) + text + _parts_source(below)
    if not above and not below:
        return whole
    borders = {changed[0].above} if above else set()
    if below:
        borders.add(below[0].above._replace(at=len(whole) - len(_parts_source(below))))
    return whole if borders <= {Cut(0), *render_parts.cuts_of(whole)} else None


def _close_lists(some: list[Part], html: str) -> str:
    """Return the HTML of some parts with the tags of a block that it is the middle of."""
    tags = html.rstrip("\n")
    body = tags.removesuffix(render_parts.joint(some[-1].below))
    return some[0].opening + body + some[-1].closing + html[len(tags) :]


def _parts_source(some: list[Part]) -> str:
    return "".join(part.source for part in some)


def _end_line(text: str, end: str, within: Block) -> str:
    """Return a text with its last line ended, as it must be above a cut.

    There are no empty lines within a block, at least one outside of all, and any number between
    the items of a loose list. A text of nothing stays as it is.
    """
    body = text.rstrip(" \t\r\n")
    below = len(_LINE_END.findall(text, len(body)))
    least, most = {"": (2, below), "loose list": (1, below)}.get(within, (1, 1))
    if not body or least <= below <= most:
        return text
    return body + text[len(body) :].rstrip("\r\n") + least * end


def _read_back(source: str, rendered: str, html: str, *, laid_out: bool) -> str:
    """Return the Markdown of `html`, an edit of `rendered`, which is the HTML of `source`.

    What it renders to decides: a text made of old and new lines is taken only if it shows
    exactly what the whole, read back, would.
    """
    old, ends = line_edit.split_lines(source)
    before, after = rendered.split("\n"), html.split("\n")
    if len(before) != len(old):
        return convert.to_markdown(html)
    if not laid_out:
        return _read_back_layout(source, rendered, html)
    text = line_edit.join_lines(
        old, ends, before, after, lambda was, now: _carry_line_changes(old, before, after, was, now)
    )
    if text is not None and render_parts.render(text) == "\n".join(after):
        return text
    whole = convert.to_markdown(html)
    wanted = render_parts.render(whole)
    shown, lines = wanted.split("\n"), whole.split("\n")
    if len(lines) != len(shown):
        return whole
    for rewrite in _REWRITES:
        text = line_edit.join_lines(
            old, ends, before, shown, functools.partial(rewrite, old, before, lines, shown)
        )
        if text is not None and render_parts.render(text) == wanted:
            return text
    return whole


def _read_back_layout(source: str, rendered: str, html: str) -> str:
    """Return the Markdown of HTML without line ends, its blocks parted as those of the text."""
    whole = convert.to_markdown(html)
    old, new = Layout(source, rendered), Layout(whole, render_parts.render(whole))
    for number, rewrite in enumerate((_REWRITES[0], *_REWRITES)):
        text = layout_edit.keep_layout(old, new, rewrite, closely=number == 0)
        rendered = render_parts.join_html(render_parts.parts_of(text))  # what is read next
        if Layout(text, rendered).shown == new.shown:
            return text
    return whole


def _rewrite_in_lines(
    old: list[str], before: list[str], lines: list[str], shown: list[str], was: range, now: range
) -> list[str]:
    changed = _carry_line_changes(old, before, shown, was, now)
    return changed or _rewrite_items(old, before, lines, shown, was, now)


def _rewrite_items(
    old: list[str], _before: list[str], lines: list[str], _shown: list[str], was: range, now: range
) -> list[str]:
    return _with_bullet(old, was, _rewrite_plainly(old, _before, lines, _shown, was, now))


def _rewrite_plainly(
    _old: list[str],
    _before: list[str],
    lines: list[str],
    _shown: list[str],
    _was: range,
    now: range,
) -> list[str]:
    return [lines[at] for at in now]


_REWRITES = (_rewrite_in_lines, _rewrite_items, _rewrite_plainly)


def _carry_line_changes(
    old: list[str], before: list[str], after: list[str], was: range, now: range
) -> list[str] | None:
    """Carry what changed within lines over to their source.

    None where lines came, went or changed in more than text.
    """
    if len(was) != len(now):
        return None
    lines = [_carry_line_change(old[a], before[a], after[b]) for a, b in zip(was, now, strict=True)]
    return None if None in lines else [line for line in lines if line is not None]


def _with_bullet(old: list[str], was: range, lines: list[str]) -> list[str]:
    """Write new list items with the mark of the list around them, so that they do not begin a
    list of their own.
    """
    around = [*reversed(old[max(0, was.start - 20) : was.start]), *old[was.start : was.stop + 20]]
    mark = next((found[2] for found in map(_BULLET.match, around) if found), "-")
    return [_BULLET.sub(rf"\g<1>{mark}", line) for line in lines]


def _carry_line_change(source: str, before: str, after: str) -> str | None:
    if before == after:
        return source
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    # back to where a word or an entity begins, on to where it ends: their parts are found elsewhere
    while head and (before[head - 1].isalnum() or before[head - 1] in "&#"):
        head -= 1
    while tail and (before[-tail].isalnum() or before[-tail] in ";#"):
        tail -= 1
    if head + tail >= len(
        before
    ):  # only added to: take the text around it, for a place to find it by
        head, tail = (
            _text_before(before, head),
            len(before) - _text_after(before, len(before) - tail),
        )
    gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
    if not gone or "<" in gone + come or ">" in gone + come:
        return None
    word = unescape(gone)
    # the address of a link is not shown, so a word in it is never the one that was changed
    shown = [unescape(_TAG.sub("", part)) for part in (before[:head], before)]
    spots = [
        found.start()
        for found in re.finditer(re.escape(word), _DESTINATION.sub(_blank_match, source))
    ]
    number = shown[0].count(word)
    if len(spots) != shown[1].count(word) or number >= len(spots):
        return None
    return source[: spots[number]] + unescape(come) + source[spots[number] + len(word) :]


def _blank_match(found: re.Match[str]) -> str:
    return "\0" * len(found[0])


def _text_before(line: str, at: int) -> int:
    return line.rfind(">", 0, at) + 1


def _text_after(line: str, at: int) -> int:
    found = line.find("<", at)
    return len(line) if found < 0 else found
