"""Who is looked at by another's eyes: the callers that an owner can name to see what they would see."""

from app.account import keys
from app.core.caller import Caller
from app.core.tx import Tx
from app.errors import Invalid

NAMES = "me, session or key:<id>"


def named(tx: Tx, me: Caller, name: str) -> Caller:
    """Give a caller of the owner's by name: `me` who asks, `session` the owner at a page, `key:<id>` one of the owner's keys.

    Raises NotFound for what is not the owner's, Unauthorized for a key that is revoked or expired, Invalid for any other name.
    """
    kind, _, rest = name.strip().partition(":")
    if kind == "me" and not rest:
        return me
    if kind == "session" and not rest:
        return Caller(me.user, me.user_id, me.username, "session")
    if kind == "key" and rest.isascii() and rest.isdecimal():
        return keys.caller_of(tx, me, int(rest[:15]))
    raise Invalid(f"caller must be {NAMES}.", field="caller")
