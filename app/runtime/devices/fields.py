"""The fields that programs say of themselves, and what all of them may be."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.core.schema import Line, Rule

MOST_CAPABILITIES = 100
LARGEST_BOUNDARY = 4 << 10


class Boundary(Rule, frozen=True):
    """A folder, or whatever else a runtime calls the bounds of its work."""

    def __call__(self, value: Any) -> Any:
        if len(msgspec.json.encode(value)) > LARGEST_BOUNDARY:
            raise ValueError(f"must have at most {LARGEST_BOUNDARY} bytes as JSON")
        return value


Version = Annotated[str, Line(1, 100)]
Capabilities = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[!-~]+( [!-~]+)*$")]],
    Meta(max_length=MOST_CAPABILITIES, description="words that the program says of itself"),
]
DeviceId = Annotated[str, Line(1, 128)]
WorkspaceBoundary = Annotated[
    str | dict[str, Any], Meta(description="text or an object of at most 4 KiB"), Boundary()
]
Label = Annotated[str, Line(1, 200)]
EndpointId = Annotated[str, Meta(min_length=1, max_length=64)]
Handle = Annotated[str, Meta(min_length=1, max_length=64)]
