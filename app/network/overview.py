"""The network at a glance: share links, visitors and contacts.

And what guests and one's agent said to each other.
"""

import sqlite3
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.account.metering import token_reservations
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import operation
from app.core.schema import Id, Most, Offset, Record
from app.errors import NotFound
from app.network.contacts import contact_requests, contacts
from app.network.contacts.contacts import Contact
from app.network.grants import grant_rows, share_rows
from app.network.grants.permission_object import Capabilities
from app.network.grants.share_rows import GUEST, Link
from app.network.grants.share_terms import capabilities_of
from app.network.guests import guest_rows, share_view
from app.tools.approvals import stop_switch

MOST_LINKS, MOST_VISITORS, MOST_CONTACTS = 200, 200, 500
Availability = Literal["available", "budget_spent", "paused"]


class LinkAnalytics(Record):
    """Who came by a link; `messages` are those that guests wrote."""

    visitors: int
    sessions: int
    messages: int


class LinkSeen(Record):
    token: str
    label: str
    agent_url: str
    capabilities: Capabilities
    expires_at: str | None
    created_at: str
    analytics: LinkAnalytics
    is_active: bool
    status: share_rows.Status


class VisitorSeen(Record):
    """A session of a guest; who they are is known of those who signed in, and by the name that
    they gave.
    """

    session_id: str
    share_token: str
    link_label: str
    fingerprint: str
    messages: int
    last_active_at: str
    guest_user_id: str | None
    guest_name: str | None
    guest_username: str | None
    guest_email: str | None


class ContactSeen(Contact):
    """A contact, with whether their agent can answer now where one may ask it, and how many of
    their messages are unread.
    """

    availability: Availability | None
    next_active_at: str | None
    unread_count: int


class NetworkSummary(Record):
    total_links: int
    active_links: int
    total_visitors: int
    total_contacts: int
    pending_requests: int
    total_groups: int
    unread_messages: int


class Overview(Record):
    """The newest of each; the summary counts all of them."""

    share_links: list[LinkSeen]
    visitors: list[VisitorSeen]
    contacts: list[ContactSeen]
    summary: NetworkSummary


class NetworkAnswer(Record):
    network: Overview


class WholeNetworkAnswer(Overview):
    """The same under `network` and beside it."""

    network: Overview


class Visitor(Record):
    name: str | None
    username: str | None
    email: str | None
    user_id: str | None
    fingerprint: str


class LastMessage(Record):
    role: str
    content: str


class GuestConversation(Record):
    """A session of a guest on one of the caller's links."""

    session_id: str
    share_token: str
    link_label: str
    guest_name: str | None
    last_role: str | None
    last_content: str | None
    last_created_at: str | None
    visitor: Visitor
    message_count: int
    last_message: LastMessage | None
    created_at: str
    last_active_at: str


class GuestConversations(Record):
    conversations: list[GuestConversation]
    limit: int
    offset: int


class TranscriptMessage(Record):
    id: int
    role: str
    content: str
    created_at: str


class Transcript(GuestConversation):
    """A session with its messages, oldest first."""

    messages: list[TranscriptMessage]
    total: int


@operation("GET /network", scope="os.network:read")
async def read_network(app: App, me: Caller) -> NetworkAnswer:
    """Show the caller's share links, who came by them, and the caller's contacts."""
    return NetworkAnswer(await app.read(_network_overview, me, stop_switch.is_stopped(app)))


@operation("GET /os/network", scope="os.network:read")
async def read_whole_network(app: App, me: Caller) -> WholeNetworkAnswer:
    """Show share links, visitors and contacts in one view, under `network` and beside it."""
    found = await app.read(_network_overview, me, stop_switch.is_stopped(app))
    return WholeNetworkAnswer(**msgspec.structs.asdict(found), network=found)


@operation("GET /os/network/conversations", scope="os.network:read")
def list_guest_conversations(
    tx: Tx,
    me: Caller,
    *,
    share_token: Annotated[str, Meta(max_length=64)] | None = None,
    limit: Annotated[int, Meta(ge=1), Most(100)] = 20,
    offset: Offset = 0,
) -> GuestConversations:
    """List the conversations of guests with the caller's agent, newest messages first.

    `shareToken` names one link.
    """
    link = None if share_token is None else share_rows.find_own(tx, me.user, share_token)
    # `find_own` takes an id too, which this parameter is not.
    if share_token is not None and (link is None or link.token != share_token):
        raise NotFound("There is no such share link.", field="shareToken")
    rows = guest_rows.list_page(tx, me.user, link=link and link.id, limit=limit, offset=offset)
    return GuestConversations([_conversation_record(tx, row) for row in rows], limit, offset)


@operation("GET /os/network/conversations/{sessionId}", scope="os.network:read")
def read_guest_conversation(
    tx: Tx,
    me: Caller,
    *,
    session_id: Annotated[str, Meta(min_length=1, max_length=64)],
    limit: Annotated[int, Meta(ge=1), Most(500)] = 200,
    before: Id | None = None,
) -> Transcript:
    """Read what a guest and the caller's agent said to each other.

    The newest messages, or those before one, oldest first.
    """
    row = guest_rows.find_session(tx, me.user, session_id)
    if row is None:
        raise NotFound("There is no such session on your links.", field="sessionId")
    found = guest_rows.list_newest(tx, row["conversation_id"], limit=limit, before=before)
    head = _conversation_record(tx, row)
    return Transcript(
        **msgspec.structs.asdict(head),
        messages=[TranscriptMessage(*each) for each in found],
        total=head.message_count,
    )


