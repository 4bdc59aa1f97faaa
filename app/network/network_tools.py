"""The tools by which an agent sees whom its user knows.

The whole network in short, and a contact by what somebody is called.
"""

import itertools
from typing import Annotated, Literal

from msgspec import Meta

from app.account.users import AGENT_SUFFIX
from app.agent.rules.passages.sentences import fold_text
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint, Tool, operation
from app.core.schema import Record, Text
from app.network.contacts import contact_requests, contacts
from app.network.contacts.contact_requests import Incoming, Outgoing
from app.network.contacts.contacts import Contact
from app.network.messages import groups

MOST_CONTACTS = 200
MOST_FOUND = 20
MOST_REQUESTS = 50

Query = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="a name, a part of one, or a username"),
    Text(),
]


class InGroup(Record):
    """A group that one is in; `role` is one's own."""

    conversation_id: int
    name: str
    role: Literal["admin", "member"]
    member_count: int


class Waiting(Record):
    """Requests that wait for an answer, the newest first, and how many there are of each."""

    incoming: list[Incoming]
    outgoing: list[Outgoing]
    total_incoming: int
    total_outgoing: int


class Network(Record):
    """Whom the user knows, the groups that they are in, and who waits for an answer.

    `totalContacts` counts all, also those that are not listed.
    """

    contacts: list[Contact]
    groups: list[InGroup]
    requests: Waiting
    total_contacts: int


class FoundContacts(Record):
    """The contacts that fit, the best first; `total` counts all of them."""

    contacts: list[Contact]
    total: int


def _contact_taint(found: Network) -> Taint | None:
    """Names of contacts are of people whom the user let in.

    What a request says, and what others call a group, anyone can have written.
    """
    others = bool(found.requests.incoming) or any(group.role == "member" for group in found.groups)
    return "agent" if others else None


@operation(
    "TOOL", scope="os.network:read", effect="read", tool=Tool(risk="R", taint=_contact_taint)
)
def list_network(tx: Tx, me: Caller) -> Network:
    """List the user's contacts with what each may do with the other's agent, the user's groups,
    and the requests that wait for an answer.
    """
    known = contacts.list_contacts(tx, me, limit=MOST_CONTACTS)
    joined = [
        InGroup(
            group.conversation_id,
            group.name,
            "admin" if group.admin_id == me.user_id else "member",
            group.member_count,
        )
        for group in groups.list_groups(tx, me).groups
    ]
    asked = contact_requests.list_requests(tx, me)
    waiting = Waiting(
        asked.incoming[:MOST_REQUESTS],
        asked.outgoing[:MOST_REQUESTS],
        len(asked.incoming),
        len(asked.outgoing),
    )
    return Network(known.contacts, joined, waiting, known.total)


@operation("TOOL", scope="os.network:read", effect="read", tool=Tool(risk="R"))
def search_contact(tx: Tx, me: Caller, *, query: Query) -> FoundContacts:
    """Find the user's contacts by a name, a part of one, or a username, the best first.

    Only contacts are found, never anybody else.
    """
    wanted = fold_text(query.strip().removeprefix("@")).removesuffix(AGENT_SUFFIX).strip()
    ranked = [
        (fit, row)
        for row in contacts.list_rows(tx, me.user)
        if (fit := _fit_score(wanted, fold_text(row["username"]), fold_text(row["name"])))
    ]
    # Ties by username, so that the same question always gets the same answer.
    ranked.sort(key=lambda pair: (-pair[0], pair[1]["username"]))
    return FoundContacts(
        [contacts.contact_in_list(tx, me.user, row) for _, row in ranked[:MOST_FOUND]], len(ranked)
    )


def _fit_score(wanted: str, username: str, name: str) -> int:
    """Return how well a contact fits what was typed.

    The very username, the very name, its words or their beginnings, or a part; 0 for not at all.
    """
    parts, words = wanted.split(), [*name.split(), *username.replace("_", "-").split("-")]
    if not parts:
        return 0
    if wanted == username:
        return 5
    if wanted == name:
        return 4
    if all(part in words for part in parts):
        return 3
    if all(any(map(str.startswith, words, itertools.repeat(part))) for part in parts):
        return 2
    return 1 if wanted in name or wanted in username else 0
