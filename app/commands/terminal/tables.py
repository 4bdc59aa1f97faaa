"""What commands print: aligned columns, or JSON."""

import json
from collections.abc import Sequence
from typing import Any

import click

from app.commands.terminal.terminal_safe import isolate_text, text_width

GAP = "  "
json_option = click.option("--json", "json_", is_flag=True, help="Print JSON.")


def format_table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows with their columns aligned and nothing in them that could steer the
    terminal; the last column is as long as it is.
    """
    cells = [[isolate_text(cell.replace("\n", " ")) for cell in row] for row in rows]
    widths = [max(map(text_width, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        GAP.join(
            cell + " " * (room - text_width(cell)) for cell, room in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    )


def format_json(value: Any) -> str:
    """Return indented JSON in ASCII, which every terminal and file takes."""
    return json.dumps(value, indent=2)
