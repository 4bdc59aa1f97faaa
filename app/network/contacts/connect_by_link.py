"""Connecting by a share link: its holder gets access to the agent of whoever made it."""

from typing import Annotated

from msgspec import Meta

from app.account import contact_pairs
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import AlreadyConnected, Invalid, NotFound
from app.network.contacts import contacts, people, threads
from app.network.contacts.contacts import Contact
from app.network.grants import grant_rows, permission_object, share_rows
from app.network.grants.permission_object import Capabilities


class Connected(Record):
    contact: Contact
    conversation_id: int
    capabilities: Capabilities


@operation(
    "POST /network/connect",
    scope=("net.contacts:manage", "agent.message:send"),
    also=("POST /net/contacts/connect",),
    http=Http(guessable=True, refuses={"shareToken": "it is of the caller's own link"}),
)
def connect_by_link(
    tx: Tx, me: Caller, *, share_token: Annotated[str, Meta(min_length=1, max_length=64)]
) -> Connected:
    """Connect with whoever made a share link.

    The caller gets access to their agent, as far as the link goes.
    """
    link = share_rows.open_link_to_connect(tx, share_token)
    if link is None:
        raise NotFound(
            "There is no such share link, or it is not open any more.", field="shareToken"
        )
    if link.owner == me.user:
        raise Invalid("shareToken must be of someone else's link.", field="shareToken")
    # A grant that gives access already is never replaced by what a link happens to offer.
    if grant_rows.find_grant(tx, link.owner, me.user).permissions.agent_access:
        raise AlreadyConnected("You may ask this agent already.", field="shareToken")
    contact_pairs.connect(tx, me.user, link.owner, friend=False)
    held = grant_rows.put(
        tx,
        link.owner,
        me.user,
        permission_object.with_agent(link.permissions),
        note_id=link.note_id,
        expires_at=link.expires_at,
        link=link.id,  # the grant follows the link from now on: narrowed and ended with it
    )
    owner = people.person_row(tx, link.owner)
    contacts.tell_connected(tx, owner, people.person_row(tx, me.user))
    return Connected(
        contacts.contact_record(tx, me.user, link.owner),
        threads.shared_agent_thread(tx, link.owner, me.user),
        held.summary,
    )
