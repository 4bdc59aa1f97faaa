"""HTML to Markdown, that of a long text by parts, which are kept by content."""

import re
from dataclasses import dataclass, replace

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_blocks import Place, blocks_of, pieces_of
from app.core.markdown.from_html.html_chunks import cut_html
from app.core.markdown.from_html.html_pieces import Piece, join_pieces
from app.core.markdown.from_html.html_shapes import plain_tree
from app.core.markdown.from_html.html_tree import Node, parse
from app.core.process.caches import Kept
from app.core.process.turns import give_turn

LONG = 10_000
"""Characters from which HTML is read by parts: an editor sends all of it with each change."""
MOST_KEPT = 4_000_000
_CODE = re.compile(r"<pre\b|ql-code-block", re.IGNORECASE)


@dataclass(frozen=True)
class _Chunk:
    """What a part of HTML became, as if it began on line 0; it holds so many line ends."""

    pieces: list[Piece]
    lines: int
    lost: list[str]


_chunks: Kept[_Chunk] = Kept(
    MOST_KEPT,
    lambda key, chunk: (
        len(key) + sum(len(line) + 50 for each in chunk.pieces for line in each.lines)
    ),
)


def from_html(html: str) -> str:
    """Return the Markdown of an HTML text."""
    chunks = [html] if len(html) < LONG else cut_html(html)
    if len(chunks) == 1:
        root = _tree(html)
        return join_pieces(pieces_of(root, Place()), root.end)
    pieces: list[Piece] = []
    line = 0
    for number in range(len(chunks)):
        give_turn()
        chunk = _convert(chunks, number, pieces[-1] if pieces else None, line)
        for what in chunk.lost:
            html_losses.note_loss(what)
        pieces += [_move(piece, line) for piece in chunk.pieces] if line else chunk.pieces
        line += chunk.lines
    return join_pieces(pieces, line)


def _move(piece: Piece, lines: int) -> Piece:
    return replace(piece, start=piece.start + lines, end=piece.end + lines)


def _convert(chunks: list[str], number: int, above: Piece | None, line: int) -> _Chunk:
    """Return what a part becomes below a block.

    Code depends on the lines around it too, and is quick to read: it is not kept.
    """
    html = chunks[number]
    if _CODE.search(html):
        return _convert_code(chunks, number, above, line)
    mark, bar = (above.mark, "|" in above.lines[-1]) if above else ("", False)
    key = f"{mark}{'|' if bar else ''}\0{html}"
    found = _chunks.get(key)
    if found is None:
        with html_losses.gather_losses() as lost:
            root = _tree(html)
            found = _Chunk(pieces_of(root, Place(), above, more=True), root.end, lost)
        _chunks.put(key, found)
    return found


def _convert_code(chunks: list[str], number: int, above: Piece | None, line: int) -> _Chunk:
    """Return what a part that holds code becomes, which its lines and what follows decide."""
    with html_losses.gather_losses():
        below = _tree(chunks[number + 1]) if number + 1 < len(chunks) else None
        more = below is not None and (
            _holds_blocks(below) or any(_holds_blocks(_tree(html)) for html in chunks[number + 2 :])
        )
    with html_losses.gather_losses() as lost:
        root = _tree(chunks[number])
        if below is not None:
            _let_follow(root, below.children[0], last=number + 2 == len(chunks))
        place, above = Place(-line), _move(above, -line) if above else None
        return _Chunk(pieces_of(root, place, above, more=more), root.end, lost)


def _tree(html: str) -> Node:
    return plain_tree(parse(html))


def _holds_blocks(root: Node) -> bool:
    return any(True for _ in blocks_of(root))


def _let_follow(root: Node, follower: Node, *, last: bool) -> None:
    """Tell the elements that a part ends with what follows them in the next one."""
    follower.at_end = follower.at_end and last
    for node in root.walk():
        if node.at_end:
            node.at_end, node.follower = False, follower
