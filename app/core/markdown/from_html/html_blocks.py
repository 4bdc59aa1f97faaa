"""The blocks of HTML to Markdown: the inverse of the renderer, which keeps the renderer's lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.core.markdown.from_html.html_compose import escape_mark
from app.core.markdown.from_html.html_inline import from_runs
from app.core.markdown.from_html.html_lists import BOX
from app.core.markdown.from_html.html_pieces import (
    Piece,
    gap_between,
    gaps_between,
    least_gap,
    stack_pieces,
)
from app.core.markdown.from_html.html_runs import split_paragraphs
from app.core.markdown.from_html.html_steps import runs_of
from app.core.markdown.from_html.html_tables import table_lines
from app.core.markdown.from_html.html_tree import Node
from app.core.markdown.to_html.dialect import DEEPEST
from app.core.process.turns import give_turn

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NUMBER = re.compile(r"\d{1,8}", re.ASCII)
_TASK_TEXT = re.compile(r"\[[ xX]\](?:[ \t]|$)")
_RULE = re.compile(r"([-*])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """Where blocks stand."""

    start: int = 0  # line of the HTML
    level: int = 0
    beside: str = ""  # the list mark on the same line as the first block
    boxed: bool = False  # the box of a task stands between


def pieces_of(
    parent: Node, place: Place, above: Piece | None = None, *, more: bool = False
) -> list[Piece]:
    """Return the Markdown of the blocks inside an element; one stands above, and `more` below."""
    pieces: list[Piece] = []
    blocks = list(blocks_of(parent))
    for index, block in enumerate(blocks):
        give_turn()
        if isinstance(block, Node):
            pieces += _convert_block(
                block,
                pieces[-1] if pieces else above,
                place,
                last=not more and index == len(blocks) - 1,
            )
        else:
            pieces += _paragraphs(block, place, kind="text", first=not pieces)
    return pieces


def _leading_empty_lines(parent: Node, pieces: Sequence[Piece]) -> int:
    """Return the empty lines above the first block, unless they only lay out the HTML."""
    return (
        0
        if not pieces or _is_laid_out(parent)
        else max(pieces[0].start - pieces[0].lead - parent.start, 0)
    )


def _is_laid_out(node: Node) -> bool:
    """Return whether the line ends inside an element are those of another writer than the
    renderer.
    """
    return node.tag != "body" and bool(node.children) and node.children[-1].is_blank()


def _convert_block(node: Node, above: Piece | None, place: Place, *, last: bool) -> list[Piece]:
    if node.tag == "p":
        return _paragraphs([node], place, kind="paragraph", first=above is None)
    if node.tag in _HEADINGS:
        text = from_runs(runs_of(node.children), "line")
        return [
            Piece("heading", [f"{'#' * int(node.tag[1])} {text}".rstrip(" ")], node.start, node.end)
        ]
    if node.tag == "hr":
        return [Piece("hr", [_horizontal_rule(above, place)], node.start, node.end)]
    if node.tag == "table":
        return _convert_table(node, place)
    if node.tag in ("pre", "div"):
        return [_convert_code(node, above, place, last=last)]
    if place.level >= DEEPEST - (4 if node.tag == "blockquote" else 5):
        return _paragraphs([node], place, kind="paragraph", first=False)
    return [
        _convert_quote(node, place)
        if node.tag == "blockquote"
        else _convert_list(node, above, place)
    ]


def _horizontal_rule(above: Piece | None, place: Place) -> str:
    """Return a rule that is neither a list mark after a list mark nor a table's second row."""
    if above is None:
        return "___" if place.beside else "---"
    return "***" if "|" in above.lines[-1] else "---"


def blocks_of(parent: Node) -> Iterator[Node | list[Node]]:
    """Yield the blocks inside an element.

    Elements of a kind of their own, and runs of text between them.
    """
    run: list[Node] = []
    rest: list[Node | None] = [*parent.children[::-1]]
    while rest:
        item = rest.pop()
        if item is not None and not item.is_block() and not item.broken:
            run.append(item)
            continue
        if _has_content(run):
            yield run
        run = []
        if item is not None and _is_whole(item):
            yield item
        elif item is not None:
            rest.extend([None, *item.children[::-1]])
    if _has_content(run):
        yield run


