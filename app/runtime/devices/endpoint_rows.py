"""The table of endpoints: a runtime on a device of a user's, and whether it can be reached."""

import dataclasses
import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import EndpointNotOwned, NotFound

Runtime = Literal["claude-code", "codex"]
PREFIX = "ep_"
PRESENT_FOR = timedelta(seconds=60)
"""How long an endpoint is online after it was last heard of."""
REMOVED = "runtime.endpoint_removed"
"""Told within the transaction that removes an endpoint, with its id, and published after it."""
COLUMNS = (
    "e.endpoint_id, e.user_id, u.uuid AS principal_id, e.device_id, e.runtime, e.bridge_version, "
    "e.adapter_version, e.capabilities, e.last_seen_at, e.removed_at"
)
TABLE = "runtime_endpoints e JOIN users u ON u.id = e.user_id"


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """An endpoint as it is kept."""

    endpoint_id: str
    user_id: int
    principal_id: str
    device_id: str
    runtime: Runtime
    bridge_version: str
    adapter_version: str
    capabilities: list[str]
    last_seen_at: str
    removed_at: str | None

    def is_online(self, moment: datetime) -> bool:
        """Return whether it was heard of within the last minute, and is not removed."""
        # a clock that was set back must not leave it online for hours
        heard = datetime.fromisoformat(self.last_seen_at)
        return self.removed_at is None and abs(moment - heard) < PRESENT_FOR


def find(tx: Tx, endpoint_id: str) -> Endpoint | None:
    """Return an endpoint, removed or not."""
    row = tx.one(f"SELECT {COLUMNS} FROM {TABLE} WHERE e.endpoint_id = :id", id=endpoint_id)
    return None if row is None else _endpoint(row)


def require_own(tx: Tx, me: Caller, endpoint_id: str) -> Endpoint:
    """Return an endpoint of the caller's, removed or not.

    Raise NotFound, or EndpointNotOwned for another user's, or one of another device than that of
    the caller's token.
    """
    found = find(tx, endpoint_id)
    if found is None:
        raise NotFound("There is no endpoint with that id.", field="endpointId")
    if found.user_id != me.user:
        raise EndpointNotOwned("This endpoint is another user's.", field="endpointId")
    require_device(me, found.device_id)
    return found


def require_live(tx: Tx, me: Caller, endpoint_id: str) -> Endpoint:
    """Return an endpoint of the caller's that is not removed; raise as `require_own` does."""
    found = require_own(tx, me, endpoint_id)
    if found.removed_at is not None:
        raise NotFound("This endpoint was removed; register it again.", field="endpointId")
    return found


def require_device(me: Caller, device_id: str) -> None:
    """Raise EndpointNotOwned where the caller's token is that of another device."""
    if me.bound_device not in (None, device_id):
        raise EndpointNotOwned("A device token acts for its own device only.", field="endpointId")


def list_own(tx: Tx, me: Caller) -> list[Endpoint]:
    """Return the caller's endpoints, removed ones too, the oldest first.

    With the token of a device, those of that device.
    """
    rows = tx.all(
        f"""SELECT {COLUMNS} FROM {TABLE} WHERE e.user_id = :user
              AND (:device IS NULL OR e.device_id = :device)
            ORDER BY e.created_at, e.endpoint_id""",
        user=me.user,
        device=me.bound_device,
    )
    return [_endpoint(row) for row in rows]


def is_online(tx: Tx, endpoint_id: str) -> bool:
    """Return whether an endpoint can be reached now."""
    found = find(tx, endpoint_id)
    return found is not None and found.is_online(tx.moment)


def upsert(
    tx: Tx,
    user: int,
    *,
    device_id: str,
    runtime: Runtime,
    bridge_version: str,
    adapter_version: str,
    capabilities: list[str],
) -> Endpoint:
    """Register a runtime of a device, and return its endpoint: the same each time."""
    tx.run(
        """INSERT INTO runtime_endpoints (endpoint_id, user_id, device_id, runtime, bridge_version,
             adapter_version, capabilities, created_at, last_seen_at)
           VALUES (:id, :user, :device, :runtime, :bridge, :adapter, :capabilities, :now, :now)
           ON CONFLICT (user_id, device_id, runtime) DO UPDATE
             SET bridge_version = excluded.bridge_version, last_seen_at = excluded.last_seen_at,
                 adapter_version = excluded.adapter_version, removed_at = NULL,
                 capabilities = excluded.capabilities""",
        id=random_tokens.new_id(PREFIX),
        user=user,
        device=device_id,
        runtime=runtime,
        bridge=bridge_version,
        adapter=adapter_version,
        capabilities=msgspec.json.encode(capabilities).decode(),
        now=tx.now,
    )
    return _endpoint(
        tx.require_row(
            f"""SELECT {COLUMNS} FROM {TABLE} WHERE e.user_id = :user
                  AND e.device_id = :device AND e.runtime = :runtime""",
            user=user,
            device=device_id,
            runtime=runtime,
        )
    )


def count_others(tx: Tx, user: int, device_id: str, runtime: Runtime) -> int:
    """Return how many endpoints a user has beside that of one runtime of a device."""
    return int(
        tx.value(
            """SELECT count(*) FROM runtime_endpoints WHERE user_id = :user AND removed_at IS NULL
                 AND NOT (device_id = :device AND runtime = :runtime)""",
            user=user,
            device=device_id,
            runtime=runtime,
        )
    )


def note_seen(tx: Tx, seen: Mapping[str, str]) -> None:
    """Write when each endpoint was heard of last."""
    for id_, moment in seen.items():
        # it may have been registered since; and what lies ahead is of a clock that was set back
        tx.run(
            "UPDATE runtime_endpoints SET last_seen_at = :moment WHERE endpoint_id = :id "
            "AND (last_seen_at < :moment OR last_seen_at > :now)",
            moment=moment,
            id=id_,
            now=tx.now,
        )


def remove(tx: Tx, endpoint_id: str) -> None:
    """Remove an endpoint: it is told nothing new, and comes back when it is registered again."""
    tx.run(
        "UPDATE runtime_endpoints SET removed_at = ifnull(removed_at, :now) "
        "WHERE endpoint_id = :id",
        now=tx.now,
        id=endpoint_id,
    )
    tx.tell(REMOVED, endpoint_id)
    tx.emit(REMOVED, endpoint=endpoint_id)


def _endpoint(row: sqlite3.Row) -> Endpoint:
    kept = dict(row)
    return Endpoint(**{**kept, "capabilities": msgspec.json.decode(kept["capabilities"])})
