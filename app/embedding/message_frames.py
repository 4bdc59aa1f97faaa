"""What goes over the pipes between the server and the worker.

Messages, each after its length in four bytes.
"""

from typing import Literal

import msgspec

LENGTH_BYTES = 4

Kind = Literal["query", "passages"]


class Ask(msgspec.Struct, array_like=True):
    """Texts to embed: a single one for a search, or passages to keep."""

    number: int
    kind: Kind
    texts: list[str]


class Answer(msgspec.Struct, array_like=True):
    """The vectors of an ask, or why there are none.

    Number 0 is the worker's first word: it has loaded the model, or it cannot.
    """

    number: int
    vectors: list[bytes] = []
    failure: str = ""


decode_ask = msgspec.msgpack.Decoder(Ask).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode
_encode = msgspec.msgpack.Encoder().encode


def encode_frame(message: Ask | Answer) -> bytes:
    """Return a message as it is sent."""
    body = _encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "little") + body


def decode_length(prefix: bytes) -> int:
    """Return the number of bytes that follow."""
    return int.from_bytes(prefix, "little")