def _is_whole(node: Node) -> bool:
    if node.tag == "div":
        return _info_string(node) is not None
    return node.tag in ("p", "hr", "pre", "table", "blockquote", "ul", "ol", *_HEADINGS)


def _has_content(run: Sequence[Node]) -> bool:
    return any(not item.is_blank() for item in run)


def _paragraphs(items: Sequence[Node], place: Place, *, kind: str, first: bool) -> list[Piece]:
    """Return the paragraphs of a run; empty lines part them."""
    solid = [item for item in items if not item.is_blank()]
    pieces: list[Piece] = []
    for runs in split_paragraphs(runs_of(items)):
        text = from_runs(runs)
        if place.beside and first and not pieces and not place.boxed:
            text = _item_text(text, place.beside)
        if text:
            pieces.append(Piece(kind, text.split("\n"), solid[0].start, solid[-1].end, lazy=True))
    return pieces


def _item_text(text: str, mark: str) -> str:
    """Return the text of a list item, without what only looks like the box of a task or, after
    its mark, like a rule.
    """
    return escape_mark(text) if _TASK_TEXT.match(text) or _RULE.match(f"{mark} {text}") else text


def _convert_quote(node: Node, place: Place) -> Piece:
    pieces = pieces_of(node, Place(node.start, place.level + 1))
    lines = stack_pieces(pieces, gaps_between(pieces), _leading_empty_lines(node, pieces)) or [""]
    return _put_around("quote", node, pieces, [f"> {line}" if line else ">" for line in lines])


def _put_around(kind: str, node: Node, pieces: Sequence[Piece], lines: list[str]) -> Piece:
    if not pieces:
        return Piece(kind, lines, node.start, node.start)
    end = node.end if _is_laid_out(node) else pieces[-1].end
    return Piece(kind, lines, node.start, end, trail=pieces[-1].trail, lazy=pieces[-1].lazy)


def _convert_list(node: Node, above: Piece | None, place: Place) -> Piece:
    first = (
        int(node.attributes.get("start", "1"))
        if _NUMBER.fullmatch(node.attributes.get("start", "1"))
        else 1
    )
    mark = _list_mark(node.tag, above, place)
    items = _items(node)
    signs = [f"{first + index}{mark}" if node.tag == "ol" else mark for index in range(len(items))]
    contents = [
        _item_pieces(item, Place(item.start, place.level + 2, sign))
        for item, sign in zip(items, signs, strict=True)
    ]
    inner, between = _list_gaps(items, contents)
    rows = [
        _put_around(
            "item",
            item,
            pieces,
            _item_lines(
                sign, stack_pieces(pieces, gaps, min(_leading_empty_lines(item, pieces), 1))
            ),
        )
        for item, sign, pieces, gaps in zip(items, signs, contents, inner, strict=True)
    ]
    whole = _put_around("list", node, rows, stack_pieces(rows, between, 0))
    whole.mark, whole.holds = mark, bool(contents[-1])
    whole.interrupts = rows[0].lines[0] != signs[0] and (node.tag == "ul" or first == 1)
    return whole


def _item_pieces(item: Node, place: Place) -> list[Piece]:
    """Return the blocks of a list item, the first with the box of a task."""
    if BOX not in item.attributes:
        return pieces_of(item, place)
    box = f"[{item.attributes[BOX]}]"
    pieces = pieces_of(item, replace(place, boxed=True))
    if pieces and pieces[0].kind in ("paragraph", "text"):
        pieces[0].lines[0] = f"{box} {pieces[0].lines[0]}"
        return pieces
    return [Piece("text", [box], item.start, item.start, lazy=True), *pieces]


def _items(node: Node) -> list[Node]:
    """Return the items of a list; what stands between items becomes an item."""
    items: list[Node] = []
    for child in node.children:
        if child.tag == "li":
            items.append(child)
        elif not child.is_blank():
            items.append(Node("li", children=[child], start=child.start, end=child.end))
    return items or [Node("li", start=node.start, end=node.start)]


def _list_mark(tag: str, above: Piece | None, place: Place) -> str:
    taken = above.mark if above else place.beside
    return next(mark for mark in (".)" if tag == "ol" else "-*") if mark != taken)


