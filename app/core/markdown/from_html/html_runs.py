"""A run of inline HTML as steps, and the same without what cannot stand in a line of Markdown."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.core.markdown.from_html import html_losses
from app.core.markdown.to_html.dialect import is_allowed_link

MARKS = {"em": "*", "strong": "**", "del": "~~"}
SPACE = " \t\n"
SEPARATOR = " / "

Kind = Literal["text", "open", "close", "code", "break"]
Context = Literal["lines", "line", "cell"]


@dataclass(frozen=True)
class Run:
    """One step of a run: text, code, a break, or where a mark or a link opens or closes."""

    kind: Kind
    text: str = ""
    href: str = ""
    title: str = ""

    def is_mark(self) -> bool:
        """Return whether a mark opens or closes here."""
        return self.kind in ("open", "close") and self.text in MARKS


BREAK = Run("break")
_FOLDED = re.compile(r"(?<![ \t])[ \t]*+\n[ \t\n]*")
_UNLINKABLE = re.compile(r"[<>\x00-\x1f\x7f]")


def link_run(href: str | None, title: str) -> Run | None:
    """Return the start of a link, or None where its destination is missing or not allowed."""
    if href is None:
        return None
    href = _UNLINKABLE.sub(lambda match: f"%{ord(match[0]):02X}", href.strip())
    return Run("open", "a", href, " ".join(title.split("\n"))) if is_allowed_link(href) else None


def split_paragraphs(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Yield the runs between empty lines, so that each can be a paragraph."""
    part: list[Run] = []
    depth = breaks = 0
    for run in runs:
        depth += {"open": 1, "close": -1}.get(run.kind, 0)
        if run.kind == "break":
            breaks += 1
            continue
        if run.kind == "text" and not run.text.strip(SPACE) and breaks:
            continue
        if breaks > 1 and depth == 0:
            yield part
            part = []
        elif breaks:
            part.append(BREAK)
        breaks = 0
        part.append(run)
    yield part


def on_one_line(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs with a bar between what stood in lines of its own."""
    begun = broken = False
    opened: list[Run] = []  # after a break: they open behind the bar
    for run in runs:
        if run.kind == "break":
            broken = begun
        elif not broken:
            begun = (
                begun or run.kind == "code" or bool(run.kind == "text" and run.text.strip(SPACE))
            )
            yield run
        elif run.kind == "open":
            opened.append(run)
        elif run.kind == "close":
            if opened:
                opened.pop()
            else:
                yield run
        elif run.kind == "code" or run.text.strip(SPACE):
            html_losses.note_loss("line breaks in cells and headings (“/” stands there)")
            yield from (
                Run("text", SEPARATOR),
                *opened,
                Run(run.kind, run.text.lstrip(SPACE)) if run.kind == "text" else run,
            )
            opened, broken = [], False


def tidy_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the runs with white space as it is shown, none of it just inside a mark, and no
    empty marks.
    """
    out: list[Run] = []
    held = ""
    for run in runs:
        if run.kind == "text":
            held = _add_text(out, held + _FOLDED.sub(" ", run.text))
        elif run.kind == "break":
            _trim(out)
            held = ""
            if any(step.kind != "open" for step in out):
                out.append(BREAK)
        elif run.kind == "close":
            held = _add_close(out, run, held)
        else:
            held = _add_text(out, held)
            out.append(run)
    _trim(out)
    return out


def _add_text(out: list[Run], text: str) -> str:
    """Append text, its leading space before the marks that just opened, nothing at the start of
    a line.
    """
    at = len(out)
    while at and out[at - 1].kind == "open" and out[at - 1].is_mark():
        at -= 1
    bare = text.lstrip(SPACE) if at < len(out) or not at or out[at - 1].kind == "break" else text
    if bare != text and at and out[at - 1].kind != "break":
        out.insert(at, Run("text", text[: len(text) - len(bare)]))
    if bare and out and out[-1].kind == "text":
        bare = out.pop().text + bare
    if bare:
        out.append(Run("text", bare))
    return ""


def _add_close(out: list[Run], run: Run, held: str) -> str:
    """Append the end of a mark, or drop an empty one; return the space that must follow it."""
    if run.text in MARKS and out and out[-1].kind == "text":
        text = out.pop().text
        bare = text.rstrip(SPACE)
        held = text[len(bare) :] + held
        if bare:
            out.append(Run("text", bare))
    if run.text in MARKS and out and out[-1].kind == "open" and out[-1].text == run.text:
        out.pop()
    else:
        out.append(run)
    return held


def _trim(out: list[Run]) -> None:
    """Drop the white space at the end of a line, and the breaks and marks that this leaves
    empty.
    """
    at = len(out) - 1
    while at >= 0:
        if out[at].kind == "text":
            bare = out[at].text.rstrip(SPACE)
            out[at] = Run("text", bare)
            if bare:
                return
        elif out[at].kind == "code" or (out[at].kind in ("open", "close") and out[at].text == "a"):
            return
        elif out[at].kind == "break":
            del out[at]
        at -= 1


def merge_runs(runs: list[Run]) -> list[Run]:
    """Return the runs with a mark that ends where the same mark begins again going on instead."""
    out: list[Run] = []
    for run in runs:
        if out and run.kind == "open" and run.is_mark() and out[-1] == Run("close", run.text):
            out.pop()
        else:
            out.append(run)
    return out
