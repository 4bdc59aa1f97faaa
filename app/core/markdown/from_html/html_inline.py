"""A run of inline HTML to Markdown.

Escape only where the marks would otherwise be read differently.
"""

import re
from collections.abc import Iterable, Iterator

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_compose import Escapes, compose
from app.core.markdown.from_html.html_glyphs import glyphs_of_runs, glyphs_of_tokens, looks_same
from app.core.markdown.from_html.html_marks import mend_marks
from app.core.markdown.from_html.html_runs import (
    BREAK,
    MARKS,
    Context,
    Run,
    merge_runs,
    on_one_line,
    tidy_runs,
)
from app.core.markdown.to_html.dialect import escape_bars, table_cells
from app.core.markdown.to_html.to_html import escape, inline_html, inline_tokens, link_tag

LONGEST_MENDED = 50_000
"""The length of a run up to which its marks are looked at one by one.

Beyond, that takes a minute for a megabyte in one paragraph.
"""
_SPECIAL = re.compile(r"[*~`\[&\\]")


def from_runs(runs: Iterable[Run], context: Context = "lines") -> str:
    """Return the Markdown of a run.

    Marks that cannot stand where they are become narrower or go, and that is noted.
    """
    tidy = tidy_runs(
        runs
        if context == "lines"
        else on_one_line(_fit_for_cell(runs) if context == "cell" else runs)
    )
    attempts: list[tuple[list[Run], Escapes]] = [(tidy, "none"), (tidy, "likely"), (tidy, "any")]
    if (joined := merge_runs(tidy)) != tidy:
        attempts.append((joined, "any"))
    for kept, escapes in attempts:
        if (markdown := _compose_if_exact(kept, escapes, context)) is not None:
            return markdown
    less = (
        mend_marks(tidy, lambda line: compose(line, "any", "line"))
        if _length(tidy) <= LONGEST_MENDED
        else _without_marks(tidy)
    )
    for escapes in ("none", "likely", "any"):
        if (markdown := _compose_if_exact(less, escapes, context)) is not None:
            return markdown
    html_losses.note_loss("marks and links in some places")
    plain = [
        Run("text", run.text) if run.kind == "code" else run
        for run in less
        if run.kind not in ("open", "close")
    ]
    return _compose_runs(plain, "any", context)


def _fit_for_cell(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs with code as text where a cell cannot hold it.

    One that has a backslash before a bar.
    """
    for run in runs:
        if run.kind == "code" and "\\|" in run.text:
            html_losses.note_loss("code that has a backslash before a bar, in cells")
            yield Run("text", run.text)
        else:
            yield run


def _without_marks(runs: list[Run]) -> list[Run]:
    html_losses.note_loss("marks in a very long paragraph")
    return [run for run in runs if not run.is_mark()]


def _length(runs: list[Run]) -> int:
    return sum(len(run.text) for run in runs)


def _compose_if_exact(runs: list[Run], escapes: Escapes, context: Context) -> str | None:
    """Return the Markdown of a run if it shows just that."""
    markdown = compose(runs, escapes, context)
    if context == "cell" and table_cells(f"| {escape_bars(markdown)} |") != [markdown]:
        return None
    if _SPECIAL.search(markdown):
        tokens = inline_tokens(markdown)
        if inline_html(tokens) != _runs_to_html(runs) and (
            _length(runs) > LONGEST_MENDED
            or not looks_same(glyphs_of_tokens(tokens), glyphs_of_runs(runs))
        ):
            return None
    return escape_bars(markdown) if context == "cell" else markdown


def _compose_runs(runs: list[Run], escapes: Escapes, context: Context) -> str:
    markdown = compose(runs, escapes, context)
    return escape_bars(markdown) if context == "cell" else markdown


def _runs_to_html(runs: list[Run]) -> str:
    out: list[str] = []
    for run in runs:
        if run.kind == "text":
            out.append(escape(run.text))
        elif run == BREAK:
            out.append("<br>\n")
        elif run.kind == "code":
            out.append(f"<code>{escape(run.text)}</code>")
        elif run.kind == "open":
            out.append(link_tag(run.href, run.title) if run.text not in MARKS else f"<{run.text}>")
        else:
            out.append(f"</{run.text}>")
    return "".join(out)
