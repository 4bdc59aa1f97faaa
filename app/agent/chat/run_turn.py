"""The run of one turn, from the brain that is chosen to the answer that is stored and told."""

import asyncio
import logging
from typing import Any

from msgspec import UNSET

from app.agent.chat.chat import Begun, Wish
from app.agent.chat.turn_driver import drive_turn
from app.agent.memory import episode_sources
from app.agent.models import model_or_rules, vision
from app.agent.turn import conversation_rows, message_files, turn_history, turn_rows
from app.agent.turn.live_turn import Turn, TurnEnd
from app.agent.turn.token_meter import Meter
from app.agent.turn.turn_result import Answer, Fallback, Usage
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.errors import AppError, BudgetExceeded, Unavailable

log = logging.getLogger("hearth")
INTERRUPTED = "The server is ending; the turn was interrupted."
MISTAKE = "Something went wrong in the server, whose log says what; the turn was stopped."


async def run_to_end(
    app: App, me: Caller, begun: Begun, wish: Wish, events: "asyncio.Queue[dict[str, Any] | None]"
) -> Answer | AppError:
    """Run the turn to its end and store it; the last event is always its completion."""
    turn = Turn(app, me, wish.now.isoformat(timespec="minutes"), begun.zone.key, events.put_nowait)
    turn.origin, turn.taint, turn.inherited, turn.seconds, turn.told = (
        begun.origin,
        begun.words,
        begun.inherited,
        begun.seconds,
        begun.told,
    )
    meter = Meter(
        app,
        begun.payer or me,
        feature=begun.feature,
        model=begun.model,
        held=begun.held,
        agent=None if begun.agent is None else str(begun.agent),
        reply_tokens=begun.reply_tokens,
    )
    try:
        try:
            done = await _run_turn(turn, meter, begun, wish)
        except Exception as mistake:
            done = await _end_after_mistake(turn, meter, begun, wish, mistake)
    # The server is ending and waits for this, or what let the turn run is gone, as `why` says.
    except asyncio.CancelledError as why:
        await _end_cut_off(
            turn, meter, begun, wish, Unavailable(str(why) or INTERRUPTED), is_interrupted=True
        )
        raise
    finally:
        # The stream ends with this, so it comes after everything else, even after a crash.
        events.put_nowait(None)
    return done


async def _run_turn(turn: Turn, meter: Meter, begun: Begun, wish: Wish) -> Answer | AppError:
    app, me = turn.app, turn.me
    brain = await model_or_rules.pick_brain(app, me, wish.model, now=wish.now)
    meter.model = brain.name
    sees = brain.model is not None and vision.takes_pictures(brain.model.model_name)
    prompt = await message_files.make_prompt(app, me, wish.message, begun.attached, sees=sees)
    ended = await drive_turn(
        turn,
        brain.model,
        prompt,
        begun.history,
        meter=meter,
        now=wish.now,
        temperature=wish.temperature,
    )
    answer_id = await app.write(_store_end, begun, turn, ended, meter)
    answer = _emit_end(turn, begun, ended, answer_id, brain.fallback)
    return (
        # What was said before the budget ended is an answer; the error went out as an event.
        answer if isinstance(ended.error, BudgetExceeded) and turn.text else ended.error or answer
    )


async def _end_after_mistake(
    turn: Turn, meter: Meter, begun: Begun, wish: Wish, mistake: Exception
) -> AppError:
    """Store a turn that a mistake of the program has ended, and tell of it as of any other
    failure.
    """
    error = mistake if isinstance(mistake, AppError) else AppError(MISTAKE)
    if error is not mistake:
        log.error("turn %d failed", begun.turn, exc_info=mistake)
    await _end_cut_off(turn, meter, begun, wish, error)
    return error


async def _end_cut_off(
    turn: Turn,
    meter: Meter,
    begun: Begun,
    wish: Wish,
    error: AppError,
    *,
    is_interrupted: bool = False,
) -> None:
    """Store and tell what a turn came to that did not end by itself."""
    turn.end_calls()
    history = turn_history.encode_exchange(wish.message, turn.text)
    ended = TurnEnd(meter.model, 0, 0, history, error, is_interrupted)
    _emit_end(turn, begun, ended, await turn.app.write(_store_end, begun, turn, ended, meter), None)


def _emit_end(
    turn: Turn, begun: Begun, ended: TurnEnd, answer_id: int, fallback: Fallback | None
) -> Answer:
    """Emit how the turn has ended, and return it as a whole answer."""
    if ended.error is not None:
        turn.emit({"type": "error", "error": ended.error.code, "message": ended.error.message})
    usage = Usage(
        ended.prompt_tokens, ended.completion_tokens, ended.prompt_tokens + ended.completion_tokens
    )
    answer = Answer(
        begun.conversation,
        answer_id,
        turn.text,
        turn.tools_used,
        turn.quotes.citations,
        usage,
        fallback or UNSET,
    )
    turn.emit({"type": "completion", "metadata": _answer_metadata(answer, ended.model)})
    return answer


def _store_end(tx: Tx, begun: Begun, turn: Turn, ended: TurnEnd, meter: Meter) -> int:
    """Store the answer, the calls and what the turn cost.

    Return the id of the answer's message, 0 where turn and owner were deleted meanwhile.
    """
    meter.end(tx)
    # The conversation may have been deleted while the turn ran.
    if not turn_rows.is_there(tx, begun.turn):
        return 0
    for call in turn.calls:
        turn_rows.add_call(
            tx,
            begun.turn,
            tool=call.tool,
            call=call.id,
            arguments=call.arguments,
            outcome=call.outcome,
        )
    # Something must stand there, or the user would see their question without a reply.
    text = turn.text or (ended.error.message if ended.error else "")
    stored = conversation_rows.add_message(
        tx,
        begun.conversation,
        role="assistant",
        sender_type="agent",
        sender=None,
        label=begun.agent_label,
        content=text,
        agent=begun.agent,
    )
    turn_rows.end(
        tx,
        begun.turn,
        status=ended.status,
        model=ended.model,
        prompt_tokens=ended.prompt_tokens,
        completion_tokens=ended.completion_tokens,
        history=ended.history,
        error=ended.error.message if ended.error else None,
        # Only what this turn brought in: what it inherited fades with the turn it came from.
        taint=" ".join(sorted(turn.taint - turn.inherited | begun.words)),
    )
    episode_sources.add_turn(tx, begun.turn, answer=stored)
    return stored


def _answer_metadata(answer: Answer, model: str) -> dict[str, Any]:
    return {
        "promptTokens": answer.usage.prompt_tokens,
        "completionTokens": answer.usage.completion_tokens,
        "totalTokens": answer.usage.total_tokens,
        "conversationId": answer.conversation_id,
        "messageId": answer.message_id,
        "model": model,
        "toolsUsed": answer.tools_used,
        "citations": answer.citations,
        **({} if answer.fallback is UNSET else {"fallback": answer.fallback}),
    }
