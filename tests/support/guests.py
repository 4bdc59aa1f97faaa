"""What tests of share links share.

Making a link, and asking the agent behind it as a guest does.
"""

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from tests.conftest import ORIGIN, Client, Served

GUESTS = f"{ORIGIN}/api/chat/guest-v04"


async def link(owner: Client, **fields: Any) -> dict[str, Any]:
    """Make a share link of which guests need no account, unless the fields say otherwise."""
    made = await owner.ok(
        "POST", "/os/share", status=201, json={"scope": "all", "requireSignIn": False, **fields}
    )
    found: dict[str, Any] = made["shareLink"]
    return found


def opened(made: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Give the body of a guest's message."""
    return {"token": made["token"], "mode": "agent", "message": "hello", **fields}


async def ask(guest: Client, made: dict[str, Any], message: str, **fields: Any) -> Any:
    """Ask as a guest and give the answer."""
    return await guest.ok("POST", GUESTS, json=opened(made, message=message, **fields))


async def lines(guest: Client, made: dict[str, Any], message: str, **fields: Any) -> list[Any]:
    """Ask as a guest and give every line of the answer."""
    answer = await guest.post(GUESTS, json=opened(made, message=message, stream=True, **fields))
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    return [json.loads(line) for line in answer.text.splitlines()]


@contextlib.asynccontextmanager
async def visitor(served: Served, **headers: str) -> AsyncIterator[Client]:
    """Give somebody without a credential."""
    async with served.client(**headers) as client:
        yield client
