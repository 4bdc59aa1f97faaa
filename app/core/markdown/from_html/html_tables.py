"""An HTML table as a Markdown table: one head, cells of one line, none merged."""

import re
from collections.abc import Iterator, Sequence

from app.core.markdown.from_html import html_losses
from app.core.markdown.from_html.html_inline import from_runs
from app.core.markdown.from_html.html_steps import runs_of
from app.core.markdown.from_html.html_tree import Node

MOST_ADDED = 10_000
"""How many cells merged ones may come to besides those that are there."""
_DELIMITERS = {"left": ":---", "center": ":---:", "right": "---:"}
_SPAN = re.compile(r"[1-9][0-9]{0,3}")


def table_lines(table: Node) -> list[str]:
    """Return the lines of a table.

    A head, its delimiters and the rows; none for one without cells.
    """
    rows = [row for part in table.children for row in (part, *part.children) if row.tag == "tr"]
    cells = [[cell for cell in row.children if cell.tag in ("th", "td")] for row in rows]
    grid = list(_unmerge_rows([row for row in cells if row]))
    if not grid:
        return []
    lines = [
        f"| {' | '.join(_cell_text(cell, in_head=index == 0) for cell in row)} |"
        for index, row in enumerate(grid)
    ]
    delimiters = (
        _DELIMITERS.get(cell.attributes.get("align", ""), "---") if cell else "---"
        for cell in grid[0]
    )
    return [lines[0], f"| {' | '.join(delimiters)} |", *lines[1:]]


def _cell_text(cell: Node | None, *, in_head: bool) -> str:
    if cell is None:
        return ""
    heads_row = cell.tag == "th" and not in_head
    items = [Node("strong", children=cell.children)] if heads_row else cell.children
    return from_runs(runs_of(items), "cell")


def _unmerge_rows(rows: Sequence[list[Node]]) -> Iterator[list[Node | None]]:
    """Yield the rows with an empty cell, None, for each place that a merged one covers besides
    its first.
    """
    covered: dict[int, int] = {}  # how many more rows a cell from above covers, by column
    added = 0
    for cells in rows:
        row: list[Node | None] = []
        for cell in cells:
            _skip_covered(row, covered)
            wide, tall = _span_attribute(cell, "colspan"), _span_attribute(cell, "rowspan")
            if (wide, tall) != (1, 1):
                html_losses.note_loss("merged cells (the others stay empty)")
            wide = wide if added + len(row) + wide < MOST_ADDED else 1
            if tall > 1:
                covered.update((len(row) + place, tall - 1) for place in range(wide))
            row += [cell, *[None] * (wide - 1)]
        _skip_covered(row, covered)
        added += len(row) - len(cells)
        if added > MOST_ADDED:
            covered.clear()
        yield row


def _skip_covered(row: list[Node | None], covered: dict[int, int]) -> None:
    while covered.get(len(row), 0):
        covered[len(row)] -= 1
        row.append(None)


def _span_attribute(cell: Node, name: str) -> int:
    value = cell.attributes.get(name, "")
    return int(value) if _SPAN.fullmatch(value) else 1
