"""Files that go along with a task: read, checked, and named with their hashes."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.commands.terminal.command_group import Refused
from app.commands.terminal.terminal_safe import on_one_line

MOST_ITEMS = 12
MOST_CONTENT = 96 << 10
MOST_LABEL = 120
MOST_SUMMARY = 2_000
SECRETS = re.compile(
    r"(^\.env(\.|$)|^id_(rsa|dsa|ecdsa|ed25519)$|^(credential|secret)s?(\.|$)|\.(pem|key)$)"
)
"""Names of files that hold secrets; nobody sends one by mistake."""
KINDS = {".diff": "diff", ".patch": "diff", ".log": "test_output"}


def read_context(task: str, files: Sequence[Path]) -> dict[str, Any] | None:
    """Return what the server takes as the context of a task; raise Refused naming the file."""
    if not files:
        return None
    if len(files) > MOST_ITEMS:
        raise Refused(f"At most {MOST_ITEMS} files can go along with a task.")
    items = [_item(file) for file in files]
    if sum(len(item["content"].encode()) for item in items) > MOST_CONTENT:
        raise Refused(f"The files hold more than {MOST_CONTENT >> 10} KiB.")
    names = ", ".join(item["label"] for item in items)
    return {
        "objective": task,
        "summary": f"Files given with the task: {names}"[:MOST_SUMMARY],
        "items": items,
        "limitations": [],
    }


def _item(file: Path) -> dict[str, Any]:
    shown = on_one_line(file, 200)
    if SECRETS.search(file.name.lower()):
        raise Refused(f"{shown} is named like a file of secrets, so it is not sent.")
    try:
        with file.open("rb") as content:
            text = content.read(MOST_CONTENT + 1).decode()
    except OSError as error:
        raise Refused(f"Cannot read {shown}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Refused(f"{shown} is not text, so it cannot be sent along.") from None
    if not text.strip() or "\0" in text:
        raise Refused(f"{shown} is {'not text' if text.strip() else 'empty'}.")
    return {
        "kind": KINDS.get(file.suffix.lower(), "file_excerpt"),
        "label": file.name[:MOST_LABEL],
        "content": text,
        "sourcePath": str(file),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
