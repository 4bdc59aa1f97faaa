"""Who is looked at by another's eyes.

The callers that an owner can name to see what they would see.
"""

from app.account import contact_pairs, key_rows
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.hooks import Hooks
from app.errors import Forbidden, Invalid, NotFound
from app.network.contacts import people
from app.network.grants import grant_rows, share_rows

NAMES = "me, session, key:<id>, agent:<handle>, contact:<username> or guest:<link>"


def caller_named(tx: Tx, me: Caller, name: str, hooks: Hooks) -> Caller:
    """Return a caller of the owner's by name.

    `me` who asks, `session` the owner at a page, `key:<id>` one of the owner's keys,
    `agent:<handle>` one of the owner's managed agents,
    `contact:<username>` a contact who asks the owner's agent, `guest:<link>` a guest of the share
    link of that id or token.

    Raises NotFound for what is not the owner's, Unauthorized for a key that is revoked or
    expired, Forbidden for a contact without access to the agent and for a link that is not open,
    Invalid for any other name.
    """
    kind, _, rest = name.strip().partition(":")
    if kind == "me" and not rest:
        return me
    if kind == "session" and not rest:
        return Caller(me.user, me.user_id, me.username, "session")
    if kind == "key" and rest.isascii() and rest.isdecimal():
        # Fifteen digits always fit into SQLite's integers.
        return key_rows.caller_of(tx, me, int(rest[:15]))
    if kind == "agent" and rest and hooks.agent_seen is not None:
        return hooks.agent_seen(tx, me, rest)
    if kind == "contact" and rest:
        return _contact_caller(tx, me, rest)
    if kind == "guest" and rest:
        return _guest_caller(tx, me, rest)
    raise Invalid(f"caller must be {NAMES}.", field="caller")


def _contact_caller(tx: Tx, me: Caller, name: str) -> Caller:
    """Return the owner's agent as a contact who asks it has it."""
    person = people.require_person(tx, name, field="caller")
    # The same answer as for nobody: who is on this server is not to be found out by asking.
    if not contact_pairs.are_contacts(tx, me.user, person["id"]):
        raise NotFound(f"There is no user called {name[:64]}.", field="caller")
    peer = grant_rows.peer_caller(tx, me.user, person["id"])
    if peer is None:
        raise Forbidden(
            f"{person['username']} was not granted access to this agent.",
            reason="agent_access_not_granted",
        )
    return peer


def _guest_caller(tx: Tx, me: Caller, ref: str) -> Caller:
    """Return the owner's agent as a guest of a link has it."""
    link = share_rows.find_own(tx, me.user, ref)
    if link is None:
        raise NotFound("There is no such share link.", field="caller")
    guest = share_rows.guest_caller(tx, link.id)
    if guest is None:
        raise Forbidden(f"The share link is {link.status(tx.now)}.", reason="link_not_open")
    return guest
