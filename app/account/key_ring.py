"""The key ring: who a key, an OAuth access token or a device token belongs to, from memory."""

from collections.abc import Mapping

from app.account import device_tokens, key_rows, oauth_grants, oauth_tokens
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx, stamp
from app.core.hooks import Hooks
from app.core.process.gathered import Gathered

NOTES = {"key": key_rows.note_use, "oauth": oauth_grants.note_use, "device": device_tokens.note_use}
"""What writes down the last use of each kind of credential."""


class KeyRing:
    """Who a key or a token belongs to, answered from memory.

    What commits a change of keys, grants, devices or users empties it.

    The times of last use are gathered here and written at most once a minute by `flush`, not in
    a transaction for each request.
    """

    def __init__(self, store: Store, hooks: Hooks) -> None:
        self._store, self._hooks = store, hooks
        self._known: dict[bytes, Caller | None] = {}
        self._used: Gathered[tuple[str, int], str] = Gathered()
        for event in ("keys.changed", "grants.changed", "devices.changed", "users.changed"):
            store.events.on(event, lambda _: self._known.clear())

    def find_caller(self, key: str) -> Caller | None:
        """Return the caller whose key or token this is.

        None when it is unknown, expired or revoked.
        """
        print_ = key_rows.key_digest(key)
        found = self._known.get(print_)
        if found is None:
            found = self._store.quick(_find_caller, print_, self._hooks)
            if found is None:
                return None
            # only keys that hold, or anybody could fill the memory with wrong ones
            self._known[print_] = found
        if found.expires_at is not None and found.expires_at <= stamp(self._store.ends()):
            return None
        return found

    def note_use(self, caller: Caller) -> None:
        """Note that the caller's key, grant or device was used now."""
        if caller.credential is None:
            return
        # the first use since the last flush will do, and costs later ones a look-up only
        used = ("key" if caller.kind == "managed_agent" else caller.kind, caller.credential)
        if used not in self._used:
            self._used[used] = stamp(self._store.clock())

    async def flush(self) -> None:
        """Write the times of last use that were gathered."""
        await self._used.flush(lambda held: self._store.write(_note_use, held))


def _find_caller(tx: Tx, print_: bytes, hooks: Hooks) -> Caller | None:
    found = (
        key_rows.find_caller(tx, print_)
        or oauth_tokens.find_caller(tx, print_)
        or device_tokens.find_caller(tx, print_)
    )
    complete = None if found is None else hooks.credentials.get(found.kind)
    return found if found is None or complete is None else complete(tx, found)


def _note_use(tx: Tx, used: Mapping[tuple[str, int], str]) -> None:
    for kind, note in NOTES.items():
        note(tx, {number: at for (of, number), at in used.items() if of == kind})
