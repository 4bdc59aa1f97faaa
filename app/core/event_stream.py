"""An answer that stays open and tells what happens, as server-sent events."""

MEDIA_TYPE = "text/event-stream"


class EventStream:
    """What an operation gives instead of a record when it tells what happens until it is ended."""

    __slots__ = ()

    async def next_part(self) -> bytes | None:
        """Return the next events, or a comment; None at the end.

        Of empty bytes nothing is sent; they let the credential be looked at once more.
        """
        raise NotImplementedError

    def end(self) -> None:
        """Let `next_part` return None from now on, also where it is waited for."""
        raise NotImplementedError
