"""Colours where somebody sees them: on a terminal, unless NO_COLOR is set."""

import os
import sys
from typing import Any, TextIO

import click


def paint(text: str, **style: Any) -> str:
    """Return the text in a style such as `bold=True` or `fg="red"`, if colours are shown."""
    return click.style(text, **style) if shows_colours(sys.stdout) else text


def shows_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours and may."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
