"""One message from its arrival to its answer: acknowledged, asked for, run once, answered.

Each step is in the journal before the server is told, so a bridge that was killed goes on where it
was; what had begun to run is never run again, and answered as interrupted.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from app.commands.bridge.client import Answered, Client, Patience, TokenEnded
from app.commands.bridge.home import Device
from app.commands.bridge.journal import OVER, Entry, Journal, State
from app.commands.bridge.prompt import write_answer
from app.core import random_tokens

ASK_AGAIN_SECONDS = 1.0
UNDER_WAY = ("runtime_acked", "handled", "replied")
INTERRUPTED = "The bridge ended while this was running. It was not run again."
REFUSED = "The owner did not allow this."
TOO_LATE = "The owner did not decide in time."
UNDECIDED: tuple[State, ...] = ("acked", "asking")


@dataclass
class Result:
    """What a runtime made of a task."""

    text: str
    outcome: Literal["respond", "failed"] = "respond"


class Runtime(Protocol):
    """Something that answers tasks."""

    name: str

    def asks(self, entry: Entry) -> tuple[str, str] | None:
        """Return the tool that a task needs and what it does, or None where nothing is run."""

    async def answer(self, entry: Entry, sender: str) -> Result:
        """Return what came of a task."""


class Deliveries:
    """Brings messages from their arrival to their end."""

    def __init__(
        self,
        device: Device,
        client: Client,
        journal: Journal,
        runtime: Runtime | None,
        tell: Callable[[str], None],
        patience: Patience,
        names: Callable[[str], Awaitable[str]],
    ) -> None:
        self._device = device
        self.client = client
        self._journal = journal
        self._runtime = runtime
        self._tell = tell
        self._patience = patience
        self._names = names
        self._turns: dict[str, asyncio.Lock] = {}
        self._running = asyncio.Lock()
        self._under_way: set[str] = set()
        self._over: dict[str, str] = {}
        self.is_draining = False

    def takes(self, entry: Entry) -> bool:
        """Return whether a message is for this bridge now, and nothing is being done about it."""
        wanted = self._runtime is not None or not self._is_task(entry)
        return wanted and not self.is_draining and entry.id not in self._under_way

    def end_session(self, session: str, reason: str) -> None:
        """Let nothing go on under a grant that has ended; cancel what is under way afterwards."""
        self._over[session] = reason
        self._turns.pop(session, None)

    async def deliver(self, entry: Entry) -> None:
        """Bring a message to its end; what the server refuses ends it with the server's word."""
        self._under_way.add(entry.id)
        try:
            async with self._turns.setdefault(entry.session, asyncio.Lock()):
                await self._go_on(entry)
        except asyncio.CancelledError:
            if entry.session not in self._over:
                raise
            self._end(entry, self._over[entry.session])
        except TokenEnded:
            raise
        except Answered as refusal:
            self._end(entry, refusal.code)
        finally:
            self._under_way.discard(entry.id)

    async def _go_on(self, entry: Entry) -> None:
        if entry.state == "running":
            self._journal.change(entry, "answered", outcome="failed", answer=INTERRUPTED)
        if entry.state == "received":
            await self._ack(entry, "device_ack", f"device_ack:{entry.id}")
            self._journal.change(entry, "acked")
        if not self._is_task(entry):
            if await self._is_handed_over(entry):
                self._journal.change(entry, "done")
                if self._runtime is not None:  # else whoever waits for it is told already
                    self._tell(f"An answer from {await self._sender(entry)} has come.")
            return
        if entry.state in UNDECIDED and not await self._is_allowed(entry):
            return
        if entry.state != "answered":
            async with self._running:
                if await self._is_handed_over(entry) and not self.is_draining:
                    await self._run(entry)
        if entry.state == "answered":
            await self._reply(entry)

    async def _is_allowed(self, entry: Entry) -> bool:
        """Ask the owner where something would be run; tell the peer of a no."""
        if self._runtime is None or (tool := self._runtime.asks(entry)) is None:
            return True
        if not await self._is_valid(entry):
            return False
        decision = await self._ask_owner(entry, *tool)
        if decision != "allow":
            await self._refuse(entry, decision)
        return decision == "allow"

    async def _is_handed_over(self, entry: Entry) -> bool:
        """Tell the server that a message is handed over, right after it is found valid."""
        if entry.state in UNDECIDED:
            if self.is_draining or not await self._is_valid(entry):
                return False
            ack_id = f"ack_{random_tokens.new_bytes(8).hex()}"
            self._journal.change(entry, "accepted", ack_id=ack_id)
        return entry.state == "accepted" and await self._accept(entry)

    async def _is_valid(self, entry: Entry) -> bool:
        found = await self._ask(
            "POST",
            "local-agent/injections/validate",
            {
                "messageId": entry.id,
                "communicationSessionId": entry.session,
                "endpointId": self._device.endpoint_id,
                "sessionHandle": self._session(entry),
            },
        )
        if found.get("valid") is True:
            return True
        self._end(entry, str(found.get("reason") or "not valid any more"))
        return False

    async def _ask_owner(self, entry: Entry, tool: str, summary: str) -> str:
        """Return `allow`, or how the owner or time decided against a run."""
        found: dict[str, Any] = {"decision": None, "status": "pending"}
        if not entry.approval_id:
            found = await self._ask(
                "POST",
                "local-agent/tool-approvals",
                {
                    "communicationSessionId": entry.session,
                    "sessionHandle": self._session(entry),
                    "messageId": entry.id,
                    "toolName": tool,
                    "toolInputSummary": summary,
                },
            )
            self._journal.change(entry, "asking", approval_id=str(found["approvalId"]))
            if found["decision"] is None:
                await self._ack(entry, "runtime_pending", f"pending:{entry.id}", "awaiting_owner")
                self._tell(
                    f"{await self._sender(entry)} asks for a task. See it with "
                    "`hearth bridge approvals`, then allow or deny it."
                )
        while found["decision"] is None and found["status"] == "pending":
            await asyncio.sleep(ASK_AGAIN_SECONDS)
            found = await self._ask("GET", f"local-agent/tool-approvals/{entry.approval_id}")
        return str(found["decision"] if found["decision"] == "allow" else found["status"])

    async def _refuse(self, entry: Entry, status: str) -> None:
        await self._ack(entry, "runtime_failed", f"failed:{entry.id}", f"approval_{status}")
        why = TOO_LATE if status == "expired" else REFUSED
        self._tell(f"A task of {await self._sender(entry)} was not run. {why}")
        self._journal.change(entry, "answered", outcome="failed", answer=why)
        await self._reply(entry)

    async def _accept(self, entry: Entry) -> bool:
        """Tell the server that the message is handed over; False where it has ended meanwhile."""
        told = await self._ack(entry, "runtime_ack", f"attempt_{entry.ack_id}", ack_id=entry.ack_id)
        if told.get("recorded") == "state":
            return True
        # said before, or too late
        found = await self._ask("GET", f"local-agent/messages/{entry.id}")
        status = str(found["delivery"]["status"])
        if status not in UNDER_WAY:
            self._end(entry, status)
        return status in UNDER_WAY

    async def _run(self, entry: Entry) -> None:
        if self._runtime is None:
            return
        sender = await self._sender(entry)
        self._journal.change(entry, "running")
        self._tell(f"A task of {sender} runs.")
        result = await self._runtime.answer(entry, sender)
        self._journal.change(entry, "answered", outcome=result.outcome, answer=result.text)

    async def _reply(self, entry: Entry) -> None:
        source = self._runtime.name if self._runtime is not None else "bridge"
        await self._ask("POST", "local-agent/messages", write_answer(entry, source))
        self._journal.change(entry, "done")
        self._tell(f"Answered {await self._sender(entry)}.")

    async def _ack(
        self, entry: Entry, phase: str, attempt: str, code: str = "", ack_id: str = ""
    ) -> dict[str, Any]:
        said: dict[str, Any] = {"phase": phase, "attemptId": attempt, "retryable": False}
        if code:
            said["resultCode"] = code
        if ack_id:
            said["runtimeAckId"] = ack_id
        return await self._ask("POST", f"local-agent/messages/{entry.id}/ack", said)

    async def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        found: dict[str, Any] = await self._patience.ask(self.client, method, path, body)
        return found or {}

    def _is_task(self, entry: Entry) -> bool:
        """Whether a runtime is to make something of it; without one a question is an answer."""
        return entry.is_task and (self._runtime is not None or not entry.reply_to)

    def _session(self, entry: Entry) -> str:
        """Return the session that the message is for, which may be one of an earlier run."""
        return str(entry.envelope["target"].get("sessionHandle") or self._device.session_handle)

    async def _sender(self, entry: Entry) -> str:
        return await self._names(str(entry.envelope.get("senderPrincipalId", "")))

    def _end(self, entry: Entry, reason: str) -> None:
        if entry.state in OVER:
            return
        self._journal.change(entry, "ended", reason=reason)
        self._tell(f"Message {entry.id} came to nothing: {reason}.")
