"""Stage B with a model: each line that no rule knows is put to it.

The model may look but not touch; what it wants done comes back as proposals.
"""

import asyncio

import msgspec

from app.agent.chat.turn_driver import drive_turn
from app.agent.heartbeat.look.agenda import Agenda
from app.agent.heartbeat.records import action_rows, tiers
from app.agent.heartbeat.records.proposals import SNOOZE, Proposal
from app.agent.heartbeat.records.run_records import ToolCall
from app.agent.heartbeat.records.run_rows import BegunRun
from app.agent.models import model_choice, model_or_rules
from app.agent.models.model_or_rules import Brain
from app.agent.turn.live_turn import Limits, Turn
from app.agent.turn.token_meter import Meter, reserve_first_call
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import Taint
from app.core.process.counted import counted
from app.errors import AppError, BudgetExceeded
from app.tools.approvals.call_origin import Origin

MOST_SECONDS = 30.0
"""Less than a whole run may take, so that what the rules found is still done when a model hangs."""
MOST_STEPS = 12
STEPS_A_LINE = 6
MOST_CALLS = 24
PROMPT = (
    "This is your heartbeat: a pass that you make by yourself, with nobody "
    "waiting. Your owner's checklist asks for this:\n\n{line}\n\n"
    "Look only at what that needs. What you want to change, propose by calling the "
    "tool for it: it is written down, checked, and done or put to your "
    "owner afterwards. What your owner should hear, say by tell_owner, in one or "
    "two sentences, and only if it is news. "
    "If there is nothing to do, call nothing more and stop. Since your last pass "
    "{notes} and {todos} have changed."
)


class Planned(msgspec.Struct):
    """What a model proposed, what it looked at, what it took, whose words were in play, and why
    it stopped early, if it did.
    """

    model: str
    proposals: list[Proposal] = msgspec.field(default_factory=list)
    calls: list[ToolCall] = msgspec.field(default_factory=list)
    insights: list[str] = msgspec.field(default_factory=list)
    failed: set[int] = msgspec.field(default_factory=set)
    tokens: int = 0
    taint: frozenset[Taint] = frozenset()
    error: str | None = None
    spent: bool = False


def has_model(app: App, me: Caller) -> bool:
    """Return whether a model is configured for the user."""
    return model_or_rules.brain_name(app, me) != model_choice.OFFLINE


async def plan_by_model(
    app: App, beginner: Caller, me: Caller, begun: BegunRun, found: Agenda
) -> Planned:
    """Put the lines that no rule knows to the model, one after another, as far as a run's steps
    and the budget go.
    """
    planned = Planned(model_or_rules.brain_name(app, beginner))
    left, steps = list(found.for_model), MOST_STEPS
    try:
        async with asyncio.timeout(MOST_SECONDS):
            while left and steps > 0 and not planned.spent and planned.error is None:
                # A line that needs many steps takes them from those after it.
                steps -= await _ask_about_line(
                    app, beginner, me, begun, found, planned, left[0], steps
                )
                left.pop(0)
    except TimeoutError:
        planned.error = "The model took too long."
        planned.failed.add(left[0])
    if left and planned.error is None and not planned.spent:
        planned.insights.append(
            f"Not every line could be put to the model; a run has {MOST_STEPS} steps."
        )
    # Models find the same news each time; what was told today is dropped.
    told = app.quick(
        _recently_told, me, tuple(proposal.key or "" for proposal in planned.proposals)
    )
    planned.proposals = [proposal for proposal in planned.proposals if proposal.key not in told]
    return planned


async def _ask_about_line(
    app: App,
    beginner: Caller,
    me: Caller,
    begun: BegunRun,
    found: Agenda,
    planned: Planned,
    number: int,
    steps: int,
) -> int:
    """Put one line to the model and return the steps that it took."""
    # Needs pydantic-ai, which takes a second to import, so only for a run that needs a model.
    from app.agent.heartbeat.decide.proposal_tools import ProposalCollector

    prompt = PROMPT.format(
        line=found.tasks[number].text,
        notes=counted(found.changes.notes, "note"),
        todos=counted(found.changes.todos, "todo"),
    )
    try:
        held = await app.write(
            reserve_first_call, beginner, feature="heartbeat", model=planned.model, texts=(prompt,)
        )
    except BudgetExceeded as error:
        planned.spent = True
        planned.insights.append(error.message)
        return 0
    now = found.now.astimezone(found.zone)
    brain = await model_or_rules.pick_brain(app, beginner, now=now)
    meter = Meter(app, beginner, feature="heartbeat", model=brain.name, held=held)
    collector = ProposalCollector(app, number)
    turn = Turn(app, me, now.isoformat(timespec="minutes"), found.zone.key, lambda _: None)
    turn.origin = Origin("heartbeat", run_id=begun.id, tier=begun.tier)
    turn.interceptor = collector
    turn.limits = Limits(min(steps, STEPS_A_LINE), MOST_CALLS)
    try:
        ended = await drive_turn(turn, brain.model, prompt, (), meter=meter, now=now)
    finally:
        # Whatever happened: what was taken must be counted.
        await app.write(meter.end)
    planned.tokens += ended.prompt_tokens + ended.completion_tokens
    planned.calls += [ToolCall(call.tool, call.outcome) for call in turn.calls]
    planned.taint |= turn.taint
    _keep_proposals(planned, number, turn, collector.proposals, brain, ended.error)
    return len(turn.calls) + 1


def _keep_proposals(
    planned: Planned,
    number: int,
    turn: Turn,
    proposals: list[Proposal],
    brain: Brain,
    error: AppError | None,
) -> None:
    """Keep what a model proposed for a line.

    What the rules said in the place of a model that failed is no answer.
    """
    if turn.calls and turn.calls[-1].outcome == "repeated":
        planned.insights.append("The model made the same call twice, so it was stopped.")
    if isinstance(error, BudgetExceeded):
        planned.spent = True
        planned.insights.append(error.message)
    elif brain.fallback is not None or error is not None:
        planned.failed.add(number)
        planned.error = brain.fallback.reason if brain.fallback else error.message if error else ""
    if brain.fallback is None:
        planned.proposals += proposals


def _recently_told(tx: Tx, me: Caller, keys: tuple[str, ...]) -> set[str]:
    since, able = stamp(tx.moment - SNOOZE), tiers.possible_actions(me)
    return {
        key
        for key in keys
        if action_rows.last_told_at(tx, me.user, [key], since, able=able) is not None
    }
