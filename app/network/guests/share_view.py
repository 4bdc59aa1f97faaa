"""A share link as its owner sees it."""

from msgspec import UNSET, UnsetType

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.grant_scope import Access
from app.core.schema import Record
from app.errors import NotFound
from app.network.grants import share_rows
from app.network.grants.permission_object import Capabilities, EmailAccess, TodoAccess, ToolAccess
from app.network.grants.share_rows import AnsweredBy, Link, Target
from app.network.grants.share_terms import Calendars, Identity, Scope, capabilities_of
from app.network.guests import guest_rows, policy_notes


class Analytics(Record):
    """Who came by a link; `totalMessages` are those that guests wrote."""

    unique_visitors: int
    total_conversations: int
    total_messages: int


class ShareLink(Record):
    """A share link; `policyNoteId` is null when its policy note was deleted."""

    id: int
    token: str
    url: str
    agent_url: str
    scope: Scope
    folder_ids: list[int]
    note_id: int | None
    target: Target
    access: Calendars
    notes_access: Access
    label: str
    require_sign_in: bool
    is_active: bool
    status: share_rows.Status
    answered_by: AnsweredBy
    expires_at: str | None
    created_at: str
    identity: Identity
    email: EmailAccess
    todos: TodoAccess
    tools: ToolAccess
    capabilities: Capabilities
    policy_note_id: int | None
    analytics: Analytics


class ShareAnswer(Record):
    """`policyEnforced` is false, with a `notice`, where the link has rules of its own and no
    language model that could follow them.
    """

    share_link: ShareLink
    policy_enforced: bool | UnsetType = UNSET
    notice: str | UnsetType = UNSET


def require_own_link(tx: Tx, me: Caller, ref: str) -> Link:
    """Return the caller's link of that id or token, however it stands; raise NotFound."""
    link = share_rows.find_own(tx, me.user, ref)
    if link is None:
        raise NotFound("There is no such share link.", field="linkId")
    return link


def link_url(tx: Tx, link: Link) -> str:
    """Return the address that is passed on to guests."""
    return f"{tx.settings.origin}/{'shared' if link.target == 'note' else 'a'}/{link.token}"


def share_record(tx: Tx, link: Link) -> ShareLink:
    """Return a link as its owner sees it."""
    terms, status, address = link.terms, link.status(tx.now), link_url(tx, link)
    return copy_fields(
        ShareLink,
        link,
        url=address,
        agent_url=address,
        scope=terms.scope,
        folder_ids=terms.folder_ids,
        access=terms.access,
        notes_access=terms.notes_access,
        is_active=status == "active",
        status=status,
        identity=terms.identity,
        email=terms.email,
        todos=terms.todos,
        tools=terms.tools,
        capabilities=capabilities_of(terms, link.note_id),
        policy_note_id=policy_notes.note_of(tx, link),
        analytics=Analytics(*guest_rows.count_visits(tx, link.id)),
    )
