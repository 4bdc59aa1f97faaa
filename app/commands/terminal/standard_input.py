"""What comes to a command through a pipe."""

import sys


def is_piped() -> bool:
    """Return whether standard input comes from a file or another command, not from a person."""
    return sys.stdin is not None and not sys.stdin.isatty()


def read_text() -> str:
    """Return all of standard input as text, whose bytes that are no UTF-8 are replaced."""
    if sys.stdin is None:
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")
