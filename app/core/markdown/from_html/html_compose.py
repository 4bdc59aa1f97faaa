"""Inline steps to Markdown: written with as few escapes as are asked for."""

import re
from typing import Literal

from app.core.markdown.from_html.html_runs import MARKS, Context, Run
from app.core.markdown.to_html.dialect import PUNCTUATION, is_mark, needs_padding

Escapes = Literal["none", "likely", "any"]

_REFERENCE = re.compile(r"&(?=#(\d{2,3});)")
_LIKELY = re.compile(r"(?<!\s)\*+|\*+(?!\s)|~~+|`+|\](?=\()")
_ANY = re.compile(r"[*~`\[\]]")
_BACKSLASH = re.compile(rf"\\(?=[{PUNCTUATION}])")
_HAZARD = re.compile(
    r"(?:#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|```|~~~|([-*_])(?:[ \t]*\1){2,}[ \t]*$)"
)
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=[ \t]|$)")
_DELIMITERS = re.compile(r"[|:-][-:| \t]*$")
_BARE_LINK = re.compile(r"(?!<)(?:[^\s()]|\([^\s()]*\))*")


def compose(runs: list[Run], escapes: Escapes, context: Context) -> str:
    """Return the Markdown of a run.

    What is text there may still be read as marks, except with the escapes "any".
    """
    out: list[str] = []
    links: list[Run] = []
    for index, run in enumerate(runs):
        if run.kind == "text":
            ends_line = index + 1 == len(runs) or runs[index + 1].kind == "break"
            out.append(_escape_text(run.text, escapes, ends_line=ends_line))
        elif run.kind == "break":
            out.append("\n")
        elif run.kind == "code":
            out.append(_code_span(run.text))
        elif run.text != "a":
            out.append(MARKS[run.text])
        elif run.kind == "open":
            links.append(run)
            out.append("[")
        else:
            out.append("](" + _link_destination(links.pop()) + ")")
    markdown = "".join(out)
    return _guard_line_starts(markdown) if context == "lines" else markdown


def escape_mark(text: str) -> str:
    """Return a text with a backslash before its first character, a mark, which then shows as
    text.
    """
    return "\\" + text


def _escape_text(text: str, escapes: Escapes, *, ends_line: bool) -> str:
    if escapes == "none":
        return text
    text = _BACKSLASH.sub(r"\\\\", text)
    if text.endswith("\\") and not ends_line:
        text += "\\"
    text = _REFERENCE.sub(lambda match: "\\&" if is_mark(match[1]) else "&", text)
    marks = _LIKELY if escapes == "likely" else _ANY
    return marks.sub(lambda match: "".join(escape_mark(mark) for mark in match[0]), text)


def _code_span(text: str) -> str:
    longest = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(length for length in range(1, len(longest) + 2) if length not in longest)
    return f"{fence} {text} {fence}" if needs_padding(text) else f"{fence}{text}{fence}"


def _link_destination(run: Run) -> str:
    href = (
        run.href
        if _BARE_LINK.fullmatch(run.href) and (run.href or not run.title)
        else f"<{run.href}>"
    )
    if not run.title:
        return href
    for start, end in ('""', "''", "()"):
        if start not in run.title and end not in run.title:
            return f"{href} {start}{run.title}{end}"
    return f"""{href} "{run.title.replace('"', "'")}\""""


def _guard_line_starts(markdown: str) -> str:
    """Return lines of text with a backslash where a line's first mark would make it another
    block.
    """
    lines = markdown.split("\n")
    for index, line in enumerate(lines):
        number = _NUMBER.match(line)
        if number:
            lines[index] = number[1] + escape_mark(line[number.end(1) :])
        elif _HAZARD.match(line) or (index and "|" in lines[index - 1] and _DELIMITERS.match(line)):
            lines[index] = escape_mark(line)
    return "\n".join(lines)
