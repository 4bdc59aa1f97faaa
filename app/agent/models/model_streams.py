"""A model that is only ever asked for streams, and a stream that passes on another's."""

import dataclasses
from datetime import datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
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


class StreamingModel(Model[Any]):
    """What guards, meters or replaces a stream holds for a whole answer too, which is a stream
    that was read to its end.
    """

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the whole next step."""
        async with self.request_stream(
            messages, model_settings, model_request_parameters
        ) as stream:
            async for _ in stream:
                pass
        return stream.get()
