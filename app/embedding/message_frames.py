"""What goes over the pipes between the server and the worker.

Messages, each after its length in four bytes: a number, then texts and vectors, each after its
length too. No package encodes them, for the one that could took 8 ms of a worker's start.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

LENGTH_BYTES = 4

Kind = Literal["query", "passages"]


class Ask(NamedTuple):
    """Texts to embed: a single one for a search, or passages to keep."""

    number: int
    kind: Kind
    texts: Sequence[str]


class Answer(NamedTuple):
    """The vectors of an ask, or why there are none.

    Number 0 is the worker's first word: it has loaded the model, or it cannot.
    """

    number: int
    vectors: Sequence[bytes] = []
    failure: str = ""


def encode_frame(message: Ask | Answer) -> bytes:
    """Return a message as it is sent; raise UnicodeEncodeError where it holds half a character."""
    if isinstance(message, Ask):
        parts = [part.encode() for part in (message.kind, *message.texts)]
    else:
        parts = [message.failure.encode(), *message.vectors]
    pieces = [piece for part in parts for piece in (_length(part), part)]
    body = b"".join([message.number.to_bytes(LENGTH_BYTES, "little"), *pieces])
    return _length(body) + body


def decode_ask(body: bytes) -> Ask:
    """Return the ask that was sent."""
    number, (kind, *texts) = _decode(body)
    return Ask(number, cast(Kind, kind.decode()), [text.decode() for text in texts])


def decode_answer(body: bytes) -> Answer:
    """Return the answer that was sent; raise ValueError where it is none."""
    number, (failure, *vectors) = _decode(body)
    return Answer(number, vectors, failure.decode())


def decode_length(prefix: bytes) -> int:
    """Return the number of bytes that follow."""
    return int.from_bytes(prefix, "little")


def _length(part: bytes) -> bytes:
    return len(part).to_bytes(LENGTH_BYTES, "little")


def _decode(body: bytes) -> tuple[int, list[bytes]]:
    parts = []
    place = LENGTH_BYTES
    while place < len(body):
        start = place + LENGTH_BYTES
        place = start + decode_length(body[place:start])
        parts.append(body[start:place])
    if place != len(body):
        raise ValueError("The message has another length than it says.")
    return decode_length(body[:LENGTH_BYTES]), parts
