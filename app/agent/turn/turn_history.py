"""What a turn leaves for the next ones, in Hearth's own form.

A model's turn is kept as the model library writes it, since its parts hold what only that model's
provider understands; such turns are read by `library_history`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from app.agent.turn import library_history
from app.agent.turn.message_files import Enclosed, Item, Prompt
from app.agent.turn.steps import Attached
from app.agent.turn.transcript import Message, Part


class History(msgspec.Struct):
    """The messages of a turn; it is an object, where the library writes a list."""

    messages: list[tuple[Any, ...]]


def encode(messages: Iterable[Message]) -> bytes:
    """Return messages as they are stored."""
    return msgspec.json.encode(History([tuple(message) for message in messages]))


def is_own(stored: bytes) -> bool:
    """Return whether a history is in Hearth's own form."""
    # So no column has to say which form it is.
    return stored.startswith(b"{")


def decode(stored: bytes) -> list[Message]:
    """Return the messages of a history, whoever wrote it."""
    if not is_own(stored):
        return library_history.messages_of(stored)
    found = msgspec.json.decode(stored, type=History)
    return [[_read_part(*part) for part in message] for message in found.messages]


def encode_exchange(message: str, answer: str) -> bytes:
    """Return the history of a turn that was cut off: its message, and what was answered so far."""
    return encode([[Part("asked", message)], [Part("said", answer)]] if answer else [])


def _read_part(kind: Any, content: Any, *rest: Any) -> Part:
    return Part(kind, _read_prompt(content) if kind == "asked" else content, *rest)


def _read_prompt(content: str | Sequence[Any]) -> Prompt:
    return content if isinstance(content, str) else [_read_item(item) for item in content]


def _read_item(item: Any) -> Item:
    return item if isinstance(item, str) else Enclosed(item[0], msgspec.convert(item[1], Attached))
