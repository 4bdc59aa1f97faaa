"""A sealing key that cannot be read for a while."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.secret_files import Seal


@contextlib.contextmanager
def unreadable_key(seal: Seal, reason: int = errno.EMFILE) -> Iterator[None]:
    """Let the file of the key refuse to be read while the block runs."""
    real = Path.read_text

    def read(path: Path, *args: Any, **more: Any) -> str:
        if path == seal._file:
            raise OSError(reason, os.strerror(reason))
        return real(path, *args, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seal, "_key", None)
        patch.setattr(Path, "read_text", read)
        yield
