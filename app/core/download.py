"""An answer that is a file: its bytes go out part by part, to be saved and never to be shown."""

from collections.abc import AsyncGenerator

from msgspec import Struct


class Download(Struct, frozen=True):
    """What an operation gives instead of a record; `parts` come to `size` bytes in all."""

    name: str
    media_type: str
    size: int
    parts: AsyncGenerator[bytes, None]
