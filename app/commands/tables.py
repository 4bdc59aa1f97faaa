"""What commands print: aligned columns, or JSON."""

import json
from collections.abc import Sequence
from typing import Any

GAP = "  "


def table(rows: Sequence[Sequence[str]]) -> str:
    """Give the rows with their columns aligned; the last column is as long as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def as_json(value: Any) -> str:
    """Give indented JSON in ASCII, which every terminal and file takes."""
    return json.dumps(value, indent=2)
