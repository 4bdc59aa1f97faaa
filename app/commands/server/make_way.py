"""Making way: a server that only stands in ends when one is started that is to stay."""

import contextlib
import time
from pathlib import Path

from app.commands.ask.data_directory import PAUSE_SECONDS
from app.commands.ask.door import ANSWER_SECONDS, connect_to_server
from app.commands.terminal.command_group import Refused
from app.core.database import data_dir


def make_way(data: Path) -> None:
    """Let a server end that runs only until one is started that is to stay, as an agent's does."""
    try:
        with data_dir.visit_directory(data):
            return
    except data_dir.InUse as busy:
        door = data_dir.read_announcement(data)
        if door is None or door.pid != busy.pid:
            return
    with contextlib.suppress(Refused):
        if (server := connect_to_server(data)) is None:
            return
        with server:
            if not server.ask(None, "step-aside", {}).get("ends"):
                return
    until = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(data_dir.InUse), data_dir.visit_directory(data):
            return
        time.sleep(PAUSE_SECONDS)
