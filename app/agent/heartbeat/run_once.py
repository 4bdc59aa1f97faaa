"""One run from its beginning to its end: look, decide, act, tell, and leave the receipts.

A rehearsal is the same with everything taken back.
"""

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Sequence

import msgspec

from app.agent.heartbeat import run_sentences, tell_owner
from app.agent.heartbeat.act import act
from app.agent.heartbeat.act.act import Outcome, PreparedAction
from app.agent.heartbeat.decide import budget, decide_by_model, decide_by_rules
from app.agent.heartbeat.look import agenda
from app.agent.heartbeat.look.agenda import Agenda
from app.agent.heartbeat.look.checklist import Task
from app.agent.heartbeat.records import (
    action_rows,
    instructions,
    run_records,
    run_rows,
    schedule_rows,
    tiers,
)
from app.agent.heartbeat.records.action_rows import Entry
from app.agent.heartbeat.records.proposals import SPOKEN, Proposal
from app.agent.heartbeat.records.run_records import ItemOutcome
from app.agent.heartbeat.records.run_rows import BegunRun, RunEnding
from app.agent.memory import episodes
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Taint
from app.errors import AppError, BudgetExceeded
from app.tools.approvals import stop_switch

MOST_SECONDS = 40.0
log = logging.getLogger("hearth")
PAUSED = (
    "The heartbeat was paused after {count} failures in a row. The last one: {error}\n\n"
    "Switch its schedule on again (PUT /heartbeat/schedule) when the cause is gone."
)


class _Rehearsed(Exception):
    """Takes back what a rehearsal has done."""


@dataclasses.dataclass
class RunState:
    """A run under way: who began it, the caller that acts in it, and what it leaves."""

    app: App
    beginner: Caller
    begun: BegunRun
    me: Caller = dataclasses.field(init=False)
    ending: RunEnding = dataclasses.field(default_factory=RunEnding)
    agenda: Agenda | None = None
    outcomes: list[Outcome] = dataclasses.field(default_factory=list)
    taint: frozenset[Taint] = frozenset()
    failed: set[int] = dataclasses.field(default_factory=set)

    def __post_init__(self) -> None:
        self.me = tiers.run_caller(self.beginner, self.begun.tier)


async def run_heartbeat(app: App, beginner: Caller, begun: BegunRun) -> None:
    """Carry out a run that has begun; whatever goes wrong is its outcome.

    Cancelled, it stays open and is closed at the next start.
    """
    here = RunState(app, beginner, begun)
    try:
        # More than a model may take, so that what the rules found is still done.
        async with asyncio.timeout(MOST_SECONDS):
            await _carry_out(here)
    except TimeoutError:
        await app.write(_end_failed, here, f"The run took longer than {MOST_SECONDS:.0f} seconds.")
    except AppError as error:
        await app.write(_end_failed, here, error.message)
    except Exception:
        log.exception("a run of the heartbeat failed")
        await app.write(_end_failed, here, "Something went wrong in the server; its log says what.")


async def _carry_out(here: RunState) -> None:
    stop_switch.require_running(here.app)
    if here.begun.trigger != "manual" and here.app.quick(agenda.is_away, here.begun.user):
        here.ending.skip_reason = "user_away"
        return await here.app.write(_end_run, here)
    here.agenda = found = await here.app.read(agenda.make_agenda, here.me, here.app.hooks.requests)
    here.ending.agenda, here.ending.suppressed = list(found.entries), list(found.suppressed)
    here.ending.seen_message = found.seen_message
    asks = bool(found.for_model) and decide_by_model.has_model(here.app, here.beginner)
    # Most runs end here: nothing new, no token spent.
    if not found.facts and not asks:
        return await here.app.write(_end_without_news, here)
    if not found.room:
        here.ending.insights.append(f"Today's {agenda.MOST_ACTIONS_A_DAY} actions are used up.")
        here.ending.skip_reason = "budget"
        return await here.app.write(_end_run, here)
    try:
        proposals = await _make_proposals(here, found, asks=asks)
    except BudgetExceeded as error:
        here.ending.insights.append(error.message)
        here.ending.skip_reason = "budget"
        return await here.app.write(_end_run, here)
    await _act_on_proposals(here, found, proposals)


