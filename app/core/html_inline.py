"""A run of inline HTML to Markdown: escape only where the marks would otherwise be read differently."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.core.markdown_html import escape, inline_html, link_tag
from app.core.markdown_rules import allowed, is_mark, needs_padding
from app.core.regex import regex

MARKS = {"em": "*", "strong": "**", "del": "~~"}
SPACE = " \t\n"

Kind = Literal["text", "open", "close", "code", "break"]
Context = Literal["lines", "line", "cell"]


@dataclass(frozen=True)
class Run:
    """One step of a run: text, code, a break, or where a mark or a link opens or closes."""

    kind: Kind
    text: str = ""
    href: str = ""
    title: str = ""


BREAK = Run("break")
_FOLDED = regex(r"(?<![ \t])[ \t]*+\n[ \t\n]*")
_SPECIAL = regex(r"[*~`\[&]")
_REFERENCE = regex(r"&(?=#(\d{2,3});)")
_LIKELY = regex(r"(?<!\s)\*+|\*+(?!\s)|~~+|`+")
_ANY = regex(r"[*~`\[\]]")
_HAZARD = regex(r"(?:#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|```|~~~|([-*_])(?:[ \t]*\1){2,}[ \t]*$)")
_NUMBER = regex(r"(\d{1,9})([.)])(?=[ \t]|$)")
_DELIMITERS = regex(r"[|:-][-:| \t]*$")
_UNLINKABLE = regex(r"[<>\x00-\x1f\x7f]")
_BARE_LINK = regex(r"(?!<)(?:[^\s()]|\([^\s()]*\))*")


def from_runs(runs: Iterable[Run], context: Context = "lines") -> str:
    """Return the Markdown of a run, without marks that cannot stand where they are."""
    tidy = list(_tidy(runs, context))
    unmarked = [run for run in tidy if run.text not in MARKS or run.kind not in ("open", "close")]
    plain = [Run("text", run.text) if run.kind == "code" else run for run in unmarked if run.kind not in ("open", "close")]
    for kept, escapes in ((tidy, "none"), (tidy, "likely"), (tidy, "any"), (_merged(tidy), "any"), (unmarked, "any")):
        markdown = _compose(kept, escapes, context)
        if _is_exact(markdown, kept, context):
            return markdown
    return _compose(plain, "any", context)


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


def _is_exact(markdown: str, runs: list[Run], context: Context) -> bool:
    if context == "cell" and "|" in markdown:
        return False
    return not _SPECIAL.search(markdown) or inline_html(markdown) == _html(runs)


def _tidy(runs: Iterable[Run], context: Context) -> list[Run]:
    out: list[Run] = []
    held = ""
    for run in runs:
        if run.kind == "break" and context != "lines":
            run = Run("text", " ")
        if run.kind == "text":
            held = _add_text(out, held + _FOLDED.sub(" ", run.text))
        elif run.kind == "break":
            _trim(out)
            held = ""
            out.append(BREAK)
        elif run.kind == "close":
            held = _add_close(out, run, held)
        else:
            held = _add_text(out, held)
            out.append(run)
    _trim(out)
    return out


def _add_text(out: list[Run], text: str) -> str:
    """Append text, its leading space before the marks that just opened, nothing at the start of a line."""
    at = len(out)
    while at and out[at - 1].kind == "open" and out[at - 1].text in MARKS:
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
    """Drop the white space at the end of a line, and the breaks and marks that this leaves empty."""
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


def _merged(runs: list[Run]) -> list[Run]:
    """Return the runs with a mark that ends where the same mark begins again going on instead."""
    out: list[Run] = []
    for run in runs:
        if out and run.kind == "open" and run.text in MARKS and out[-1] == Run("close", run.text):
            out.pop()
        else:
            out.append(run)
    return out


def _html(runs: list[Run]) -> str:
    out: list[str] = []
    for run in runs:
        if run.kind == "text":
            out.append(escape(run.text))
        elif run.kind == "break":
            out.append("<br>\n")
        elif run.kind == "code":
            out.append(f"<code>{escape(run.text)}</code>")
        elif run.kind == "open":
            out.append(link_tag(run.href, run.title) if run.text == "a" else f"<{run.text}>")
        else:
            out.append(f"</{run.text}>")
    return "".join(out)


def _compose(runs: list[Run], escapes: str, context: Context) -> str:
    out: list[str] = []
    links: list[Run] = []
    for run in runs:
        if run.kind == "text":
            out.append(_escaped(run.text, escapes, context))
        elif run.kind == "break":
            out.append("\n")
        elif run.kind == "code":
            out.append(_code(run.text))
        elif run.text != "a":
            out.append(MARKS[run.text])
        elif run.kind == "open":
            links.append(run)
            out.append("[")
        else:
            out.append("](" + _destination(links.pop()) + ")")
    markdown = "".join(out)
    return _guarded(markdown) if context == "lines" else markdown


def _escaped(text: str, escapes: str, context: Context) -> str:
    if escapes != "none":
        text = _REFERENCE.sub(lambda match: "&#38;" if is_mark(match[1]) else "&", text)
        text = (_LIKELY if escapes == "likely" and "](" not in text else _ANY).sub(lambda match: refer(match[0]), text)
    return text.replace("|", refer("|")) if context == "cell" else text


def refer(marks: str) -> str:
    """Return marks written as references, which show as text."""
    return "".join(f"&#{ord(mark)};" for mark in marks)


def _code(text: str) -> str:
    longest = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(length for length in range(1, len(longest) + 2) if length not in longest)
    return f"{fence} {text} {fence}" if needs_padding(text) else f"{fence}{text}{fence}"


def _destination(run: Run) -> str:
    href = run.href if _BARE_LINK.fullmatch(run.href) and (run.href or not run.title) else f"<{run.href}>"
    if not run.title:
        return href
    for start, end in ('""', "''", "()"):
        if start not in run.title and end not in run.title:
            return f"{href} {start}{run.title}{end}"
    return f"""{href} "{run.title.replace('"', "'")}\""""


def link_run(href: str | None, title: str) -> Run | None:
    """Return the start of a link, or None where its destination is missing or not allowed."""
    if href is None:
        return None
    href = _UNLINKABLE.sub(lambda match: f"%{ord(match[0]):02X}", href.strip())
    return Run("open", "a", href, " ".join(title.split("\n"))) if allowed(href) else None


def _guarded(markdown: str) -> str:
    """Return lines of text with a reference where a line's first mark would make it another block."""
    lines = markdown.split("\n")
    for index, line in enumerate(lines):
        number = _NUMBER.match(line)
        if number:
            lines[index] = number[1] + refer(number[2]) + line[number.end() :]
        elif _HAZARD.match(line) or (index and "|" in lines[index - 1] and _DELIMITERS.match(line)):
            lines[index] = refer(line[0]) + line[1:]
    return "\n".join(lines)
