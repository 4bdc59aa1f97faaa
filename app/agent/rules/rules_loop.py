"""The loop of a turn by rules.

It does what `model_loop` does, without the model library, whose import takes over a second.
"""

import asyncio
from collections.abc import Container, Coroutine, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from app.agent.rules import decisions, rules
from app.agent.turn import live_turn, message_files, transcript, turn_history
from app.agent.turn.live_turn import ToolResult, TooManyRefusals, Turn, TurnEnd
from app.agent.turn.message_files import Prompt
from app.agent.turn.steps import Step
from app.agent.turn.token_meter import FREE, Meter, longest_answer
from app.agent.turn.transcript import Message, Part
from app.core.process.caches import forget_latest
from app.errors import AppError, BudgetExceeded, GrantRevoked, Unavailable
from app.tools.approvals import stop_switch

NAME = FREE
WISHES = 2
"""So many wishes may a message have, each with the steps of a model's turn: these cost nothing."""
PIECE = 48
"""How many characters of an answer go out at once."""


class _Call(msgspec.Struct, frozen=True):
    tool: str
    arguments: dict[str, Any]
    id: str


async def run_rules(
    turn: Turn, prompt: Prompt, history: Sequence[bytes], *, meter: Meter, now: datetime
) -> TurnEnd:
    """Answer `prompt` by the rules, which see what the earlier turns left.

    Events go out as they happen; events, calls and metering are those of a model's turn, and
    the limits, but for twice the steps and calls.
    """
    return await _RulesTurn(turn, history, meter, now).run(prompt)


