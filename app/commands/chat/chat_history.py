"""What was typed in chats, kept in the data directory for its owner alone."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

MOST = 1_000


class KeptHistory(History):
    """The last lines that were typed, one JSON string a line of the file, which only its owner
    may read.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._shorten()

    def load_history_strings(self) -> Iterable[str]:
        """Return what was typed, newest first."""
        return reversed(self._lines())

    def store_string(self, string: str) -> None:
        """Keep one more; a file that cannot be written is no reason to stop talking."""
        self._write(os.O_APPEND, [string])

    def _lines(self) -> list[str]:
        found: list[str] = []
        try:
            kept = self._file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return found
        for line in kept:
            try:
                text = json.loads(line)
            except ValueError:  # half a line, after a crash
                continue
            found += [text] if isinstance(text, str) else []
        return found

    def _shorten(self) -> None:
        lines = self._lines()
        if len(lines) > 2 * MOST:  # so that not every start writes the file anew
            self._write(os.O_TRUNC, lines[-MOST:])

    def _write(self, how: int, lines: list[str]) -> None:
        try:
            with os.fdopen(
                os.open(self._file, os.O_WRONLY | os.O_CREAT | how, 0o600), "w", encoding="utf-8"
            ) as out:
                # The mode of open() holds only for a new file; an old one may have another.
                self._file.chmod(0o600)
                out.writelines(json.dumps(line) + "\n" for line in lines)
        except OSError:
            return