def _network_overview(tx: Tx, me: Caller, stopped: bool) -> Overview:
    links, total = share_rows.list_page(tx, me.user, "kept", limit=MOST_LINKS)
    _, active = share_rows.list_page(tx, me.user, "active", limit=1)
    known = contacts.list_contacts(tx, me, limit=MOST_CONTACTS)
    requests = contact_requests.list_requests(tx, me)
    groups = tx.value(
        "SELECT count(*) FROM conversation_members m "
        "JOIN conversations c ON c.id = m.conversation_id "
        "WHERE m.user_id = :me AND c.type = 'group'",
        me=me.user,
    )
    unread = _count_unread(tx, me)
    summary = NetworkSummary(
        total,
        active,
        guest_rows.count_visitors(tx, me.user),
        known.total,
        len(requests.incoming),
        groups,
        sum(unread.values()),
    )
    return Overview(
        [_link_record(tx, link) for link in links],
        [_visitor_record(row) for row in guest_rows.list_page(tx, me.user, limit=MOST_VISITORS)],
        [
            _contact_record(tx, me, one, unread.get(one.user_id, 0), stopped=stopped)
            for one in known.contacts
        ],
        summary,
    )


def _link_record(tx: Tx, link: Link) -> LinkSeen:
    status = link.status(tx.now)
    return copy_fields(
        LinkSeen,
        link,
        agent_url=share_view.link_url(tx, link),
        capabilities=capabilities_of(link.terms, link.note_id),
        analytics=LinkAnalytics(*guest_rows.count_visits(tx, link.id)),
        is_active=status == "active",
        status=status,
    )


def _visitor_record(row: sqlite3.Row) -> VisitorSeen:
    return VisitorSeen(
        row["uuid"],
        row["token"],
        row["label"],
        row["fingerprint"],
        row["asked"],
        row["active_at"],
        row["guest_uuid"],
        row["guest_name"] or row["user_name"],
        row["guest_username"],
        row["guest_email"],
    )


def _contact_record(tx: Tx, me: Caller, one: Contact, unread: int, *, stopped: bool) -> ContactSeen:
    availability, next_at = (
        _agent_availability(tx, me, one, stopped=stopped)
        if one.agent_access.received
        else (None, None)
    )
    return ContactSeen(
        **msgspec.structs.asdict(one),
        availability=availability,
        next_active_at=next_at,
        unread_count=unread,
    )


def _agent_availability(
    tx: Tx, me: Caller, one: Contact, *, stopped: bool
) -> tuple[Availability, str | None]:
    """Return whether a contact's agent can answer now, and when it can again where that is
    known."""
    if stopped:
        return "paused", None
    # Asked of the reservations, not by trying: to look must not use up anybody's tokens.
    owner = tx.value("SELECT id FROM users WHERE uuid = :uuid", uuid=one.user_id)
    acting = grant_rows.peer_caller(tx, owner, me.user)
    next_at = None if acting is None else token_reservations.spent_until(tx, acting, feature="rpc")
    return ("available", None) if next_at is None else ("budget_spent", next_at)


def _count_unread(tx: Tx, me: Caller) -> dict[str, int]:
    """Count what is unread by the userId of whom it is from, or empty for what is from nobody
    else's hand, such as one's own agent's answers.
    """
    rows = tx.all(
        """SELECT ifnull(u.uuid, '') AS uuid, count(*) AS number FROM conversation_members m
           JOIN messages ON messages.conversation_id = m.conversation_id
             AND messages.id > m.read_id AND messages.id > m.since_id
           LEFT JOIN users u ON u.id = messages.sender_id
           WHERE m.user_id = :me AND NOT (messages.role = 'user' AND messages.sender_id IS :me)
             GROUP BY messages.sender_id""",
        me=me.user,
    )
    return {row["uuid"]: row["number"] for row in rows}


def _conversation_record(tx: Tx, row: sqlite3.Row) -> GuestConversation:
    last = next(iter(guest_rows.list_newest(tx, row["conversation_id"], limit=1)), None)
    name = row["guest_name"] or row["user_name"]
    visitor = Visitor(
        name, row["guest_username"], row["guest_email"], row["guest_uuid"], row["fingerprint"]
    )
    role, content, at = (
        (None, None, None) if last is None else (last["role"], last["content"], last["created_at"])
    )
    # The last message stands in it twice, flat and nested: clients of both shapes read this.
    return GuestConversation(
        row["uuid"],
        row["token"],
        row["label"],
        name or GUEST,
        role,
        content,
        at,
        visitor,
        guest_rows.count_messages(tx, row["conversation_id"]),
        None if last is None else LastMessage(last["role"], last["content"]),
        row["created_at"],
        row["active_at"],
    )
