"""One turn, put together from its stream and passed on to whatever shows it."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

Line = Mapping[str, Any]


class Asks(Protocol):
    """Asks operations for somebody."""

    def ask(self, name: str, /, **params: Any) -> Line:
        """Return the record of an operation."""


class Show(Protocol):
    """Shows a turn while it goes on."""

    def text(self, piece: str) -> None:
        """Show the next piece of the answer."""

    def begun(self, call: str, tool: str) -> None:
        """Show that a tool is being used."""

    def ended(self, call: str, *, ok: bool, summary: str) -> None:
        """Show what came of it."""


@dataclasses.dataclass
class TurnRecord:
    """What has come of a turn so far."""

    text: str = ""
    waiting: list[Line] = dataclasses.field(default_factory=list)
    error: str | None = None
    metadata: Line = dataclasses.field(default_factory=dict)

    @property
    def citations(self) -> list[Line]:
        """The passages that the answer quotes."""
        return list(self.metadata.get("citations", ()))

    @property
    def model(self) -> str:
        """What answered."""
        return str(self.metadata.get("model", ""))

    @property
    def conversation(self) -> int | None:
        """The conversation in which the turn stands, once that was told."""
        return self.metadata.get("conversationId")

    def as_answer(self) -> dict[str, Any]:
        """Return the turn as one record.

        What `POST /chat` answers as a whole, with the model and what waits for a yes or no.
        """
        told = self.metadata
        usage = {
            name: told.get(name, 0) for name in ("promptTokens", "completionTokens", "totalTokens")
        }
        return {
            "conversationId": self.conversation,
            "messageId": told.get("messageId"),
            "response": self.text,
            "model": self.model,
            "toolsUsed": list(told.get("toolsUsed", ())),
            "citations": self.citations,
            "usage": usage,
            "escalations": [line["escalationId"] for line in self.waiting],
            "error": self.error,
        }


def follow_turn(lines: Iterable[Line], record: TurnRecord, show: Show) -> None:
    """Take in a stream to its end; kinds of lines that are not known are passed over."""
    for line in lines:
        match line.get("type"):
            case "text-delta":
                record.text += line["textDelta"]
                show.text(line["textDelta"])
            case "tool-call-start":
                show.begun(line["toolCallId"], line["toolName"])
            case "tool-call-result":
                show.ended(line["toolCallId"], ok=line["ok"], summary=line["summary"])
            case "escalation":
                record.waiting.append(line)
            case "error":
                record.error = line["message"]
            case "completion":
                record.metadata = line["metadata"]
            case _:  # a newer server may stream what this program does not know
                pass
    if not record.metadata and record.error is None:
        record.error = "The answer broke off; the turn may still go on."


def mark_read(client: Asks, record: TurnRecord) -> None:
    """Mark an answer as read that has been shown to its end."""
    if record.conversation is not None and record.error is None:
        client.ask("mark_read", id=record.conversation, messageId=record.metadata.get("messageId"))
