"""Bold, italic and strikethrough where Markdown can hold them.

Marks in an order that nests, and no more dropped than must be.
"""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_glyphs import Glyph, glyphs_of_runs, glyphs_of_tokens
from app.core.markdown.from_html.html_runs import BREAK, MARKS, SPACE, Run
from app.core.markdown.to_html.to_html import inline_tokens

NAMES = {"em": "italics", "strong": "bold type", "del": "strikethrough"}
MOST_ROUNDS = 40
ROUNDS_TIMES_LENGTH = (
    20_000  # reading a text again costs by its length: a long one is tried less often
)
_PAIRS = dict(zip("([{\"'“‘«‹„‚「『《〈（【［｛", ")]}\"'”’»›“‘」』》〉）】］｝", strict=True))


@dataclass(frozen=True)
class _Span:
    """A mark or link from one glyph to before another."""

    start: int
    end: int
    tag: str


def mend_marks(runs: Sequence[Run], write: Callable[[list[Run]], str]) -> list[Run]:
    """Return the runs with marks that Markdown can hold.

    First the same in another order, then narrower, then fewer.
    """
    out: list[Run] = []
    for line in _lines(runs):
        out += [*_mend_line(glyphs_of_runs(line), write), BREAK]
    return out[:-1]


def _lines(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Yield the parts between breaks that stand in no mark and no link."""
    part: list[Run] = []
    depth = 0
    for run in runs:
        depth += {"open": 1, "close": -1}.get(run.kind, 0)
        if run.kind == "break" and depth == 0:
            yield part
            part = []
        else:
            part.append(run)
    yield part


def _mend_line(line: list[Glyph], write: Callable[[list[Run]], str]) -> list[Run]:
    """Return the runs of a line, mended between spaces without marks, which part what can depend
    on each other.
    """
    out: list[Run] = []
    start = 0
    for at in range(len(line) + 1):
        if at == len(line) or (
            line[at].text == " " and not line[at].marks and line[at].link is None
        ):
            out += [
                *_mend_part(line[start:at], write),
                *([Run("text", " ")] if at < len(line) else []),
            ]
            start = at + 1
    return out


def _mend_part(line: list[Glyph], write: Callable[[list[Run]], str]) -> list[Run]:
    links = _links(line)
    spans = [span for mark in MARKS for span in _spans_of(mark, line, links)]
    for round_ in range(min(MOST_ROUNDS, 3 + ROUNDS_TIMES_LENGTH // (len(line) + 1))):
        runs = _build_runs(line, spans, links)
        if (
            not spans
            or (at := _first_difference(line, spans, glyphs_of_tokens(inline_tokens(write(runs)))))
            is None
        ):
            return runs
        spans = list(
            _weaken_span(line, spans, _misread_mark(line, spans, at))
            if round_
            else _narrow_spans(line, spans)
        )
    for span in spans:
        html_losses.note_loss(f"some {NAMES[span.tag]}")
    return _build_runs(line, [], links)


def _links(line: Sequence[Glyph]) -> list[_Span]:
    links: list[_Span] = []
    for at, glyph in enumerate(line):
        if glyph.kind == "link":
            links.append(_Span(at, at + 1, "a"))
        elif glyph.link is not None:
            links[-1] = replace(links[-1], end=at + 1)
    return links


def _spans_of(mark: str, line: Sequence[Glyph], links: Sequence[_Span]) -> Iterator[_Span]:
    """Yield where a mark stands, each stretch once; a link is wholly in it or holds it."""
    edges = sorted({edge for link in links for edge in (link.start, link.start + 1, link.end)})
    start = None
    for at in range(len(line) + 1):
        marked = at < len(line) and mark in line[at].marks
        if start is None and marked:
            start = at
        elif start is not None and not marked:
            yield from _split_span(line, _Span(start, at, mark), links, edges)
            start = None


def _split_span(
    line: Sequence[Glyph], span: _Span, links: Sequence[_Span], edges: Sequence[int]
) -> Iterator[_Span]:
    crossed = [
        link
        for link in links
        if link.start < span.end and span.start < link.end and not _is_nested(span, link)
    ]
    cuts = (
        [
            edge
            for edge in edges
            if any(edge in (link.start, link.start + 1, link.end) for link in crossed)
        ]
        if crossed
        else []
    )
    starts = [span.start, *(cut for cut in cuts if span.start < cut < span.end)]
    for start, end in zip(starts, [*starts[1:], span.end], strict=True):
        if bare := _trim_span(line, replace(span, start=start, end=end)):
            yield bare


def _is_nested(span: _Span, link: _Span) -> bool:
    return (span.start <= link.start and link.end <= span.end) or (
        link.start < span.start and span.end <= link.end
    )


def _trim_span(line: Sequence[Glyph], span: _Span) -> _Span | None:
    """Return a span without the white space at its ends; None for one of nothing else."""
    start, end = span.start, span.end
    while start < end and not line[start].text.strip(SPACE):
        start += 1
    while start < end and not line[end - 1].text.strip(SPACE):
        end -= 1
    alone = end - start == 1 and line[start].kind == "link"
    return None if start == end or alone else replace(span, start=start, end=end)


def _build_runs(line: Sequence[Glyph], spans: Sequence[_Span], links: Sequence[_Span]) -> list[Run]:
    """Return the runs of a line with these marks and no others, longer ones around shorter ones."""
    nested = _nested_spans([*spans, *links])
    out: list[Run] = []
    open_: list[_Span] = []
    for at in range(len(line) + 1):
        while open_ and open_[-1].end == at:
            out.append(Run("close", open_.pop().tag))
        while nested and nested[-1].start == at:
            span = nested.pop()
            open_.append(span)
            link = line[at].link if span.tag == "a" else None
            out.append(Run("open", "a", link[1], link[2]) if link else Run("open", span.tag))
        if at < len(line):
            _append_glyph(out, line[at])
    return out


def _append_glyph(out: list[Run], glyph: Glyph) -> None:
    if glyph.kind == "text" and out and out[-1].kind == "text":
        out[-1] = Run("text", out[-1].text + glyph.text)
    elif glyph.kind == "break":
        out.append(BREAK)
    elif glyph.kind != "link":
        out.append(Run("code" if glyph.kind == "code" else "text", glyph.text))


def _nested_spans(spans: Sequence[_Span]) -> list[_Span]:
    """Return spans, last first, of which none ends within another that it does not begin in.

    Such a one is cut in two.
    """
    order = {"a": 0, "del": 1, "em": 2, "strong": 3}

    def key(span: _Span) -> tuple[int, int, int]:
        return -span.start, span.end, -order[span.tag]

    rest = sorted(spans, key=key)
    found: list[_Span] = []
    around: list[_Span] = []
    while rest:
        span = rest.pop()
        while around and around[-1].end <= span.start:
            around.pop()
        if around and span.end > around[-1].end:
            for part in (replace(span, start=around[-1].end), replace(span, end=around[-1].end)):
                insort(rest, part, key=key)
            continue
        found.append(span)
        around.append(span)
    return found[::-1]


def _first_difference(
    line: Sequence[Glyph], spans: Sequence[_Span], read: Sequence[Glyph]
) -> int | None:
    marks: list[set[str]] = [set() for _ in line]
    for span in spans:
        for at in range(span.start, span.end):
            marks[at].add(span.tag)
    wanted = [replace(glyph, marks=frozenset(own)) for glyph, own in zip(line, marks, strict=True)]
    for at, (one, other) in enumerate(zip(wanted, read, strict=False)):
        if one.seen() != other.seen():
            return at
    return None if len(wanted) == len(read) else min(len(wanted), len(read))


def _misread_mark(line: Sequence[Glyph], spans: Sequence[_Span], at: int) -> _Span:
    """Return the mark that is to blame for what is read wrong.

    One that cannot stand there, else the shortest.
    """
    near = (
        [span for span in spans if span.start <= at <= span.end]
        or [span for span in spans if span.start <= at]
        or list(spans)
    )
    return min(
        near,
        key=lambda span: (
            not (_opens_badly(line, span) or _closes_badly(line, span)),
            span.end - span.start,
        ),
    )


def _narrow_spans(line: Sequence[Glyph], spans: Sequence[_Span]) -> Iterator[_Span]:
    """Yield the marks with none that opens or closes where CommonMark lets none, as far as that
    is plain to see.
    """
    edges = Counter(edge for span in spans for edge in (span.start, span.end))
    for span in spans:
        now: _Span | None = span
        while now and (
            (_opens_badly(line, now) and edges[now.start] - (now.start == span.start) < 1)
            or (_closes_badly(line, now) and edges[now.end] - (now.end == span.end) < 1)
        ):
            now = _narrow_span(line, now)
        if now:
            yield now
        if now is None:
            html_losses.note_loss(f"some {NAMES[span.tag]}")
        elif now != span:
            html_losses.note_loss(f"{NAMES[span.tag]} on punctuation beside a letter")


def _weaken_span(line: Sequence[Glyph], spans: Sequence[_Span], culprit: _Span) -> Iterator[_Span]:
    """Yield the marks with one of them narrower, or cut where others begin and end, or at last
    without it.
    """
    for span in spans:
        if span is not culprit:
            yield span
        elif narrower := _narrow_span(line, span):
            html_losses.note_loss(f"{NAMES[span.tag]} on punctuation beside a letter")
            yield narrower
        elif parts := list(_cut_span(line, span, spans)):
            yield from parts
        else:
            html_losses.note_loss(f"some {NAMES[span.tag]}")


def _cut_span(line: Sequence[Glyph], span: _Span, spans: Sequence[_Span]) -> Iterator[_Span]:
    """Yield the parts of a mark between the ends of others that cross it.

    Nothing where none does.
    """
    crossing = [
        other
        for other in spans
        if other.start < span.start < other.end < span.end
        or span.start < other.start < span.end < other.end
    ]
    cuts = sorted(
        {
            edge
            for other in crossing
            for edge in (other.start, other.end)
            if span.start < edge < span.end
        }
    )
    for start, end in pairwise([span.start, *cuts, span.end] if cuts else []):
        if part := _trim_span(line, replace(span, start=start, end=end)):
            yield part


def _opens_badly(line: Sequence[Glyph], span: _Span) -> bool:
    return span.start > 0 and line[span.start - 1].is_word() and not line[span.start].is_word()


def _closes_badly(line: Sequence[Glyph], span: _Span) -> bool:
    return span.end < len(line) and line[span.end].is_word() and not line[span.end - 1].is_word()


def _narrow_span(line: Sequence[Glyph], span: _Span) -> _Span | None:
    """Return a mark without the punctuation at the end that is wrong, and without what pairs
    with that at the other.
    """
    opens, closes = _opens_badly(line, span), _closes_badly(line, span)
    if not opens and not closes:
        return None
    paired = (
        span.end - span.start > 1 and _PAIRS.get(line[span.start].text) == line[span.end - 1].text
    )
    return (
        _trim_span(
            line,
            replace(span, start=span.start + (opens or paired), end=span.end - (closes or paired)),
        )
        if span.end - span.start > 1
        else None
    )
