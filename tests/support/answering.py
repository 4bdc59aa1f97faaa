"""A port of this machine whose connections a test answers, in its loop."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

ROUNDS = 3
"""How many rounds of the loop a connection takes from being accepted to being answered."""


@contextlib.asynccontextmanager
async def answering(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Have each connection answered while the block runs, and give the port.

    No connection outlives the block, whether its client holds it open, reads nothing, or its answer
    never comes; asyncio's own server leaves them to the loop's end.
    """
    under_way: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        under_way.add(task)
        # also of one that is cancelled again while its connection is being let go
        task.add_done_callback(under_way.discard)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await answer(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        # asyncio loses a connection that was accepted in the round in which its server is closed
        for listener in server.sockets:
            asyncio.get_running_loop().remove_reader(listener.fileno())
        await _let_others_run()
        server.close()
        while under_way:
            for task in under_way:
                task.cancel()
            await asyncio.wait(under_way)
            # a closed connection is let go in the loop's next round
            await _let_others_run()


async def _let_others_run() -> None:
    for _ in range(ROUNDS):
        await asyncio.sleep(0)
