"""A process of its own for reading what somebody sent.

It gets bytes, gives lines of JSON, and is killed when it takes too long or too much.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec

import app

MOST_MEMORY = 1 << 30
LONGEST_LINE = 8 << 20
MOST_OUTPUT = 64 << 20


class ChildEnded(Exception):
    """A process of its own ended, or had to be ended, before it gave its answer."""


async def read_lines(
    module: str, *arguments: str, given: bytes, seconds: float
) -> tuple[list[Any], bool]:
    """Return the lines that `module` wrote for `given`, decoded, and whether it came to its end
    within so many seconds.

    What it wrote before it was killed or failed is given too.
    """
    process, stdin, stdout = await _start_process(module, *arguments)
    feeding = asyncio.create_task(_write_input(stdin, given))
    found: list[Any] = []
    try:
        async with asyncio.timeout(seconds):
            await _collect_lines(stdout, found)
            return found, await process.wait() == 0
    except (TimeoutError, ValueError):  # a line that is too long or no JSON is as good as none
        return found, False
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        feeding.cancel()
        await process.wait()


async def run_reader(
    module: str,
    task: dict[str, Any],
    *,
    seconds: float,
    tell: Callable[[str, int, int | None], None] = lambda step, done, total: None,
) -> dict[str, Any]:
    """Return what `module` made of a task, which it gets as a line of JSON and answers with one.

    `error` is its own sentence of what went wrong; `tell` hears what `tell_step` tells before.

    The process lives no longer than this one, whatever ends this one. Raises ChildEnded when it
    gave no answer within so many seconds.
    """
    process, stdin, stdout = await _start_process(module)
    try:
        async with asyncio.timeout(seconds):
            stdin.write(msgspec.json.encode(task) + b"\n")
            while "step" in (line := msgspec.json.decode(await stdout.readline())):
                tell(line["step"], line["done"], line["total"])
            return cast(dict[str, Any], line)
    except (TimeoutError, ValueError, ConnectionError):
        raise ChildEnded from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        stdin.close()
        await process.wait()


async def _start_process(
    module: str, *arguments: str
) -> tuple[asyncio.subprocess.Process, asyncio.StreamWriter, asyncio.StreamReader]:
    # -P: a module that lies where the server was started is not imported in place of ours;
    # a session of its own: Ctrl-C at the server's terminal is not for this process
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module, *arguments),
        limit=LONGEST_LINE,
        env=_environment(),
        start_new_session=True,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    stdin, stdout = process.stdin, process.stdout
    return process, cast(asyncio.StreamWriter, stdin), cast(asyncio.StreamReader, stdout)


def answer_task(
    work: Callable[[dict[str, Any]], dict[str, Any]], *, expected: tuple[type[Exception], ...]
) -> None:
    """Do the task that `run_reader` sent to this process, behind all others, and answer.

    An expected failure is answered with its sentence.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.nice(19)
    task = msgspec.json.decode(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        write_line(work(task))
    except expected as error:
        write_line({"error": str(error), "code": getattr(error, "code", "")})


def tell_step(step: str, done: int = 0, total: int | None = None) -> None:
    """Tell whoever sent the task to this process how far it is."""
    write_line({"step": step, "done": done, "total": total})


def _end_with_parent() -> None:
    """End this process when the one that started it has ended.

    Nobody is there any more who would look after what it does.
    """
    # returns at the end of the input, which the end of the parent brings
    os.read(0, 1)
    # at once: the main thread may be deep in a library
    os._exit(1)


def limit_self(seconds: int) -> None:
    """Let the calling process use only so much memory and time of a processor, and step behind
    others; where the system can do that.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        os.nice(10)


def write_line(line: Any) -> None:
    """Write one line to whoever started this process, at once."""
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


async def _write_input(stream: asyncio.StreamWriter, given: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        stream.write(given)
        await stream.drain()
    stream.close()


async def _collect_lines(stream: asyncio.StreamReader, found: list[Any]) -> None:
    size = 0
    while line := await stream.readline():
        size += len(line)
        if size > MOST_OUTPUT:
            raise ValueError("the process wrote too much")
        found.append(msgspec.json.decode(line))


def _environment() -> dict[str, str]:
    """Return what a program needs to run and nothing of Hearth's settings, some of which are
    secret.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEARTH_")}
    return {**kept, "PYTHONPATH": str(Path(app.__file__).parent.parent)}
