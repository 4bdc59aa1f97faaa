"""Drive a turn of the offline brain straight.

What the loop does, without the library that models need, so that no model costs no import.
"""

import asyncio
import json
from collections.abc import Container, Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from app.agent.rules import rules
from app.agent.turn import live_turn, message_files, stored_prompts, transcript
from app.agent.turn.live_turn import Ended, TooManyRefusals, Turn, Used
from app.agent.turn.message_files import Prompt
from app.agent.turn.steps import Step
from app.agent.turn.token_meter import FREE, Meter, longest
from app.agent.turn.transcript import Part
from app.errors import AppError, BudgetExceeded, GrantRevoked
from app.tools.approvals import stop_switch

NAME = FREE
PIECE = 48

Entry = dict[str, Any]


class _Call(msgspec.Struct, frozen=True):
    tool: str
    arguments: dict[str, Any]
    id: str


async def run(
    turn: Turn, prompt: Prompt, history: Sequence[bytes], *, meter: Meter, now: datetime
) -> Ended:
    """Answer `prompt` by the rules, which see what the earlier turns left.

    Events go out as they happen.

    Events, calls, limits, what is metered and what the next turns are told are those of the loop
    with `OfflineModel`.
    """
    return await _Straight(turn, history, meter, now).go(prompt)


