"""The key ring: who a key, an OAuth access token or a device token belongs to, from memory."""

from app.account import device_tokens, key_rows, oauth_grants, oauth_tokens
from app.core.caller import Caller
from app.core.database.store import Store
from app.core.database.tx import Tx, stamp
from app.core.hooks import Hooks


class KeyRing:
    """Who a key or a token belongs to, answered from memory.

    What commits a change of keys, grants, devices or users empties it.

    The times of last use are gathered here and written at most once a minute by `flush`, not in
    a transaction for each request.
    """

    def __init__(self, store: Store, hooks: Hooks) -> None:
        self._store, self._hooks = store, hooks
        self._known: dict[bytes, Caller | None] = {}
        self._used = _none_used()
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
        # the first use since the last flush will do, and costs later ones a look-up only
        used = self._used["key" if caller.kind == "managed_agent" else caller.kind]
        if caller.credential is not None and caller.credential not in used:
            used[caller.credential] = stamp(self._store.clock())

    async def flush(self) -> None:
        """Write the times of last use that were gathered."""
        if any(self._used.values()):
            used, self._used = self._used, _none_used()
            await self._store.write(_note_use, used)


def _find_caller(tx: Tx, print_: bytes, hooks: Hooks) -> Caller | None:
    found = (
        key_rows.find_caller(tx, print_)
        or oauth_tokens.find_caller(tx, print_)
        or device_tokens.find_caller(tx, print_)
    )
    complete = None if found is None else hooks.credentials.get(found.kind)
    return found if found is None or complete is None else complete(tx, found)


def _none_used() -> dict[str, dict[int, str]]:
    return {"key": {}, "oauth": {}, "device": {}}


def _note_use(tx: Tx, used: dict[str, dict[int, str]]) -> None:
    key_rows.note_use(tx, used["key"])
    oauth_grants.note_use(tx, used["oauth"])
    device_tokens.note_use(tx, used["device"])
