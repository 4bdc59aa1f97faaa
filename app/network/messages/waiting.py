"""Messages that wait: an agent that could not answer them at once answers once it can."""

from app.agent.heartbeat import clock
from app.agent.turn.conversation_rows import add_message
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import MINUTE, operation
from app.core.schema import Record
from app.errors import AppError, BudgetExceeded, Forbidden, NotFound
from app.network.messages import agent_rpc, deliver_message, senders, waiting_rows
from app.network.messages.agent_rpc import Question
from app.network.messages.senders import Sender
from app.tools.approvals import stop_switch

AT_ONCE = 20
GONE = "I cannot answer this any more: access to me was taken back."


@operation("COMMAND", every=MINUTE)
async def answer_waiting_messages(app: App, me: Caller) -> Record:
    """Answer the messages that waited for an agent which can answer now."""
    if stop_switch.is_stopped(app):
        return Record()
    # One after another: a burst after a pause must not hold up the turns that people wait for.
    for message in app.quick(waiting_rows.list_due, AT_ONCE):
        asked = await app.write(_begin_answer, message)
        if asked is not None:
            answer = await agent_rpc.run_turn(app, asked)
            await app.write(
                _tell_asker, asked, None if isinstance(answer, AppError) else answer.response
            )
    return Record()


def _begin_answer(tx: Tx, message: int) -> Question | None:
    """Begin the turn that answers a message.

    None where it waits on, or is not to be answered any more.
    """
    row = waiting_rows.find_waiting(tx, message)
    if row is None:  # deleted with an account or claimed since the list was read
        return None
    try:
        asker = senders.require_person_of_row(tx, row["asker_id"])
        owner = senders.require_person_of_row(tx, row["owner_id"])
        acting = agent_rpc.granted_caller(tx, asker, owner)
        asked = agent_rpc.begin_turn(
            tx,
            acting,
            owner=owner,
            asker=asker,
            conversation=row["conversation_id"],
            message=message,
            text=row["content"],
        )
    except BudgetExceeded as error:
        waiting_rows.put_off(tx, message, reason="budget_spent", next_at=error.details["resetsAt"])
        return None
    except Forbidden:
        label = senders.agent_name(tx, owner)
        add_message(
            tx,
            row["conversation_id"],
            role="assistant",
            sender_type="agent",
            sender=None,
            label=label,
            content=GONE,
        )
        waiting_rows.end(tx, message)
        return None
    except NotFound:
        waiting_rows.end(tx, message)
        return None
    # Claimed in the transaction that begins the turn: after a crash `recover_after_stop` knows
    # from the turn whether the message was answered.
    waiting_rows.claim(tx, message, asked.begun.turn)
    return asked


def _tell_asker(tx: Tx, asked: Question, answer: str | None) -> None:
    """Tell the one who asked that there is an answer."""
    waiting_rows.end(tx, asked.message)
    newest = tx.value(
        "SELECT max(id) FROM messages "
        "WHERE conversation_id = :id AND role = 'assistant' AND id > :after",
        id=asked.begun.conversation,
        after=asked.message,
    )
    if newest is not None and answer is not None:
        sender = Sender(asked.owner, "agent", asked.begun.agent_label)
        deliver_message.publish_message(
            tx,
            asked.asker,
            sender,
            message=newest,
            conversation=asked.begun.conversation,
            mode="agent",
            content=answer,
        )
        clock.wake(tx, asked.asker.id)
