"""A program that leads a group of processes, so that it is ended with all that it starts."""

import asyncio
import contextlib
import os
import signal
import sys
from typing import Any

END_SECONDS = 5.0


async def start_group(*command: str, **how: Any) -> asyncio.subprocess.Process:
    """Return a program, started; how, as `asyncio.create_subprocess_exec` wants it.

    Cancelled while it starts, all that it has started by then is ended too: asyncio would end the
    leader alone. Raises OSError where it cannot be started.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(*command, start_new_session=True, **how)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError, TimeoutError):
            process = await starting
            end_group(process)
            async with asyncio.timeout(END_SECONDS):
                await process.communicate()  # its end is seen only once nothing is left to read
        raise


def end_group(process: asyncio.subprocess.Process) -> None:
    """End at once what is left of a program and of all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