class _RulesTurn:
    """One turn: what was said before it and in it, and what it has used so far."""

    def __init__(self, turn: Turn, history: Sequence[bytes], meter: Meter, now: datetime) -> None:
        before = [message for left in history for message in turn_history.decode(left)]
        self._turn = turn
        self._meter = meter
        self._now = now
        self._parts = [part for message in before for part in message]
        self._before = len(before)
        self._messages: list[Message] = []
        self._writers: frozenset[str] = frozenset()
        self._prompt_tokens = self._completion_tokens = self._calls = self._counted = 0
        self._retries: dict[str, int] = {}

    async def run(self, prompt: Prompt) -> TurnEnd:
        """Take step after step until the rules have answered or a limit is reached."""
        turn = self._turn
        self._keep([Part("asked", prompt)])
        error: AppError | None = None
        limit = asyncio.timeout(turn.seconds or turn.app.settings.turn_seconds or None)
        try:
            async with limit:
                error = await self._run_until_answered()
        except TooManyRefusals as refusal:
            self._forget_unanswered()
            await turn.give_up(refusal)
        except (stop_switch.AgentsStopped, BudgetExceeded, GrantRevoked) as refused:
            error = self._forget_unanswered(refused)
        except TimeoutError:
            if not limit.expired():
                raise  # a tool's own, which is a mistake
            error = self._forget_unanswered(Unavailable(live_turn.TOO_LONG))
        finally:
            forget_latest()  # whole notes may be held with what was made of them
        await turn.end()
        # What a file holds is cut only now: the turn itself may use all of it.
        self._messages[0] = [Part("asked", message_files.remember_prompt(prompt))]
        return TurnEnd(
            NAME,
            self._prompt_tokens,
            self._completion_tokens,
            turn_history.encode(self._messages),
            error,
        )

    async def _run_until_answered(self) -> AppError | None:
        """Go step by step until there is an answer.

        Tokens, which rules only count, limit nothing here but caps.
        """
        limits = self._turn.limits
        # Made once: rules know again what they made of the same results in the step before.
        self._asked = transcript.make_asked(
            self._parts, now=self._now, instructions=live_turn.instructions(self._turn)
        )
        # What the last calls gave is answered: a change that was made is told.
        rounds = 0
        while True:
            is_last = rounds == limits.requests * WISHES
            rounds += 1
            step = await self._next(is_last=is_last)
            calls = self._take(step)
            for start in range(0, len(step.text), PIECE):
                stop_switch.require_running(self._turn.app)
                await self._turn.say(step.text[start : start + PIECE])
            # The limits are twice those of a model's turn, though rules hardly reach them.
            most = limits.tool_calls * WISHES
            if self._calls + len(calls) > most or (calls and is_last):
                return self._forget(Unavailable(live_turn.TOO_MUCH))
            if not calls:
                return None if step.text else self._forget(Unavailable(live_turn.UNUSABLE))
            if not await self._use(calls):
                return self._forget(Unavailable(live_turn.UNUSABLE))

    async def _next(self, *, is_last: bool) -> Step:
        """Return what the rules do next, and count it as a model's step is counted."""
        turn = self._turn
        offered = live_turn.offered_tools(turn)
        self._writers = frozenset(tool.name for tool in offered if tool.operation.effect == "write")
        if self._meter.reserves:
            await self._meter.before(
                transcript.upper_token_bound(self._parts),
                longest_answer(FREE, turn.app.settings.max_completion),
            )
        tools = frozenset(tool.name for tool in offered) | decisions.offered(turn)
        self._asked = msgspec.structs.replace(self._asked, tools=tools, is_last=is_last)
        step = rules.next_step(self._asked)
        # Rules look again and again at what a model would be given once.
        new, self._counted = self._parts[self._counted :], len(self._parts)
        taken = transcript.estimate_tokens_of(new), transcript.estimate_tokens(step.text)
        self._meter.after(*taken)
        self._prompt_tokens += taken[0]
        self._completion_tokens += taken[1]
        return step

    def _forget(self, error: AppError) -> AppError:
        """Leave out the step with which the turn stops, since nothing answers it."""
        self._messages.pop()
        return error

    def _forget_unanswered(self, error: AppError | None = None) -> AppError | None:
        """Leave out the newest step if the turn stopped in it."""
        if self._messages[-1][0].kind in ("said", "called"):
            self._messages.pop()
        return error

    def _take(self, step: Step) -> list[_Call]:
        """Keep a step as what the brain answered, and return its calls.

        Their ids are made of their place, so that equal turns stream the same.
        """
        position = self._before + len(self._messages)
        calls = [
            _Call(name, fields, f"off_{position}_{number}")
            for number, (name, fields) in enumerate(step.calls)
        ]
        said = [Part("said", step.text)] if step.text else []
        if step.trace is not None:
            said.append(Part("trace", msgspec.to_builtins(step.trace)))
        called = [Part("called", None, call.tool, call.id, call.arguments) for call in calls]
        self._keep([*said, *called])
        return calls

    async def _use(self, calls: Sequence[_Call]) -> bool:
        """Use the tools, those that only read side by side; return whether the turn may go on."""
        # In the order of the calls, whichever ends first: equal turns leave equal histories.
        turn, results = self._turn, dict.fromkeys((call.id for call in calls), ToolResult(""))

        async def use(call: _Call) -> None:
            if call.tool in decisions.SCOPES:
                results[call.id] = await decisions.settle(turn, call.tool, call.arguments)
                return
            results[call.id] = used = await live_turn.use_tool(
                turn, call.tool, call.arguments, call.id, step=len(self._messages)
            )
            stop_switch.require_running(turn.app)
            turn.end_call(call.id, used.outcome)

        for call in calls:
            stop_switch.require_running(turn.app)
            if call.tool not in decisions.SCOPES:
                await turn.begin_call(call.tool, call.id)
        await asyncio.sleep(0)  # whoever looks on hears of it before the work begins
        for group in _group_calls(calls, self._writers):
            await (
                _run_together([use(call) for call in group]) if len(group) > 1 else use(group[0])
            )
        self._calls += sum(used.outcome == "success" for used in results.values())
        self._retries = {
            call.tool: self._retries.get(call.tool, 0) + 1
            for call in calls
            if results[call.id].outcome == "retried"
        }
        if max(self._retries.values(), default=0) > live_turn.RETRIES:
            return False
        parts = [_result_part(call, results[call.id]) for call in calls]
        self._keep(parts)
        gave = (
            transcript.tool_result(part, call.arguments)
            for part, call in zip(parts, calls, strict=True)
        )
        self._asked = msgspec.structs.replace(self._asked, results=(*self._asked.results, *gave))
        return True

    def _keep(self, message: Message) -> None:
        self._messages.append(message)
        self._parts += message


def _result_part(call: _Call, used: ToolResult) -> Part:
    kind: transcript.Kind = "gave" if used.outcome == "success" else "refused"
    return Part(kind, used.content, call.tool, call.id)


async def _run_together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at the same time.

    The first that raises ends the others, and what it raised is raised.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    # Callers know the plain error, and only the first is the cause.
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None


def _group_calls(calls: Iterable[_Call], alone: Container[str]) -> list[list[_Call]]:
    """Return the calls in groups that may run at the same time.

    Each of those in `alone` is a group of its own.
    """
    groups: list[list[_Call]] = []
    open_group = False
    for call in calls:
        if open_group and call.tool not in alone:
            groups[-1].append(call)
        else:
            groups.append([call])
        open_group = call.tool not in alone
    return groups
