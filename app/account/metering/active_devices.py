"""The devices that were active in a month.

Known in memory at once, written from time to time as the keys' last use is.
"""

import asyncio
import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from app.account import cap_rows
from app.account.metering import token_reservations
from app.account.metering.token_rows import Count
from app.account.periods import Span, month_end, month_of
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx, stamp
from app.core.process.background_tasks import Tasks
from app.core.process.gathered import Gathered
from app.errors import Invalid

HEADER = "X-Device-Id"
LONGEST_NAME = 128
MOST_DEVICES = 10_000
"""Most devices of a user in a month.

What names itself as yet another one is counted as its credential.
"""
MOST_ADMITTED = 10_000


class DeviceMonth(NamedTuple):
    """A device of a user in a month."""

    user: int
    month: str
    device: str


class AdmittedCaller:
    """A caller as the key ring gave it, the same with its device, and whether it was noted as
    active since the last flush.
    """

    __slots__ = ("active", "caller", "given", "noted")

    def __init__(self, given: Caller, caller: Caller, active: DeviceMonth) -> None:
        self.given = given
        self.caller = caller
        self.active = active
        self.noted = False


class Devices:
    """Who is at work with which device.

    A device that is not known yet is held against the cap of devices; known ones go on.
    """

    def __init__(self, store: Store, tasks: Tasks) -> None:
        self._store = store
        self._tasks = tasks
        self._month = ""
        self._month_ends = datetime.min.replace(tzinfo=UTC)
        self._known: dict[int, set[str]] = {}
        self._admitted: dict[int | tuple[int, bytes], AdmittedCaller] = {}
        self._seen: Gathered[DeviceMonth, tuple[datetime, datetime]] = Gathered()
        """When each was active first and last."""

    def admit(self, caller: Caller, named: bytes | None) -> Caller:
        """Note that the caller's device is active now, and give the caller with its device.

        `named` is what the request calls it.

        Raises BudgetExceeded for a new device that the cap of devices has no room for, and
        Invalid for a name that cannot be one.
        """
        # By identity: each entry holds its caller, and a caller whose key was changed is another
        # one.
        found = self._admitted.get(id(caller) if named is None else (id(caller), named))
        if found is None or not found.noted:
            found = self._note(caller, named)
        return found.caller

    async def flush_seen(self) -> None:
        """Write which devices were active since the last time."""
        # first, so that more is noted while the write waits
        self._forget_noted()
        await self._seen.flush(lambda held: self._store.write(_write_seen, held))

    def _note(self, caller: Caller, named: bytes | None) -> AdmittedCaller:
        moment = self._store.clock()
        if moment >= self._month_ends:
            self._begin_month(moment)
        key = id(caller) if named is None else (id(caller), named)
        found = self._admitted.get(key)
        if found is None:
            if len(self._admitted) >= MOST_ADMITTED:
                self._admitted.clear()
            found = self._admitted[key] = self._admit_new(caller, named)
        first, _ = self._seen.get(found.active, (moment, moment))
        self._seen[found.active] = first, moment
        found.noted = True
        return found

    def _forget_noted(self) -> None:
        for found in self._admitted.values():
            found.noted = False

    def _begin_month(self, moment: datetime) -> None:
        self._month = month_of(moment)
        self._month_ends = month_end(self._month)
        self._known.clear()
        self._admitted.clear()
        asyncio.get_running_loop().call_later(
            (self._month_ends - moment).total_seconds(), self._forget_noted
        )

    def _admit_new(self, caller: Caller, named: bytes | None) -> AdmittedCaller:
        # read once a month for each user, then kept up to date here
        known = self._known.get(caller.user)
        if known is None:
            known = self._known[caller.user] = self._store.quick(
                _known_devices, caller.user, self._month
            )
        name = (
            None
            if named is None or caller.device is not None or caller.kind == "device"
            else _device_name(named)
        )
        if name is not None and name not in known and len(known) >= MOST_DEVICES:
            name = None
        met = caller if name is None else dataclasses.replace(caller, device=name)
        device = met.device_id or met.credential_id
        if device not in known:
            if self._store.quick(_require_room, caller.user, len(known)):
                self._tasks.start(
                    self.flush_seen()
                )  # begins in the loop's next turn, when it is noted
            known.add(device)
        return AdmittedCaller(caller, met, DeviceMonth(caller.user, self._month, device))


def count_active(tx: Tx, user: int, month: str) -> int:
    """Return the number of devices that were active in a month."""
    return int(
        tx.value(
            "SELECT count(*) FROM active_devices WHERE user_id = :user AND month = :month",
            user=user,
            month=month,
        )
    )


def _device_name(named: bytes) -> str | None:
    """Return the device's name, None where it is empty."""
    name = named.decode("latin-1").strip()
    if len(name) > LONGEST_NAME or not (name.isascii() and (name.isprintable() or not name)):
        raise Invalid(
            f"{HEADER} must have 1 to {LONGEST_NAME} printable ASCII characters.", field=HEADER
        )
    return name or None


def _known_devices(tx: Tx, user: int, month: str) -> set[str]:
    return {
        row[0]
        for row in tx.all(
            "SELECT device_id FROM active_devices WHERE user_id = :user AND month = :month",
            user=user,
            month=month,
        )
    }


def _require_room(tx: Tx, user: int, known: int) -> bool:
    """Raise BudgetExceeded where a cap has no room for one more device.

    Say whether there is a cap at all.
    """
    caps = cap_rows.list_caps(tx, user, "devices")
    if full := [cap for cap in caps if known >= cap.most]:
        raise token_reservations.budget_exceeded(tx, full, token_reservations.zone_of(tx, user))
    return bool(caps)


def _write_seen(tx: Tx, seen: Mapping[DeviceMonth, tuple[datetime, datetime]]) -> None:
    for active, (first, last) in seen.items():
        tx.run(
            """INSERT INTO active_devices (user_id, month, device_id, first_seen_at, last_seen_at)
               SELECT :user, :month, :device, :first, :last WHERE
                 EXISTS (SELECT 1 FROM users WHERE id = :user)
               ON CONFLICT (user_id, month, device_id) DO UPDATE
                 SET last_seen_at = max(last_seen_at, excluded.last_seen_at)""",
            **active._asdict(),
            first=stamp(first),
            last=stamp(last),
        )
    for user, month in {(active.user, active.month) for active in seen}:
        for cap in cap_rows.list_caps(tx, user, "devices"):
            token_reservations.warn_of_cap(
                tx, user, cap, Count(count_active(tx, user, month), 0), "", Span("", month)
            )
