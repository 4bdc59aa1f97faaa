"""Share links: what opens a part of one's workspace, or one's agent for it, to guests."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.agent.models import model_choice
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.grant_scope import Access
from app.core.operation import Http, Tool, operation
from app.core.schema import Id, Line, Most, Offset, Record, Text
from app.errors import NotFound, QuotaExceeded
from app.network.contacts import contacts
from app.network.grants import permission_object, revocation, share_rows
from app.network.grants.permission_object import EmailAccess, TodoAccess, ToolAccess
from app.network.grants.share_rows import AnsweredBy, Link, Target
from app.network.grants.share_terms import (
    Calendars,
    Folders,
    Identity,
    IdentityChange,
    Scope,
    Terms,
    TodoAccessChange,
    change_terms,
    permissions_of,
)
from app.network.guests import guest_rows, guest_turns, policy_notes
from app.network.guests.link_fields import Life, expiry_of, require_consistent
from app.network.guests.share_view import ShareAnswer, ShareLink, require_own_link, share_record
from app.tools.approvals.call_origin import Origin

MOST_LINKS = 1_000
NOT_ENFORCED = "Only a language model can follow the rules of this policy, and none is set up. "
TAKES_MESSAGES = (
    "Until then guests of this link are told nothing from your notes; their "
    "messages are kept for you."
)
QUOTES_ONLY = "Until then guests of this link get quotes from what it names, and nothing else."
CLOSING_LOOKS = 15
"""How often it is checked that the turns of a revoked link have ended before their transcripts
are deleted.
"""
Label = Annotated[str, Line(0, 120)]
Policy = Annotated[str, Text(policy_notes.LONGEST)]
LinkRef = Annotated[str, Meta(min_length=1, max_length=64, description="a link's id or token")]


class ShareList(Record):
    links: list[ShareLink]
    total: int


class Revoked(Record):
    message: str


@operation(
    "POST /os/share",
    scope="os.share:write",
    also=("POST /share/create",),
    http=Http(
        status=201,
        refuses={
            "folderIds": "they are missing with the scope folders, or stand with another",
            "noteId": "it is missing with the scope note_only, or stands with another",
            "target": "it is note and the scope not note_only",
        },
    ),
)
def create_share_link(
    tx: Tx,
    me: Caller,
    *,
    scope: Scope,
    folder_ids: Folders | None = None,
    note_id: Id | None = None,
    target: Target = "agent",
    access: Calendars = "read",
    notes_access: Access = "read",
    label: Label = "",
    expires_in: Life = "30d",
    require_sign_in: bool = True,
    identity: Identity | None = None,
    email: EmailAccess | None = None,
    todos: TodoAccess | None = None,
    tools: ToolAccess | None = None,
    link_policy: Policy | None = None,
    answered_by: AnsweredBy = "agent",
) -> ShareAnswer:
    """Make a link by which guests talk with the caller's agent, or with target note read a note.

    They reach what it says and nothing else.

    `notesAccess` write lets them create notes, edit change them too, each time with the owner's
    yes. Its policy is a note that can be edited.
    """
    terms = Terms(
        scope,
        sorted(set(folder_ids or ())),
        access,
        notes_access,
        identity or Identity(),
        email or EmailAccess(),
        todos or TodoAccess(),
        tools or ToolAccess(),
    )
    return _create_link(
        tx,
        me,
        terms,
        expires_in,
        link_policy,
        note_id=note_id,
        target=target,
        label=label,
        require_sign_in=require_sign_in,
        answered_by=answered_by,
    )


@operation("TOOL", category="network", scope="os.share:write", tool=Tool(risk="X"))
def share_agent(
    tx: Tx,
    me: Caller,
    *,
    scope: Literal["all", "folders"],
    folder_ids: Folders | None = None,
    access: Calendars = "read",
    notes_access: Access = "read",
    label: Label = "",
    expires_in: Life = "30d",
) -> ShareAnswer:
    """Make a link by which others can talk with the user's agent about all notes or some
    folders; it is given out by the user. Guests sign in.
    """
    terms = Terms(scope, sorted(set(folder_ids or ())), access, notes_access)
    return _create_link(tx, me, terms, expires_in, label=label)


@operation("GET /os/share/list", scope="os.share:read", also=("GET /share/list",))
def list_share_links(
    tx: Tx,
    me: Caller,
    *,
    status: Literal["active", "revoked", "all"] = "active",
    limit: Annotated[int, Meta(ge=1), Most(50)] = 20,
    offset: Offset = 0,
) -> ShareList:
    """List the caller's share links, newest first."""
    links, total = share_rows.list_page(tx, me.user, status, limit=limit, offset=offset)
    return ShareList([share_record(tx, link) for link in links], total)


@operation("GET /os/share/{linkId}", scope="os.share:read")
def read_share_link(tx: Tx, me: Caller, *, link_id: LinkRef) -> ShareAnswer:
    """Read one share link, by its id or its token."""
    return ShareAnswer(share_record(tx, require_own_link(tx, me, link_id)))


