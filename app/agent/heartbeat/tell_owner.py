"""What the user hears of a run.

One message in a conversation with their own agent, and never the same twice in a day.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from app.account import users
from app.agent.heartbeat.act.act import Outcome
from app.agent.heartbeat.records import run_rows, schedule_rows
from app.agent.heartbeat.records.proposals import Proposal
from app.agent.turn import conversation_rows
from app.core.database.tx import Tx, stamp

TITLE = "Heartbeat"
SIMILAR = 0.85
REPEATED = "The same was said in the last 24 hours."
LEADS = {
    "executed": "Done: ",
    "awaiting_approval": "Waits for your yes: ",
    "proposed": "Proposed: ",
    "failed": "Could not be done: ",
    "undone": "",
}


def compose_message(acted: Sequence[Outcome], spoken: Sequence[Proposal], *, lead: str = "") -> str:
    """Return the message: what was done and what is to be told, an entry each.

    Empty when there is nothing.
    """
    entries = [
        LEADS[outcome.status] + outcome.proposal.says for outcome in acted if outcome.proposal.says
    ]
    reminders = [
        proposal.says for proposal in spoken if proposal.type == "reminder" and proposal.says
    ]
    drafts = [
        proposal.says for proposal in spoken if proposal.type == "message_draft" and proposal.says
    ]
    listed = [*reminders, *entries]
    head = [lead] if lead and (listed or drafts) else []
    return "\n\n".join(
        [
            *head,
            *(["\n".join(f"- {entry}" for entry in listed)] if len(listed) > 1 else listed),
            *drafts,
        ]
    )


def is_repeat(tx: Tx, user: int, text: str, outcomes: Sequence[Proposal]) -> bool:
    """Return whether a message says what one of the last 24 hours has said.

    One that tells a rule's news is none: that is new by its key.
    """
    if any(proposal.key is not None and not proposal.by_model for proposal in outcomes):
        return False
    # As sets: the same news in another order is the same.
    words = _word_set(text)
    return any(
        _similarity(words, _word_set(other)) > SIMILAR
        for other in run_rows.said_since(tx, user, stamp(tx.moment - timedelta(days=1)))
    )


def send_message(tx: Tx, user: int, text: str) -> int:
    """Add a message to the heartbeat's conversation, which is made where there is none, and
    return its id.
    """
    chosen = users.settings_of(tx, user)
    conversation = schedule_rows.heartbeat_of(tx, user).conversation_id
    if conversation is None:
        conversation = conversation_rows.begin(
            tx, type="direct", owner=user, title=TITLE, members=(user,)
        )
        schedule_rows.set_conversation(tx, user, conversation)
    return conversation_rows.add_message(
        tx,
        conversation,
        role="assistant",
        sender_type="agent",
        sender=None,
        label=chosen.agent_name or "Agent",
        content=text,
    )


def _word_set(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of two texts that both have."""
    return len(one & other) / len(one | other) if one | other else 1.0