async def _make_proposals(here: RunState, found: Agenda, *, asks: bool) -> list[Proposal]:
    """Return what the rules make of the agenda, and after it what a model makes of the lines that
    they do not know. Both are metered.
    """
    # Rules cost nothing, but caps are promised for every brain.
    made = decide_by_rules.make_proposals(found)
    held = (
        await here.app.write(
            budget.reserve, here.beginner, *decide_by_rules.estimate_tokens(found, made)
        )
        if made
        else None
    )
    if asks:
        planned = await decide_by_model.plan_by_model(
            here.app, here.beginner, here.me, here.begun, found
        )
        here.ending.calls, here.ending.model = planned.calls, planned.model
        here.ending.tokens = planned.tokens
        here.ending.insights += planned.insights
        here.taint, here.failed = planned.taint, planned.failed
        if planned.error is not None:
            here.ending.status, here.ending.error = "failed", planned.error
        if planned.spent:
            here.ending.skip_reason = "budget"
        made = [*made, *planned.proposals]
    if held is not None:
        await here.app.write(budget.settle, held)
        here.ending.tokens += held.prompt + held.completion
    return made


async def _act_on_proposals(here: RunState, found: Agenda, proposals: Sequence[Proposal]) -> None:
    """Do what is proposed as far as the run and the day have room, what is said last and
    together with the run's end.
    """
    room = min(agenda.MOST_ACTIONS_A_RUN, found.room)
    if len(proposals) > room:
        here.ending.insights.append(
            f"{len(proposals) - room} more are left for later runs: this one had room for "
            f"{room} actions."
        )
    ready = [
        await act.prepare_action(here.app, here.me, proposal, here.taint)
        for proposal in proposals[:room]
    ]
    silent = [one for one in ready if one.proposal.type not in SPOKEN]
    spoken = [one for one in ready if one.proposal.type in SPOKEN]
    if here.begun.dry_run:
        return await here.app.write(_rehearse, here, silent, spoken)
    for one in silent:
        stop_switch.require_running(here.app)
        # Each in its own transaction: a kill leaves whole actions, never half of one.
        here.outcomes.append(await here.app.write(act.attempt_action, here.me, here.begun, one))
    await here.app.write(_tell_and_end, here, list(here.outcomes), spoken)


def _rehearse(
    tx: Tx, here: RunState, silent: Sequence[PreparedAction], spoken: Sequence[PreparedAction]
) -> None:
    """Do everything, take it back, and keep what came of it as proposals."""
    ending = msgspec.structs.replace(here.ending, insights=list(here.ending.insights))
    outcomes: list[Outcome] = []
    # Everything is truly done and refused as it would be; the exception rolls it back.
    with contextlib.suppress(_Rehearsed), tx.savepoint():
        outcomes += [act.attempt_action(tx, here.me, here.begun, one) for one in silent]
        outcomes += _tell_owner(tx, here, ending, outcomes, spoken)
        raise _Rehearsed
    ending.message_id = None
    for outcome in outcomes:
        proposal = outcome.proposal
        entry = Entry(
            proposal.type, proposal.title, proposal.payload, proposal.target, proposal.item
        )
        told = (
            {"would": outcome.status, **(outcome.result or {})}
            if outcome.status == "failed"
            else {"would": outcome.status}
        )
        action_rows.add(tx, here.begun.user, here.begun.id, entry, status="proposed", result=told)
    _close_run(tx, here, ending, outcomes)


def _tell_and_end(
    tx: Tx, here: RunState, done: Sequence[Outcome], spoken: Sequence[PreparedAction]
) -> None:
    ending = msgspec.structs.replace(here.ending, insights=list(here.ending.insights))
    outcomes = [*done, *_tell_owner(tx, here, ending, done, spoken)]
    _close_run(tx, here, ending, outcomes)


def _tell_owner(
    tx: Tx,
    here: RunState,
    ending: RunEnding,
    done: Sequence[Outcome],
    spoken: Sequence[PreparedAction],
) -> list[Outcome]:
    """Say what there is to say, unless it was said lately; return what became of it."""
    proposals = [one.proposal for one in spoken]
    ending.text = tell_owner.compose_message(
        done, proposals, lead=run_sentences.lead_sentence(here.agenda, done, proposals)
    )
    if not ending.text:
        return []
    if tell_owner.is_repeat(
        tx, here.begun.user, ending.text, [*proposals, *(outcome.proposal for outcome in done)]
    ):
        ending.suppress_reason = tell_owner.REPEATED
        ending.insights.append(f"The message was left out. {tell_owner.REPEATED}")
        return []
    outcomes = [act.attempt_action(tx, here.me, here.begun, one) for one in spoken]
    ending.message_id = tell_owner.send_message(tx, here.begun.user, ending.text)
    return outcomes


