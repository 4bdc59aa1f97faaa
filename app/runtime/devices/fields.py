"""The fields that programs say of themselves, and what all of them may be."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.core.schema import Line
from app.core.schema_errors import PLAIN_WORDS
from app.errors import Invalid

MOST_CAPABILITIES = 100
LARGEST_BOUNDARY = 4 << 10


Version = Annotated[str, Line(1, 100)]
Capabilities = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=200, pattern=PLAIN_WORDS)]],
    Meta(max_length=MOST_CAPABILITIES, description="words that the program says of itself"),
]
DeviceId = Annotated[str, Line(1, 128)]
WorkspaceBoundary = Annotated[str | dict[str, Any], Meta(description="text or an object")]
Label = Annotated[str, Line(1, 200)]
EndpointId = Annotated[str, Meta(min_length=1, max_length=64)]
Handle = Annotated[str, Meta(min_length=1, max_length=64)]
REFUSES = {"workspaceBoundary": f"as JSON it has more than {LARGEST_BOUNDARY} bytes"}


def require_small(boundary: str | dict[str, Any] | None) -> None:
    """Raise Invalid for a workspace's boundary that is too large to keep."""
    if boundary is not None and len(msgspec.json.encode(boundary)) > LARGEST_BOUNDARY:
        raise Invalid(
            f"workspaceBoundary must have at most {LARGEST_BOUNDARY} bytes as JSON.",
            field="workspaceBoundary",
        )