def _list_gaps(
    items: Sequence[Node], contents: Sequence[list[Piece]]
) -> tuple[list[list[int]], list[int]]:
    """Return the line ends within each item and those between items.

    Loose or tight as the items' paragraphs are.
    """
    kinds = {piece.kind for pieces in contents for piece in pieces}
    loose, tight = "paragraph" in kinds, "paragraph" not in kinds and "text" in kinds
    inner = [gaps_between(pieces, 2 if loose else 1) for pieces in contents]
    rows = [
        _put_around("item", item, pieces, []) for item, pieces in zip(items, contents, strict=True)
    ]
    between = [max(gap_between(above, below, 1), 1) for above, below in pairwise(rows)]
    if tight:
        inner = [
            [least_gap(above, below) for above, below in pairwise(pieces)] for pieces in contents
        ]
        between = [1] * len(between)
    elif loose and max([1, *between, *(gap for gaps in inner for gap in gaps)]) == 1:
        between = [2] * len(between)
    return inner, between


def _item_lines(sign: str, lines: Sequence[str]) -> list[str]:
    indent = " " * (len(sign) + 1)
    return [
        f"{sign if index == 0 else indent[1:]} {line}" if line else sign * (index == 0)
        for index, line in enumerate(lines or [""])
    ]


def _convert_code(node: Node, above: Piece | None, place: Place, *, last: bool) -> Piece:
    info, pre = _info_string(node) or (node.attributes.get("info", ""), node)
    label = node if pre is not node else None
    after, text = node.after + node.end - pre.end, pre.text()
    lines = text.removesuffix("\n").split("\n") if text else []
    fence = Piece(
        "fence",
        [],
        pre.start - (1 if label and _ends_with_break(label) else 0),
        pre.end,
        lead=1 if lines and not label else 0,
    )
    indentable = not info and _may_indent(lines, fence, above, place)
    needed = 3 if _takes_line_end(node.follower) and (indentable or (last and place.level)) else 2
    closable = after >= needed or (node.at_end and after == 1)
    touching = above is not None and fence.start <= above.end
    room = fence.start - (above.end + above.trail + 1 if above else place.start) >= fence.lead
    if fence.lead and not touching and not (room and closable) and indentable:
        return Piece(
            "indented",
            [f"    {line}" if line else "" for line in lines],
            pre.start,
            pre.end,
            holds=True,
        )
    fence.trail = 1 if closable or not last or touching or not room else 0
    ticks = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(ticks + 1, 3)
    if "`" in info:
        mark = "~" * max([2, *(len(run) for run in re.findall(r"~+", text))]) + "~"
    fence.lines = [
        mark + (" " if info.startswith("~") else "") + info,
        *lines,
        *[mark] * fence.trail,
    ]
    return fence


def _takes_line_end(follower: Node | None) -> bool:
    """Return whether what follows a code block takes a line end above it for itself."""
    if follower is None or follower.tag != "pre":
        return follower is not None and follower.tag == "blockquote"
    return follower.after >= 2 or (follower.at_end and follower.after == 1)


def _may_indent(lines: Sequence[str], fence: Piece, above: Piece | None, place: Place) -> bool:
    """Return whether code may stand as indented lines."""
    if not lines or not lines[0].strip(" \t") or not lines[-1].strip(" \t"):
        return False
    if above is None:
        return not place.beside or fence.start - place.start <= 1
    if above.kind == "quote" and lines[0].lstrip().startswith(">"):
        return False
    indented = Piece("indented", [], fence.start, fence.end)
    return (
        not above.holds
        and above.kind != "text"
        and gap_between(above, indented, 0) >= least_gap(above, indented)
    )


def _info_string(node: Node) -> tuple[str, Node] | None:
    """Return the info string and the code of a labelled code block, which is how the renderer
    shows a fence with one.
    """
    solid = [child for child in node.children if not child.is_blank()]
    if node.tag != "div" or [child.tag for child in solid] != ["span", "pre"]:
        return None
    info = solid[0].text().strip()
    return (info, solid[1]) if info and "\n" not in info else None


def _ends_with_break(node: Node) -> bool:
    return any("\n" in child.words for child in node.children)


def _convert_table(node: Node, place: Place) -> list[Piece]:
    pieces: list[Piece] = []
    for part in node.children:
        if part.tag == "caption":
            pieces += _paragraphs([part], place, kind="paragraph", first=False)
    if lines := table_lines(node):
        pieces.append(
            Piece("table", lines, node.start, node.end, trail=1 if len(lines) == 2 else 0)
        )
    return pieces
