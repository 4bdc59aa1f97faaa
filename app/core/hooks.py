"""What upper layers do for lower ones within a transaction, where no event after it would do."""

import dataclasses
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from app.core.caller import Caller
from app.core.database.tx import Tx


class Request(NamedTuple):
    """A request of somebody's that waits for the user's answer.

    Who asks for what, in which words, and since when.
    """

    id: int
    sender: str
    wish: str
    words: str
    since: str


Waiting = Callable[[Tx, int, int], list[Request]]
Gate = Callable[[Any, Caller, Any, Mapping[str, Any]], Awaitable[Any]]
"""Called with the App, the caller, the operation and its fields; returns its record."""
Ask = Callable[..., Awaitable[Any]]
Delivering = Callable[[Tx, str], bool]


def no_requests(tx: Tx, user: int, most: int) -> list[Request]:
    """Return nothing: nobody can ask."""
    return []


def none_open(tx: Tx, endpoint_id: str) -> bool:
    """Return False: nothing is delivered to endpoints."""
    return False


@dataclasses.dataclass
class Hooks:
    """What main fills in.

    Of escalations: `rights` returns, by kind of credential, the scopes that it has now, None when
    it is gone; `callers`, for those that act by a grant, the whole caller as the grant is now.

    `credentials` completes, by kind of credential, the caller that its row alone makes; `gates`
    does, by kind of caller, what such a caller asks to change, or leaves it to the owner.
    `ask_managed_agent` gives what the agent of a handle answers; `agent_seen` the caller that a
    user's agent of that handle is.

    `requests` returns those that wait for a user's answer, the oldest first, at most so many.
    `is_delivering` returns whether deliveries to an endpoint have not come to their end.
    """

    callers: dict[str, Callable[[Tx, sqlite3.Row], Caller | None]] = dataclasses.field(
        default_factory=dict
    )
    rights: dict[str, Callable[[Tx, sqlite3.Row], tuple[str, ...] | None]] = dataclasses.field(
        default_factory=dict
    )
    requests: Waiting = no_requests
    credentials: dict[str, Callable[[Tx, Caller], Caller]] = dataclasses.field(default_factory=dict)
    gates: dict[str, Gate] = dataclasses.field(default_factory=dict)
    ask_managed_agent: Ask | None = None
    agent_seen: Callable[[Tx, Caller, str], Caller] | None = None
    is_delivering: Delivering = none_open
