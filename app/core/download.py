"""An answer that is a file: its bytes go out part by part, to be saved and never to be shown."""

import dataclasses
from collections.abc import AsyncGenerator


@dataclasses.dataclass(frozen=True)
class Download:
    """What an operation gives instead of a record; `parts` come to `size` bytes in all."""

    name: str
    media_type: str
    size: int
    parts: AsyncGenerator[bytes, None]
