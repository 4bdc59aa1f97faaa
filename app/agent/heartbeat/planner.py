"""Stage B with a model: the lines that no rule knows, put to a model that may look but not touch; what it wants done comes back as proposals."""

import dataclasses
from typing import Any

from app.agent.heartbeat.agenda import Agenda
from app.agent.heartbeat.proposals import Proposal
from app.agent.heartbeat.runs import Begun, ToolCall
from app.core.app import App
from app.core.caller import Caller
from app.core.operation import Taint

Brain = Any


@dataclasses.dataclass(frozen=True)
class Planned:
    """What a model proposed, what it looked at, what it took, and why it stopped early, if it did."""

    proposals: list[Proposal]
    calls: list[ToolCall]
    tokens: int
    model: str
    error: str | None = None
    spent: bool = False


async def brain(app: App, me: Caller) -> Brain | None:
    """Give the model that is configured for the user, None when there is none."""
    return None


async def plan(app: App, beginner: Caller, me: Caller, begun: Begun, found: Agenda, brain: Brain) -> Planned:
    """Ask the model about the lines that no rule knows."""
    raise NotImplementedError


def taint(found: Agenda) -> frozenset[Taint]:
    """Give whose words are in play: messages of others are on the agenda or have come since the last run."""
    return frozenset()
