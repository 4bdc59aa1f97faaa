"""What other layers contribute to escalations: whose rights count, what a yes does, who is told."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.tools.approvals import call_origin as origins
from app.tools.approvals.call_origin import Origin

Ended = Literal["executed", "failed", "stopped", "expired", "superseded"]


class Settled(msgspec.Struct, frozen=True):
    """How an escalation ended, for whoever raised it."""

    id: int
    user: int
    kind: str
    origin: Origin
    tool: str
    status: Ended
    result: Any = None


class Hooks(msgspec.Struct):
    """What stands behind escalations that this layer does not know.

    `rights` returns, by kind of credential, the scopes that it has now, None when it is gone;
    `callers`, for those that act by a grant, the whole caller as the grant is now. `does` does,
    by name, what is no tool of the catalogue, in the transaction of the decision. `settled` is
    called, by kind of origin, in the transaction in which a row ends.
    """

    callers: dict[str, Callable[[Tx, sqlite3.Row], Caller | None]] = msgspec.field(
        default_factory=dict
    )
    rights: dict[str, Callable[[Tx, sqlite3.Row], tuple[str, ...] | None]] = msgspec.field(
        default_factory=dict
    )
    does: dict[str, Callable[[Tx, Caller, Mapping[str, Any]], Any]] = msgspec.field(
        default_factory=dict
    )
    settled: dict[str, Callable[[Tx, Settled], None]] = msgspec.field(default_factory=dict)

    def tell(self, tx: Tx, row: sqlite3.Row, status: Ended, result: Any = None) -> None:
        """Tell whoever raised it how it ended."""
        origin = origins.unpacked(row["origin"])
        if (hear := self.settled.get(origin.kind)) is not None:
            hear(
                tx,
                Settled(
                    row["id"], row["user_id"], row["kind"], origin, row["tool"], status, result
                ),
            )
