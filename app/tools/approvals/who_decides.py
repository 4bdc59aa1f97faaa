"""Who may decide an escalation.

Its owner, by nothing that whoever asked for it holds or could have made for itself.
"""

import sqlite3

from app.account import key_rows, oauth_grants
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import Forbidden

ELSEWHERE = (
    "decide with another one, at a page that you signed in to with a code (`hearth "
    "user code`), or with `hearth escalation`"
)


def reason_to_refuse(tx: Tx, me: Caller, row: sqlite3.Row) -> Forbidden | None:
    """Return why a credential of the owner's cannot decide an escalation; None where it can.

    A session that was begun with a key counts as that key: whoever holds the key can begin one.
    """
    # Whoever sits at the machine could change the database itself.
    if me.kind == "operator":
        return None
    if me.kind == "oauth":
        if row["credential_kind"] == "oauth" and row["credential"] == me.credential:
            return Forbidden(
                f"The credential that asked cannot decide: {ELSEWHERE}.", reason="asked_by_it"
            )
        return _refuse_newer_than(oauth_grants.granted_at(tx, me.user, me.credential or 0), row)
    # A session without a key was begun with a code that only a person has.
    key = key_rows.credential_key(tx, me)
    if key is None:
        return None
    if row["credential_kind"] == "key" and row["credential"] in key_rows.lineage(tx, key):
        return Forbidden(
            f"The credential that asked cannot decide, and none that it made: {ELSEWHERE}.",
            reason="asked_by_it",
        )
    return _refuse_newer_than(key_rows.secret_since(tx, key), row)


def _refuse_newer_than(since: str | None, row: sqlite3.Row) -> Forbidden | None:
    # An agent that can make keys could otherwise make one and say yes with it.
    if since is not None and since <= row["created_at"]:
        return None
    return Forbidden(
        f"A credential that is younger than what it decides cannot decide: {ELSEWHERE}.",
        reason="younger_than_it",
    )