def _end_without_news(tx: Tx, here: RunState) -> None:
    """End a run that had nothing to do; what was told lately is no news."""
    if here.ending.suppressed:
        here.ending.suppress_reason = tell_owner.REPEATED
    else:
        here.ending.skip_reason = "nothing_due"
    _end_run(tx, here)


def _end_run(tx: Tx, here: RunState) -> None:
    _close_run(tx, here, here.ending, [])


def _close_run(tx: Tx, here: RunState, ending: RunEnding, outcomes: Sequence[Outcome]) -> None:
    """Write the run's row and what follows from its end."""
    found = here.agenda
    ending = msgspec.structs.replace(
        ending,
        items=_item_outcomes(here, found, ending, outcomes) if found else [],
        summary=run_sentences.summarise_run(ending, outcomes),
        insights=[*ending.insights, *run_sentences.left_out_texts(ending)],
    )
    first = not here.begun.dry_run and not run_rows.any_before(tx, here.begun.user, here.begun.id)
    if (
        first
        and found is not None
        and here.beginner.may(("os.notes:write",))
        # Not before the first real run, so that a rehearsal leaves no note behind.
        and instructions.find_note(tx, here.begun.user) is None
    ):
        instructions.write(tx, here.me, instructions.default_of(tx, here.begun.user))
    run_rows.end(tx, here.begun, ending)
    if here.begun.dry_run:
        return
    if ending.message_id is not None:
        _keep_episode(tx, here.begun, ending)
    if ending.status == "failed":
        count_failure(tx, here.begun.user, ending.error or "")
    # A run that was skipped for another reason has shown nothing.
    elif ending.skip_reason in (None, "nothing_due"):
        schedule_rows.note_success(tx, here.begun.user)


def _keep_episode(tx: Tx, begun: BegunRun, ending: RunEnding) -> None:
    """Keep what was said as an episode, so that the agent's memory finds it."""
    title = f"Heartbeat of {begun.started_at[:10]}"
    episodes.add(
        tx,
        begun.user,
        kind="heartbeat",
        key=str(begun.id),
        title=title,
        text=ending.text,
        at=tx.now,
        path=f"heartbeat/runs/{begun.id}",
    )


def _end_failed(tx: Tx, here: RunState, error: str) -> None:
    ending = msgspec.structs.replace(here.ending, status="failed", error=error)
    _close_run(tx, here, ending, here.outcomes)


def count_failure(tx: Tx, user: int, error: str) -> None:
    """Count a failure; the fifth in a row pauses the heartbeat, of which the user is told once."""
    if schedule_rows.note_failure(tx, user):
        tell_owner.send_message(
            tx, user, PAUSED.format(count=schedule_rows.MOST_FAILURES, error=error)
        )


def close_interrupted(tx: Tx) -> None:
    """Close what was under way when the server was stopped."""
    for user in run_rows.interrupt_all(tx):
        count_failure(tx, user, run_rows.INTERRUPTED)


def _item_outcomes(
    here: RunState, found: Agenda, ending: RunEnding, outcomes: Sequence[Outcome]
) -> list[ItemOutcome]:
    """Return each line of the checklist with what came of it."""
    by_item: dict[int, set[str]] = {}
    for outcome in outcomes:
        if outcome.proposal.item is not None:
            by_item.setdefault(outcome.proposal.item, set()).add(outcome.status)
    items = []
    for number, task in enumerate(found.tasks):
        made = by_item.get(number, set())
        if made:
            items.append(ItemOutcome(task.text, "failed" if made == {"failed"} else "done"))
        elif task.rules:
            items.append(ItemOutcome(task.text, _rules_outcome(task, outcomes)))
        else:
            asked = ending.model != decide_by_rules.NAME and number in found.for_model
            items.append(
                ItemOutcome(
                    task.text,
                    "failed" if number in here.failed else "nothing" if asked else "needs_model",
                )
            )
    return items


def _rules_outcome(task: Task, outcomes: Sequence[Outcome]) -> run_records.Outcome:
    summed_up = all(rule.kind == "summary" for rule in task.rules) and any(
        outcome.status != "failed" for outcome in outcomes
    )
    return "done" if summed_up else "nothing"
