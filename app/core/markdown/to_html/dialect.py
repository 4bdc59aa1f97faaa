"""The Markdown dialect: markdown-it's rules, and our own where text must stay unchanged."""

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import paragraph as read_paragraph
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize as tokenize_emphasis
from markdown_it.token import Token

DEEPEST = 60  # levels of nested blocks; a list counts two
BLOCK_RULES = ["code", "fence", "blockquote", "hr", "list", "heading", "rows", "paragraph"]
INLINE_RULES = "text newline escape backticks strikethrough emphasis link reference".split()

BlockRule = Callable[[StateBlock, int, int, bool], bool]

_SPACE = " \t"
PUNCTUATION = r"!-/:-@\[-`{-~"  # of ASCII, as in a class of characters
_ESCAPE = re.compile(rf"\\[{PUNCTUATION}]")
_SPAN = re.compile(rf"\\[{PUNCTUATION}]|`+|[\[\]]")
_BAR = re.compile(rf"\\[{PUNCTUATION}]|\|")
_CODE = re.compile(r"`+|\n")
_REFERENCE = re.compile(r"&#(\d{2,3});")
_BARE = r"[^\x00-\x20\x7f()]"
# possessive repeats, so that a bracket which nothing closes is read once
_DESTINATION = re.compile(
    r"\([ "
    rf"\t]*(?:<(?P<angle>[^<>\x00-\x1f\x7f]*)>|(?P<bare>(?!<)(?:{_BARE}|\((?:{_BARE}|\({_BARE}*+\))*+\))*+))"
    r"""(?:[ \t]+(?P<title>"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"""
)
_ABSOLUTE = re.compile(r"(?:https?://[^/\\?#]|mailto:[^/\\])", re.IGNORECASE)
_RELATIVE = re.compile(r"(?![/\\]{2})[^:/?#\\]*(?:[/?#]|\Z)")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
_DELIMITER_ROW = re.compile(r"(?=[|:-])(?!-(?:[ \t]|\Z))[-:| \t]*-[-:| \t]*\Z")
_DELIMITER = re.compile(r":?-+:?")


# Only a rule that looks ahead calls an inline rule in silence, and no rule of the dialect does.


class Span(NamedTuple):
    """A code span or a link: where its content and itself end; href is None for code."""

    start: int
    stop: int
    end: int
    href: str | None = None
    title: str = ""


@cache
def markdown_parser() -> MarkdownIt:
    """Return the parser of the dialect, made at its first use."""
    parser = MarkdownIt("zero", {"maxNesting": DEEPEST, "html": False})
    block, inline = parser.block.ruler, parser.inline.ruler
    block.before("paragraph", "rows", table, {"alt": ["paragraph"]})
    block.at("heading", heading, {"alt": ["paragraph", "blockquote"]})
    block.at("paragraph", paragraph)
    inline.at("newline", newline)
    inline.at("escape", escape)
    inline.at("backticks", code_span)
    inline.at("emphasis", emphasis)
    inline.at("link", link)
    inline.push("reference", reference)
    block.enableOnly(BLOCK_RULES)
    inline.enableOnly(INLINE_RULES)
    parser.inline.ruler2.enableOnly(
        ["balance_pairs", "strikethrough", "emphasis", "fragments_join"]
    )
    return parser


def paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a paragraph; white space other than spaces and tabs is text, so that a line of it
    stays a line.
    """
    read = read_paragraph(state, start, end, silent)
    state.tokens[-2].content = state.getLines(start, state.line, state.blkIndent, False).strip(
        _SPACE + "\n"
    )
    return read


def heading(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Read a `#` heading; hashes at its end are text, since only marks at the start of a line
    may vanish.
    """
    text = _source_line(state, start)
    mark = None if state.is_code_block(start) else _HEADING.match(text)
    if mark is None:
        return False
    if not silent:
        state.line = start + 1
        _push_token(state, f"h{len(mark[1])}", start, text[mark.end() :].strip(_SPACE))
    return True


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table; a row keeps all its cells, and a bar after a backslash is text."""
    aligns = _table_head(state, start, end)
    if aligns is None:
        return False
    if silent:
        return True
    outer, state.parentType = state.parentType, "table"
    state.push("table_open", "table", 1).map = [start, end]
    state.push("thead_open", "thead", 1).map = [start, start + 1]
    _push_row(state, start, "th", aligns)
    state.push("thead_close", "thead", -1)
    state.line = start + 2
    _table_body(state, end, aligns)
    state.push("table_close", "table", -1)
    state.parentType = outer
    return True


def newline(state: StateInline, _silent: bool) -> bool:
    """Read a line end, dropping the white space around it; every line end is a break."""
    if state.src[state.pos] != "\n":
        return False
    state.pending = state.pending.rstrip(_SPACE)
    state.push("softbreak", "br", 0)
    state.pos += 1
    while state.pos < state.posMax and state.src[state.pos] in _SPACE:
        state.pos += 1
    return True


def escape(state: StateInline, _silent: bool) -> bool:
    """Read a mark after a backslash, which is text.

    Before anything else, and before a line end, the backslash is.
    """
    if not _ESCAPE.match(state.src, state.pos, state.posMax):
        return False
    state.append_pending(state.src[state.pos + 1])
    state.pos += 2
    return True


def code_span(state: StateInline, _silent: bool) -> bool:
    """Read a code span of one line, keeping its spaces unless they part a backtick from the
    marks.
    """
    if state.src[state.pos] != "`":
        return False
    span = _spans_of_state(state).get(state.pos)
    if span is None:
        end = state.pos + _run_length(state.src, state.pos)
        state.append_pending(state.src[state.pos : end])
        state.pos = end
        return True
    content = state.src[span.start : span.stop]
    if needs_padding(content) and content[0] == content[-1] == " ":
        content = content[1:-1]
    state.push("code_inline", "code", 0).content = content
    state.pos = span.end
    return True


def needs_padding(code: str) -> bool:
    """Return whether a code span's content must be parted from its marks by a space."""
    bare = code.strip(" ")
    return bare.startswith("`") or bare.endswith("`")


def emphasis(state: StateInline, silent: bool) -> bool:
    """Read a run of `*`; an underscore is text."""
    return state.src[state.pos] == "*" and tokenize_emphasis(state, silent)


def link(state: StateInline, _silent: bool) -> bool:
    """Read an inline link with an allowed destination; an image is a link after its `!`."""
    span = _spans_of_state(state).get(state.pos) if state.src[state.pos] == "[" else None
    if span is None or span.href is None:
        return False
    outer = state.posMax
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": span.href, "title": span.title} if span.title else {"href": span.href}
    state.pos, state.posMax = span.start, span.stop
    state.md.inline.tokenize(state)
    state.push("link_close", "a", -1)
    state.pos, state.posMax = span.end, outer
    return True


def reference(state: StateInline, _silent: bool) -> bool:
    """Read the decimal reference of one ASCII punctuation mark, as texts of old have them in
    place of a backslash.
    """
    match = _REFERENCE.match(state.src, state.pos) if state.src[state.pos] == "&" else None
    if match is None or not is_mark(match[1]):
        return False
    state.append_pending(chr(int(match[1])))
    state.pos = match.end()
    return True


def is_mark(digits: str) -> bool:
    """Return whether a decimal code is that of an ASCII punctuation mark."""
    code = int(digits)
    return digits[0] != "0" and 33 <= code <= 126 and not chr(code).isalnum()


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags={"a"},
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


def is_allowed_link(href: str) -> bool:
    """Return whether a link may lead there.

    Http, https, mailto or relative, and a URL that the sanitiser reads.
    """
    if href.strip() != href or not (_ABSOLUTE.match(href) or _RELATIVE.match(href)):
        return False
    quoted = href.replace("&", "&amp;").replace('"', "&quot;")
    return "href" in _cleaner().clean(f'<a href="{quoted}">')


def link_destination(text: str, start: int) -> tuple[int, str, str] | None:
    """Return the end, href and title of the `(…)` after a link's text, or None where there is no
    allowed one.
    """
    match = _DESTINATION.match(text, start)
    if match is None:
        return None
    href = match["angle"] if match["bare"] is None else match["bare"]
    return (match.end(), href, (match["title"] or "")[1:-1]) if is_allowed_link(href) else None


def _spans_of_state(state: StateInline) -> dict[int, Span]:
    if state.env.get("source") is not state.src:
        state.env.update(source=state.src, spans=find_spans(state.src)[0])
    spans: dict[int, Span] = state.env["spans"]
    return spans


