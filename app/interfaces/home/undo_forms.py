"""Forms that take something back: what they hold stands in their address."""

from typing import Any
from urllib.parse import urlencode

from app.interfaces.pages.forms import form_of
from app.interfaces.pages.visit import Visit

LONGEST = 4_000
"""Characters of an address; what is longer is changed back by hand."""


def undo_by(address: str, **fields: Any) -> str:
    """Return the address of a form with what it holds; empty where that is too long.

    Lists stand in it item by item.
    """
    whole = f"{address}?{urlencode(fields, doseq=True)}"
    return whole if len(whole) <= LONGEST else ""


async def given(visit: Visit) -> list[tuple[str, str]]:
    """Return the fields of a form, and those that stand in its address."""
    return [*await form_of(visit), *visit.query_params.multi_items()]
