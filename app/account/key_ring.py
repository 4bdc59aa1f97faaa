"""The key ring: who a key belongs to, answered from memory."""

from app.account import key_rows
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import stamp


class KeyRing:
    """Who a key belongs to, answered from memory.

    What commits a change of keys or users empties it.

    The times of last use are gathered here and written at most once a minute by `flush`, not in
    a transaction for each request.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, Caller | None] = {}
        self._used: dict[int, str] = {}
        for event in ("keys.changed", "users.changed"):
            store.events.on(event, lambda _: self._known.clear())

    def find_caller(self, key: str) -> Caller | None:
        """Return the caller whose key this is, or None when it is unknown, expired or revoked."""
        print_ = key_rows.key_digest(key)
        found = self._known.get(print_)
        if found is None:
            found = self._store.quick(key_rows.find_caller, print_)
            if found is None:
                return None
            # only keys that hold, or anybody could fill the memory with wrong ones
            self._known[print_] = found
        if found.expires_at is not None and found.expires_at <= stamp(self._store.ends()):
            return None
        return found

    def note_use(self, caller: Caller) -> None:
        """Note that the caller's key was used now."""
        # the first use since the last flush will do, and costs later ones a look-up only
        if caller.credential is not None and caller.credential not in self._used:
            self._used[caller.credential] = stamp(self._store.clock())

    async def flush(self) -> None:
        """Write the times of last use that were gathered."""
        if self._used:
            used, self._used = self._used, {}
            await self._store.write(key_rows.note_use, used)
