"""A model's stream, of which another passes on what is its own."""

import dataclasses
from datetime import datetime

from pydantic_ai.models import StreamedResponse
from pydantic_ai.usage import RequestUsage


@dataclasses.dataclass
class WrappedStream(StreamedResponse):
    """A stream that says what `inner` says of the model, its usage and its moment."""

    inner: StreamedResponse = dataclasses.field(kw_only=True)

    async def close_stream(self) -> None:
        """Close the model's own stream."""
        await self.inner.close_stream()

    @property
    def usage(self) -> RequestUsage:
        return self.inner.usage

    @property
    def model_name(self) -> str:
        return self.inner.model_name

    @property
    def provider_name(self) -> str | None:
        return self.inner.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.inner.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.inner.timestamp