def find_spans(text: str) -> tuple[dict[int, Span], list[int]]:
    """Return the code spans and links of a text by their start, in one pass, and the brackets that
    nothing closed.

    No link holds a link, code binds tighter.
    """
    closers, spans = _code_closers(text), dict[int, Span]()
    openers: list[int] = []
    position = 0
    while match := _SPAN.search(text, position):
        start, position = match.span()
        if text[start] == "\\":
            continue
        if text[start] == "`":
            if (stop := closers.get(start)) is not None:
                spans[start] = Span(position, stop, stop + position - start)
                position = spans[start].end
        elif text[start] == "[":
            openers.append(start)
        elif openers:
            opener = openers.pop()
            if found := link_destination(text, position):
                spans[opener] = Span(opener + 1, start, *found)
                position = found[0]
                # brackets around a link are text, since no link holds a link
                openers.clear()
    return spans, openers


def _code_closers(text: str) -> dict[int, int]:
    closers, following = dict[int, int](), dict[int, int]()
    for match in reversed(list(_CODE.finditer(text))):
        if match[0] == "\n":
            following.clear()
            continue
        start, length = match.start(), len(match[0])
        if length in following:
            closers[start] = following[length]
        if length - 1 in following and text[start - 1 : start] == "\\":
            closers[start + 1] = following[
                length - 1
            ]  # should the backslash take the first backtick away
        following[length] = start
    return closers


def _run_length(text: str, start: int) -> int:
    match = _CODE.match(text, start)
    return len(match[0]) if match else 0


def _source_line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _push_token(state: StateBlock, tag: str, line: int, content: str) -> Token:
    opening = state.push(f"{tag}_open", tag, 1)
    opening.map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, [line, line + 1], []
    state.push(f"{tag}_close", tag, -1)
    return opening


def table_cells(text: str) -> list[str]:
    """Return the cells of a table's row, the bars in them without their backslashes."""
    bars = [match.start() for match in _BAR.finditer(text) if match[0] == "|"]
    parts = [text[start + 1 : end].strip(_SPACE) for start, end in pairwise([-1, *bars, len(text)])]
    if len(parts) > 1 and not parts[0]:
        parts = parts[1:]
    if len(parts) > 1 and not parts[-1]:
        parts = parts[:-1]
    return [
        _BAR.sub(lambda match: "|" if match[0] == "\\|" else match[0], part)
        if "\\|" in part
        else part
        for part in parts
    ]


def escape_bars(text: str) -> str:
    """Return a text as it stands in a table's cell."""
    return text.replace("|", "\\|")


def _table_head(state: StateBlock, start: int, end: int) -> list[str] | None:
    if (
        start + 2 > end
        or state.sCount[start + 1] < state.blkIndent
        or state.is_code_block(start)
        or state.is_code_block(start + 1)
    ):
        return None
    return table_aligns(_source_line(state, start), _source_line(state, start + 1))


def table_aligns(head: str, row: str) -> list[str] | None:
    """Return the alignments of the columns of a table that begins with these two lines.

    None where they begin none.
    """
    if "|" not in head or not _DELIMITER_ROW.match(row):
        return None
    columns = table_cells(row)
    if len(columns) != len(table_cells(head)) or not all(
        _DELIMITER.fullmatch(cell) for cell in columns
    ):
        return None
    return [_column_align(cell) for cell in columns]


def _column_align(delimiter: str) -> str:
    sides = (delimiter[0] == ":", delimiter[-1] == ":")
    return {(True, True): "center", (True, False): "left", (False, True): "right"}.get(sides, "")


def _table_body(state: StateBlock, end: int, aligns: list[str]) -> None:
    rules: list[BlockRule] = state.md.block.ruler.getRules("blockquote")
    first = state.line
    while state.line < end and _continues_table(state, end, rules):
        if state.line == first:
            state.push("tbody_open", "tbody", 1).map = [first, end]
        _push_row(state, state.line, "td", aligns)
        state.line += 1
    if state.line > first:
        state.push("tbody_close", "tbody", -1)


def _continues_table(state: StateBlock, end: int, rules: list[BlockRule]) -> bool:
    line = state.line
    if state.isEmpty(line) or state.sCount[line] < state.blkIndent or state.is_code_block(line):
        return False
    return not any(rule(state, line, end, True) for rule in rules)


def _push_row(state: StateBlock, line: int, tag: str, aligns: list[str]) -> None:
    state.push("tr_open", "tr", 1).map = [line, line + 1]
    for column, cell in enumerate(table_cells(_source_line(state, line))):
        opening = _push_token(state, tag, line, cell)
        if column < len(aligns) and aligns[column]:
            opening.attrs = {"align": aligns[column]}
    state.push("tr_close", "tr", -1)
