"""Talking with a managed agent of one's own."""

import sqlite3
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from app.account import users
from app.account.users import TimeZone
from app.agent.chat import chat
from app.agent.chat.chat import Events, MessageText, Wish
from app.agent.turn import conversation_rows, message_attachments, turn_rows
from app.agent.turn.turn_result import Answer
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.line_stream import Lines
from app.core.operation import operation
from app.core.schema import LARGEST_ID, Id
from app.core.schema_errors import DIGITS
from app.managed_agents import agent_rows, agent_turns
from app.managed_agents.agent_turns import AgentTurn
from app.workspace.attachments import attachment_rows


@operation("POST /managed-agents/{id}/chat", scope="agent.chat:run")
async def chat_with_agent(
    app: App,
    me: Caller,
    *,
    id: Id,
    message: MessageText,
    conversation_id: Id | Annotated[str, Meta(pattern=DIGITS)] | None = None,
    user_timezone: TimeZone | None = None,
    model: Annotated[str, Meta(max_length=200)] | None = None,
    stream: bool = True,
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None,
    attachment_ids: Annotated[list[Id], Meta(max_length=10)] | None = None,
) -> Answer | Lines:
    """Talk with a managed agent of one's own, in a new conversation or an earlier one with it.

    Bodies and answers are those of POST /chat. Without `model` the agent's own answers.
    """
    if attachment_ids:
        me.require(("os.notes:read",))
    number = None if conversation_id is None else min(int(conversation_id), LARGEST_ID)
    turn = await app.write(
        _begin, me, id, message, number, user_timezone, attachment_ids or (), model
    )
    events = Events()
    local = app.clock().astimezone(turn.begun.zone)
    wish = Wish(message, model or turn.agent.model, temperature, local)
    task = app.tasks.start(agent_turns.run(app, turn, events, wish))
    return await chat.answer_of(task, turn.begun, events, stream=stream)


def _begin(
    tx: Tx,
    me: Caller,
    id_: int,
    message: str,
    conversation: int | None,
    zone: str | None,
    attachment_ids: Sequence[int],
    wanted: str | None,
) -> AgentTurn:
    agent = agent_rows.require_own(tx, me.user, id_)
    if conversation is not None:
        conversation_rows.require_own(tx, me, conversation, agent=agent.id)
    files: tuple[sqlite3.Row, ...] = tuple(
        attachment_rows.require_own(tx, me, one) for one in dict.fromkeys(attachment_ids)
    )
    acting = agent_turns.acting_for(tx, agent, me)
    if conversation is None:
        conversation = conversation_rows.begin(
            tx,
            type="direct",
            owner=me.user,
            title=conversation_rows.title_from_message(message),
            members=(me.user,),
            agent=agent.id,
        )
    history = turn_rows.recent_histories(tx, conversation)
    stored = conversation_rows.add_message(
        tx,
        conversation,
        role="user",
        sender_type="human" if me.kind == "session" else "agent",
        sender=me.user,
        label=users.settings_of(tx, me.user).name,
        content=message,
    )
    message_attachments.add(tx, stored, files)
    conversation_rows.mark_read(tx, me.user, conversation, stored)
    return agent_turns.begin(
        tx,
        agent,
        acting,
        payer=me,
        conversation=conversation,
        message=stored,
        text=message,
        history=history,
        wanted=wanted,
        zone=zone,
        files=files,
    )
