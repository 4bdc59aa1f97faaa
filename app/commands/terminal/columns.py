"""Rows of an answer: aligned and cut to the width of a terminal, or with tabs for a pipe."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import click

from app.commands.terminal.colours import paint
from app.commands.terminal.tables import GAP, format_json, format_table
from app.commands.terminal.terminal_safe import on_one_line, strip_controls, text_width

LEAST_WIDTH = 12
FEWEST = 2
"""So many columns stay, however narrow a terminal is."""
NEAR = "  near in meaning"
"""Behind what a search found by its meaning alone."""
MOMENT_LENGTH = len("2026-11-22T14:00")


def print_columns(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows: below a head and cut to fit on a terminal, else whole and with tabs between."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(_plain(cell) for cell in row))
        return
    shown = [[on_one_line(shown_value(cell), 1000) for cell in row] for row in rows]
    kept = [
        place
        for place, name in enumerate(head)
        if not shown or name == head[0] or any(row[place] for row in shown)
    ]
    cells = _leave_out([[row[place] for place in kept] for row in [list(head), *shown]])
    title, *lines = format_table(_cut_to_fit(cells)).split("\n")
    click.echo("\n".join([paint(title, bold=True), *lines]))


def print_table(
    found: Any, head: Sequence[str], rows: Iterable[Sequence[Any]], *, json_: bool
) -> None:
    """Print an answer as JSON, or its rows as print_columns does."""
    if json_:
        click.echo(format_json(found))
    else:
        print_columns(head, rows)


def print_facts(rows: Sequence[Sequence[str]]) -> None:
    """Print rows that need no head: aligned on a terminal, else with tabs between."""
    if sys.stdout.isatty():
        click.echo(format_table(rows))
    else:
        print_columns((), rows)


def shown_value(value: Any) -> str:
    """Return a value of JSON as a person reads it."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, list):
        return ", ".join(map(shown_value, value))
    text = str(value)
    return local_moment(text) if _is_moment(text) else text


def local_moment(text: str) -> str:
    """Return a moment in UTC as the day and the time here; a day as it is."""
    moment = _moment_here(text)
    return text if moment is None else moment.strftime("%Y-%m-%d %H:%M")


def said_day(text: str) -> str:
    """Return a day, or a moment in UTC as it is here, in words."""
    moment = _moment_here(text)
    day = date.fromisoformat(text) if moment is None else moment
    clock = "" if moment is None else f" at {moment:%H:%M}"
    return f"{day:%A}, {day.day} {day:%B %Y}{clock}"


def _moment_here(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if _is_moment(text) else None
    except ValueError:
        return None
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone()


def words_of(name: str) -> str:
    """Return a camelCase name as words."""
    return "".join(f" {mark.lower()}" if mark.isupper() else mark for mark in name)


def _is_moment(text: str) -> bool:
    return len(text) >= MOMENT_LENGTH and text[4:5] == text[7:8] == "-" and text[10] == "T"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_plain, value))
    text = "" if value is None else strip_controls(value)
    return text.replace("\t", " ").replace("\n", " ")


def _leave_out(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows without the last columns where even cut they would not fit side by side."""
    least = [min(LEAST_WIDTH, max(map(text_width, column))) for column in zip(*rows, strict=True)]
    room = shutil.get_terminal_size().columns
    fitting = len(least)
    while fitting > FEWEST and sum(least[:fitting]) + len(GAP) * (fitting - 1) > room:
        fitting -= 1
    return [row[:fitting] for row in rows]


def _cut_to_fit(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with the widest columns cut so that all fit side by side."""
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    room = shutil.get_terminal_size().columns - len(GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > LEAST_WIDTH:
        widest = widths.index(max(widths))
        widths[widest] = max(LEAST_WIDTH, widths[widest] - (sum(widths) - room))
    return [
        [on_one_line(cell, most) if most else "" for cell, most in zip(row, widths, strict=True)]
        for row in rows
    ]