class _Straight:
    """One turn: what was said before it and in it, and what it has used so far."""

    def __init__(self, turn: Turn, history: Sequence[bytes], meter: Meter, now: datetime) -> None:
        before: list[Entry] = [entry for left in history for entry in msgspec.json.decode(left)]
        self._turn = turn
        self._meter = meter
        self._now = now
        self._at = now.astimezone(UTC).isoformat()
        self._parts = [part for entry in before for part in parts_of(entry)]
        self._before = len(before)
        self._entries: list[Entry] = []
        self._writers: frozenset[str] = frozenset()
        self._prompt_tokens = self._completion_tokens = self._calls = 0
        self._retries: dict[str, int] = {}

    async def go(self, prompt: Prompt) -> Ended:
        """Take step after step until the rules have answered or a limit is reached."""
        turn, first = self._turn, {"timestamp": self._at, "part_kind": "user-prompt"}
        self._hear([{"content": stored_prompts.stored(prompt), **first}])
        error: AppError | None = None
        limit = asyncio.timeout(turn.seconds or turn.app.settings.turn_seconds or None)
        try:
            async with limit:
                error = await self._until_answered()
        except TooManyRefusals as refusal:
            self._forget_unanswered()
            await turn.give_up(refusal)
        except (stop_switch.AgentsStopped, BudgetExceeded, GrantRevoked) as refused:
            error = self._forget_unanswered(refused)
        except TimeoutError:
            if not limit.expired():
                raise  # a tool's own, which is a mistake
            error = self._forget_unanswered(live_turn.too_long())
        await turn.end()
        self._entries[0]["parts"] = [
            {"content": stored_prompts.stored(message_files.remembered(prompt)), **first}
        ]
        return Ended(
            NAME,
            self._prompt_tokens,
            self._completion_tokens,
            msgspec.json.encode(self._entries),
            error,
        )

    async def _until_answered(self) -> AppError | None:
        """Go step by step until there is an answer.

        Tokens, which rules only count, limit nothing here but caps.
        """
        limits = self._turn.limits
        for _ in range(limits.requests):
            step = await self._next()
            calls = self._take(step)
            for start in range(0, len(step.text), PIECE):
                stop_switch.demand(self._turn.app)
                await self._turn.say(step.text[start : start + PIECE])
            if self._calls + len(calls) > limits.tool_calls:
                return self._forget(live_turn.too_much())
            if not calls:
                return None if step.text else self._forget(live_turn.unusable())
            if not await self._use(calls):
                return self._forget(live_turn.unusable())
        return live_turn.too_much()

    async def _next(self) -> Step:
        """Give what the rules do next, and count it as a model's step is counted."""
        turn = self._turn
        offered = live_turn.offered(turn)
        self._writers = frozenset(tool.name for tool in offered if tool.operation.effect == "write")
        if self._meter.reserves:
            await self._meter.before(
                transcript.most_tokens(self._parts), longest(FREE, turn.app.settings.max_completion)
            )
        tools = frozenset(tool.name for tool in offered)
        step = rules.next_step(
            transcript.asked(
                self._parts, tools=tools, now=self._now, instructions=live_turn.instructions(turn)
            )
        )
        self._meter.after(transcript.tokens_of(self._parts), transcript.tokens(step.text))
        return step

    def _forget(self, error: AppError) -> AppError:
        """Leave out the step with which the turn stops, since nothing answers it."""
        self._entries.pop()
        return error

    def _forget_unanswered(self, error: AppError | None = None) -> AppError | None:
        """Leave out the newest step if the turn stopped in it."""
        if self._entries[-1]["kind"] == "response":
            self._entries.pop()
        return error

    def _take(self, step: Step) -> list[_Call]:
        """Keep a step as what the brain answered, and give its calls.

        Their ids are made of their place, so that equal turns stream the same.
        """
        position = self._before + len(self._entries)
        prompt, completion = transcript.tokens_of(self._parts), transcript.tokens(step.text)
        self._prompt_tokens += prompt
        self._completion_tokens += completion
        calls = [
            _Call(name, fields, f"off_{position}_{number}")
            for number, (name, fields) in enumerate(step.calls)
        ]
        parts: list[Entry] = [{"content": step.text, "part_kind": "text"}] if step.text else []
        parts += [
            {
                "tool_name": call.tool,
                "args": json.dumps(call.arguments),
                "tool_call_id": call.id,
                "part_kind": "tool-call",
            }
            for call in calls
        ]
        usage = {"input_tokens": prompt, "output_tokens": completion}
        self._keep(
            {
                "parts": parts,
                "usage": usage,
                "model_name": NAME,
                "provider_name": NAME,
                "timestamp": self._at,
                "kind": "response",
            }
        )
        return calls

    async def _use(self, calls: Sequence[_Call]) -> bool:
        """Use the tools, those that only read side by side; say whether the turn may go on."""
        turn, results = self._turn, dict.fromkeys((call.id for call in calls), Used(""))

        async def use(call: _Call) -> None:
            results[call.id] = used = await live_turn.use(
                turn, call.tool, call.arguments, call.id, step=len(self._entries)
            )
            stop_switch.demand(turn.app)
            turn.end_call(call.id, used.outcome)

        for call in calls:
            stop_switch.demand(turn.app)
            await turn.begin_call(call.tool, call.id)
        await asyncio.sleep(0)  # whoever looks on hears of it before the work begins
        for group in _side_by_side(calls, self._writers):
            await (_together([use(call) for call in group]) if len(group) > 1 else use(group[0]))
        self._calls += sum(used.outcome == "success" for used in results.values())
        self._retries = {
            call.tool: self._retries.get(call.tool, 0) + 1
            for call in calls
            if results[call.id].outcome == "retried"
        }
        if max(self._retries.values(), default=0) > live_turn.RETRIES:
            return False
        self._hear([self._result(call, results[call.id]) for call in calls])
        return True

    def _result(self, call: _Call, used: Used) -> Entry:
        result = {
            "tool_name": call.tool,
            "content": used.content,
            "tool_call_id": call.id,
            "timestamp": self._at,
            "outcome": used.outcome,
            "part_kind": "tool-return",
        }
        if used.outcome == "retried":
            result["retry"] = {
                "cause": "model_retry",
                "attempt": self._retries[call.tool],
                "max_retries": live_turn.RETRIES,
            }
        return result

    def _hear(self, parts: list[Entry]) -> None:
        self._keep({"parts": parts, "timestamp": self._at, "kind": "request"})

    def _keep(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._parts += parts_of(entry)


def parts_of(entry: Mapping[str, Any]) -> Iterator[Part]:
    """Give the parts of a message as it is stored."""
    for part in entry["parts"]:
        match part["part_kind"]:
            case "user-prompt":
                yield Part("asked", stored_prompts.read(part["content"]))
            case "tool-call":
                yield Part(
                    "called",
                    None,
                    part["tool_name"],
                    part["tool_call_id"],
                    _arguments(part.get("args")),
                )
            case "tool-return":
                done = part.get("outcome", "success") == "success"
                yield Part(
                    "gave" if done else "refused",
                    part["content"],
                    part["tool_name"],
                    part["tool_call_id"],
                )
            case "retry-prompt" if part.get("tool_name"):
                yield Part("refused", part["content"], part["tool_name"], part["tool_call_id"])
            case _:
                yield Part("other", part.get("content"))


def _arguments(args: Any) -> Mapping[str, Any]:
    """Give a call's arguments, which are stored as a record or as its JSON; nothing where a
    model wrote neither.
    """
    if isinstance(args, str):
        try:
            args = json.loads(args or "{}")
        except ValueError:
            return {}
    return args if isinstance(args, dict) else {}


async def _together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at the same time.

    The first that raises ends the others, and what it raised is raised.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None


def _side_by_side(calls: Iterable[_Call], alone: Container[str]) -> list[list[_Call]]:
    """Give the calls in groups that may run at the same time.

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
