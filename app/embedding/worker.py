"""The process that turns texts into vectors, over its standard input and output.

It is `python -m app.embedding.worker MODEL...`, with the files of all models that make one vector.
A search may wait for its start: what is loaded is what the first query needs, and the files are
compared with their digests beside the loading of numpy, which is therefore not at the top.

It knows no database and no settings, and it ends as soon as its input does, so it never outlives
the server. Passages are embedded by a thread that only gets the time which nobody else wants; a
search is embedded by another thread of usual priority, beside them, and a partner that takes
half of its products.
"""

import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from app.embedding.message_frames import (
    LENGTH_BYTES,
    Answer,
    Ask,
    decode_ask,
    decode_length,
    encode_frame,
)
from app.embedding.model_file import MappedModel, ModelFileError
from app.embedding.partner_thread import Partner

if TYPE_CHECKING:
    from app.embedding.bert import Floats, ScratchBuffers
    from app.embedding.text_models import Engine

NICE = 10
# A search's thread gets the interpreter soon, also while passages are cut into pieces.
SWITCH_SECONDS = 0.0005
Embed = Callable[[Sequence[str], "ScratchBuffers"], "Floats"]


def as_floats(vectors: "Floats") -> list[bytes]:
    """Return each vector as little-endian float32."""
    return [vector.astype("<f4").tobytes() for vector in vectors]


def as_bytes(vectors: "Floats") -> list[bytes]:
    """Return each vector as int8, its largest number as 127."""
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return [row.tobytes() for row in np.rint(vectors * (np.float32(127) / largest)).astype(np.int8)]


class Worker:
    """The threads, and what they share: the engine and the way back."""

    def __init__(self, engine: "Engine", out: BinaryIO) -> None:
        self._engine = engine
        self._out = out
        self._writing = threading.Lock()
        self._waiting: dict[str, queue.SimpleQueue[Ask]] = {
            "query": queue.SimpleQueue(),
            "passages": queue.SimpleQueue(),
        }

    def start(self) -> None:
        """Start the threads and tell that asks may come."""
        engine = self._engine
        for kind, embed, form in (
            ("query", engine.queries, as_floats),
            ("passages", engine.passages, as_bytes),
        ):
            threading.Thread(target=self._work, args=(kind, embed, form), daemon=True).start()
        self._send(Answer(0))

    def take(self, ask: Ask) -> None:
        """Put an ask before the thread of its kind."""
        self._waiting[ask.kind].put(ask)

    def _work(self, kind: str, embed: Embed, form: "Callable[[Floats], list[bytes]]") -> None:
        from app.embedding.bert import ScratchBuffers

        if kind == "passages":
            lower_priority()
        scratch = ScratchBuffers(
            Partner() if kind == "query" and (os.cpu_count() or 1) > 1 else None
        )
        while True:
            ask = self._waiting[kind].get()
            self._send(self._answer(ask, lambda texts: form(embed(texts, scratch))))

    def _answer(self, ask: Ask, embed: Callable[[Sequence[str]], list[bytes]]) -> Answer:
        try:
            return Answer(ask.number, embed(ask.texts) if ask.texts else [])
        except Exception:  # one odd text must not cost all others the worker
            import logging  # seldom needed, and a search may wait for the start of this process

            logging.getLogger("hearth.embedding").exception(
                "%d texts could not be embedded", len(ask.texts)
            )
            return Answer(ask.number, failure="The model failed on this text.")

    def _send(self, answer: Answer) -> None:
        with self._writing:
            write_answer(self._out, answer)


def lower_priority() -> None:
    """Give this thread the lowest priority where threads have one of their own, else make the
    whole process a little lower.
    """
    with contextlib.suppress(OSError):
        if sys.platform == "linux":
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
        elif sys.platform != "win32":
            os.nice(NICE)


def write_answer(out: BinaryIO, answer: Answer) -> None:
    """Write an answer; where nobody reads any more, end."""
    try:
        out.write(encode_frame(answer))
        out.flush()
    except OSError:
        os._exit(0)


def main() -> None:
    """Load the models, say so, and work until the input ends."""
    # Ctrl-C means the server, which ends its worker in its own time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setswitchinterval(SWITCH_SECONDS)
    asked, out = sys.stdin.buffer, sys.stdout.buffer
    try:
        files = [MappedModel(Path(path)) for path in sys.argv[1:]]
        from app.embedding.text_models import Engine

        worker = Worker(Engine(files), out)
    except ModelFileError as error:
        write_answer(out, Answer(0, failure=str(error)))
        return
    worker.start()
    while prefix := asked.read(LENGTH_BYTES):
        worker.take(decode_ask(asked.read(decode_length(prefix))))
    os._exit(0)  # at once, whatever is half done: nobody waits for it


if __name__ == "__main__":
    main()
