"""A process that is asked for something and never answers; it writes its number down."""

import os
import threading
from pathlib import Path
from typing import Any

from app.core.process.subprocess_reader import answer_task


def wait(task: dict[str, Any]) -> dict[str, Any]:
    Path(task["file"]).write_text(str(os.getpid()))
    threading.Event().wait()
    return {}


if __name__ == "__main__":
    answer_task(wait, expected=())
