"""Ask for a ready program and take its place: `ready_program.py SOCKET ARGUMENTS…`.

It imports little, so that a command of a shell starts in a tenth of a fresh Python's time.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping

NUMBER = 8


def ask(
    address: str,
    arguments: list[str],
    environment: Mapping[str, str],
    folder: str,
    files: tuple[int, int, int],
    script: str = "",
) -> socket.socket:
    """Ask for `hearth` with these arguments in a folder; `files` are its input, output and errors.

    What comes back is its number, and once it has ended its exit code. `script` is what is run
    instead of `hearth`.
    """
    asked = {
        "arguments": arguments,
        "environment": dict(environment),
        "folder": folder,
        "script": script,
    }
    text = json.dumps(asked).encode()
    link = socket.socket(socket.AF_UNIX)
    link.connect(address)
    socket.send_fds(link, [len(text).to_bytes(NUMBER, "big")], files)
    link.sendall(text)
    return link


def number(link: socket.socket) -> int:
    """Return the next number that is told."""
    return int.from_bytes(whole(link, NUMBER), "big", signed=True)


def whole(link: socket.socket, size: int) -> bytes:
    """Return so many bytes."""
    found = b""
    while len(found) < size and (more := link.recv(size - len(found))):
        found += more
    assert len(found) == size, "the process that copies are made of has ended"
    return found


def main() -> None:
    """Run the command and end as it ended."""
    here = os.getcwd()  # noqa: PTH109 - pathlib takes as long as all the rest
    link = ask(sys.argv[1], sys.argv[2:], os.environ, here, (0, 1, 2))
    program = number(link)
    for which in (signal.SIGTERM, signal.SIGINT):
        signal.signal(which, lambda which, _: os.kill(program, which))
    code = number(link)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