@operation(
    "PATCH /os/share/{linkId}",
    scope="os.share:write",
    also=("PATCH /share/{linkId}",),
    http=Http(
        refuses={
            "folderIds": "they are missing with the scope folders, or stand with another",
            "noteId": "it is missing with the scope note_only, or stands with another",
            "target": "it is note and the scope not note_only",
        }
    ),
)
def change_share_link(
    tx: Tx,
    me: Caller,
    *,
    link_id: LinkRef,
    scope: Scope | None = None,
    folder_ids: Folders | None = None,
    note_id: Id | None = None,
    target: Target | None = None,
    access: Calendars | None = None,
    notes_access: Access | None = None,
    label: Label | None = None,
    expires_in: Life | None = None,
    require_sign_in: bool | None = None,
    identity: IdentityChange | None = None,
    email: EmailAccess | None = None,
    todos: TodoAccessChange | None = None,
    tools: ToolAccess | None = None,
    answered_by: AnsweredBy | None = None,
) -> ShareAnswer:
    """Change what a share link opens; what is narrower holds from the next call of a tool on.

    `expiresIn` counts anew from now.
    """
    given = {
        "scope": scope,
        "folder_ids": None if folder_ids is None else sorted(set(folder_ids)),
        "access": access,
        "notes_access": notes_access,
        "identity": identity,
        "email": email,
        "todos": todos,
        "tools": tools,
    }
    beside = {
        "note_id": note_id,
        "target": target,
        "label": label,
        "require_sign_in": require_sign_in,
        "answered_by": answered_by,
    }
    return _change_link(tx, me, link_id, _without_none(given), _without_none(beside), expires_in)


@operation("DELETE /os/share/{linkId}", scope="os.share:write", also=("DELETE /share/{linkId}",))
async def revoke_share_link(
    app: App, me: Caller, *, link_id: LinkRef, purge: bool = False
) -> Revoked:
    """Revoke a share link at once and for good, calls of guests that are under way included.

    `purge` deletes its transcripts too.
    """
    link = await app.write(_revoke_link, me, link_id)
    if not purge:
        return Revoked("The link is revoked.")
    # A turn that is still being stopped would store its answer in a transcript that is gone.
    for _ in range(CLOSING_LOOKS):
        if not app.quick(guest_rows.any_running, link):
            break
        await asyncio.sleep(guest_turns.LOOK_SECONDS / 2)
    await app.write(guest_rows.purge, link)
    return Revoked("The link is revoked and its transcripts are deleted.")


def _create_link(
    tx: Tx,
    me: Caller,
    terms: Terms,
    life: Life,
    policy: str | None = None,
    *,
    label: str,
    note_id: int | None = None,
    target: Target = "agent",
    require_sign_in: bool = True,
    answered_by: AnsweredBy = "agent",
) -> ShareAnswer:
    require_consistent(tx, me, terms, note_id, target)
    if share_rows.list_page(tx, me.user, "kept", limit=1)[1] >= MOST_LINKS:
        raise QuotaExceeded(
            f"You have {MOST_LINKS} share links; revoke some first.", limit=MOST_LINKS
        )
    link = share_rows.add(
        tx,
        me.user,
        label=label,
        target=target,
        answered_by=answered_by,
        require_sign_in=require_sign_in,
        note_id=note_id,
        terms=terms,
        expires_at=expiry_of(tx, life),
    )
    link = share_rows.set_policy_note(tx, link, policy_notes.make_note(tx, link, policy))
    answer = ShareAnswer(share_record(tx, link))
    # The rules cannot follow a policy in words; the owner is told at once instead of finding out.
    by_rules = (
        link.answered_by == "agent"
        and link.target == "agent"
        and model_choice.name_of(tx, me) == model_choice.OFFLINE
    )
    if by_rules and policy_notes.has_own_rules(tx, link):
        answer.policy_enforced, answer.notice = (
            False,
            NOT_ENFORCED + (TAKES_MESSAGES if link.terms.scope == "all" else QUOTES_ONLY),
        )
    return answer


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _change_link(
    tx: Tx, me: Caller, ref: str, given: dict[str, Any], beside: dict[str, Any], life: Life | None
) -> ShareAnswer:
    before = require_own_link(tx, me, ref)
    if before.revoked_at is not None:
        raise NotFound("There is no such share link.", field="linkId")
    # What belongs to the former scope alone goes with it, unless it is named again.
    terms = change_terms(before.terms, given)
    if terms.scope != "folders" and "folder_ids" not in given:
        terms = msgspec.structs.replace(terms, folder_ids=[])
    after = before._replace(terms=terms, **beside)
    if terms.scope not in ("note_only", before.terms.scope) and "note_id" not in beside:
        after = after._replace(note_id=None)
    if terms.scope != "note_only" and "target" not in beside:
        after = after._replace(target="agent")
    require_consistent(tx, me, terms, after.note_id, after.target)
    if life is not None:
        after = after._replace(expires_at=expiry_of(tx, life))
    share_rows.update(tx, after)
    if _is_narrower(after, before):
        end_waiting(tx, me, after, "the share link was narrowed")
        revocation.emit_revoked(tx, me, after.owner, "share_link", after.id, "narrowed")
        contacts.link_narrowed(tx, me, link=after.id)
    return ShareAnswer(share_record(tx, after))


def _revoke_link(tx: Tx, me: Caller, ref: str) -> int:
    link = require_own_link(tx, me, ref)
    if link.revoked_at is None:
        share_rows.revoke(tx, link)
        contacts.link_ended(tx, me, owner=me.user, link=link.id)
        end_waiting(tx, me, link, "the share link was revoked")
        revocation.emit_revoked(tx, me, link.owner, "share_link", link.id)
    return link.id


def end_waiting(tx: Tx, me: Caller, link: Link, why: str) -> None:
    """End what guests of a link asked for that waits for its owner's yes."""
    revocation.end_waiting(
        tx,
        me,
        link.owner,
        kind="guest",
        credential=link.id,
        origin=Origin("guest", share_token=link.token),
        why=why,
    )


def _is_narrower(after: Link, before: Link) -> bool:
    return after.note_id != before.note_id or permission_object.is_narrower(
        permissions_of(after.terms), permissions_of(before.terms)
    )
