"""A program that is an MCP server: started within limits, spoken to by its standard streams."""

import asyncio
import collections
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from app.core.process import limited_process, process_group
from app.tools.mcp.config import McpConfig
from app.tools.mcp.definitions import clean_line
from app.tools.mcp.failures import McpFailed

LONGEST_LINE = 4 << 20
MOST_STRAY_LINES = 100
"""Lines that are no messages: some programs greet on the wrong stream, none does so for ever."""
GRACE_SECONDS = 2.0
LAST_WORDS = 2_000
LAST_WORDS_SECONDS = 0.5


class Program:
    """A running program; `trouble` says why it is not listened to any more."""

    def __init__(self, process: asyncio.subprocess.Process, life: int) -> None:
        self._process = process
        self._life = life
        self._said: collections.deque[bytes] = collections.deque(maxlen=20)
        self.trouble = ""
        self.is_heard = True
        self._is_silent = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended, and is listened to."""
        return self._process.returncode is None and self.is_heard

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error, harmless, on one line."""
        return clean_line(b" ".join(self._said)[-LAST_WORDS:].decode(errors="replace"), 300)

    async def listen(self) -> None:
        """Keep the end of what it writes as errors."""
        stream = self._process.stderr
        while stream is not None and (chunk := await stream.read(4_096)):
            self._said.append(chunk)
        self._is_silent.set()

    async def read(self, out: anyio.abc.ObjectSendStream[SessionMessage | Exception]) -> None:
        """Pass on its messages until it ends, or writes what cannot be one."""
        stream, stray = self._process.stdout, 0
        try:
            while stream is not None and (text := await stream.readline()):
                try:
                    message = jsonrpc_message_adapter.validate_json(text, by_name=False)
                except ValidationError:
                    # Some programs greet or log there, which harms nothing.
                    stray += 1
                else:
                    await out.send(SessionMessage(message))
                if stray > MOST_STRAY_LINES:
                    self.trouble = "The program writes what is no message of the protocol."
                    break
        except ValueError:
            self.trouble = f"The program writes lines longer than {LONGEST_LINE >> 20} MiB."
        except (anyio.BrokenResourceError, ConnectionError):
            pass
        finally:
            self.is_heard = False
        # What it wrote last tells why it ended, and may come a moment later.
        with anyio.move_on_after(LAST_WORDS_SECONDS):
            await self._is_silent.wait()

    async def write(self, given: anyio.abc.ObjectReceiveStream[SessionMessage]) -> None:
        """Send it what the client says."""
        stream = self._process.stdin
        async with given:
            with contextlib.suppress(ConnectionError, OSError):
                async for one in given:
                    text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                    if stream is not None:
                        stream.write(text.encode() + b"\n")
                        await stream.drain()

    async def end(self) -> None:
        """Let it end by itself for a moment, then end it and all that it has started."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self._process.wait()
        finally:
            # The process between sees this and ends the group; the signal is for when it is stuck.
            os.close(self._life)
            process_group.end_group(self._process)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await asyncio.gather(
                        *map(_drained, (self._process.stdout, self._process.stderr))
                    )
                    await self._process.wait()


async def _drained(stream: asyncio.StreamReader | None) -> None:
    """Read what is left, without which the end of a process is never seen."""
    while stream is not None and await stream.read(1 << 16):
        pass


async def start(config: McpConfig) -> Program:
    """Start the program of a server; raise McpFailed."""
    if os.name != "posix":
        raise McpFailed("MCP servers that are programs need Linux or macOS.")
    watched, life = os.pipe()
    os.set_inheritable(watched, True)
    # Not this process's own environment, which may hold keys that are none of the program's.
    environment = {**get_default_environment(), **config.env}
    try:
        process = await process_group.start_group(
            sys.executable,
            "-I",
            str(Path(limited_process.__file__)),
            str(watched),
            "",
            config.command or "",
            *config.args,
            limit=LONGEST_LINE,
            env=environment,
            cwd=Path.home(),
            pass_fds=(watched,),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except BaseException as error:
        os.close(life)
        if isinstance(error, (OSError, ValueError)):
            raise McpFailed(f"The program cannot be started: {error}.") from None
        raise
    finally:
        os.close(watched)
    return Program(process, life)


@contextlib.asynccontextmanager
async def streams(program: Program) -> AsyncIterator[tuple[Any, Any]]:
    """Give the streams of messages from and to a program; end it afterwards."""
    told, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, given = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(program.listen)
            group.start_soon(_read_to_the_end, program, told, group.cancel_scope)
            group.start_soon(program.write, given)
            try:
                yield heard, said
            finally:
                group.cancel_scope.cancel()
    finally:
        for stream in (told, heard, said, given):
            stream.close()
        with anyio.CancelScope(shield=True):
            await program.end()


async def _read_to_the_end(
    program: Program,
    told: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    scope: anyio.CancelScope,
) -> None:
    """Pass on what a program says, and leave it when it says no more."""
    await program.read(told)
    scope.cancel()
