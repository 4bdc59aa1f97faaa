"""A line on stderr that says how far long work is, where somebody sits before it."""

import shutil
import sys

import click

from app.core.process.counted import size_text

BAR = 30
STEPS = {
    "copy": "copying",
    "check": "checking the copy",
    "encrypt": "encrypting it",
    "decrypt": "decrypting it",
    "restore": "restoring it into a place of its own",
    "read": "reading in it",
    "server": "asking its server",
    "trials": "trial",
}
"""What the steps of long work are called; see app/upkeep/long_work.py."""


class ProgressLine:
    """The line; silent where stderr is no terminal, so that a pipe or a log holds none of it."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self.is_wanted = sys.stderr.isatty()
        self._shown = False

    def show(self, done: int, total: int | None) -> None:
        """Show a number, as a bar where the whole is known."""
        if done or total:
            part = min(1.0, done / total) if total else 0.0
            bar = f"[{'#' * round(BAR * part):{BAR}}] {part:4.0%}  {done} of {total}"
            self._write(bar if total else f"{done}")

    def show_step(self, step: str, done: int, total: int | None) -> None:
        """Show a step of the work, and how much of it is done where that is known."""
        text = STEPS.get(step, step)
        if total and step == "copy":
            text += f" {size_text(done)} of {size_text(total)}"
        elif total:
            text += f" {done + 1} of {total}"
        self._write(text)

    def _write(self, text: str) -> None:
        if self.is_wanted:
            room = shutil.get_terminal_size().columns - 1
            click.echo(f"\r{f'{self._doing} {text}'[:room]}\x1b[K", nl=False, err=True)
            self._shown = True

    def end(self, *, gone: bool = False) -> None:
        """Leave the line as it is, or with `gone` take it away."""
        if self._shown:
            click.echo("\r\x1b[K" if gone else "", nl=not gone, err=True)
        self._shown = False
