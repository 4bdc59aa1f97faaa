"""Where a model's wishes are written down as proposals.

It can call for writing tools, but here nothing is done.
"""

from collections.abc import Mapping
from typing import Any

from pydantic_ai.tools import ToolDefinition

from app.agent.heartbeat.records.proposals import LONGEST_TEXT, ActionType, Proposal, news_key
from app.agent.turn.live_turn import Turn
from app.core.app import App
from app.core.fit_types import whole
from app.errors import Invalid
from app.tools.approvals import escalation_rows
from app.tools.approvals.change_preview import quotable_line
from app.tools.registry import registry

WISHED: dict[str, ActionType] = {
    "create_todo": "todo_create",
    "edit_todo": "todo_update",
    "complete_todo": "todo_update",
    "create_note": "note_create",
    "edit_note": "note_edit",
    "pin_note": "note_edit",
    "memory_write": "memory_write",
    "send_message_to_human": "message_send",
}
"""The writing tools that a model may wish for, and the type of action that each becomes."""
TELL = ToolDefinition(
    name="tell_owner",
    description="Tell your owner one piece of news, in one or two sentences.",
    parameters_json_schema={
        "type": "object",
        "properties": {"text": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}},
        "required": ["text"],
    },
)
MOST_PROPOSALS = 10
NAMES = {
    "todo_create": "Add the todo",
    "todo_update": "Change the todo",
    "note_create": "Write the note",
    "note_edit": "Change the note",
}


class ProposalCollector:
    """What a model wishes for while it looks at one line of the checklist."""

    def __init__(self, app: App, item: int) -> None:
        self.wished = frozenset(WISHED)
        self.extra = (TELL,)
        self.proposals: list[Proposal] = []
        self._app = app
        self._item = item

    async def intercept(
        self, turn: Turn, name: str, params: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Write a wish down, checked as the call itself would be; None for what only looks."""
        if name != TELL.name and name not in WISHED:
            return None
        if len(self.proposals) >= MOST_PROPOSALS:
            raise Invalid(f"{MOST_PROPOSALS} proposals are enough for one line; stop here.")
        proposal = self._reminder(params) if name == TELL.name else self._wish(name, params)
        if all(proposal.key != other.key for other in self.proposals):
            self.proposals.append(proposal)
        return {
            "proposed": True,
            "message": "Written down; it is checked and done, or put to the owner, after this "
            "pass.",
        }

    def _reminder(self, params: Mapping[str, Any]) -> Proposal:
        text = params.get("text")
        if not isinstance(text, str) or not 0 < len(text.strip()) <= LONGEST_TEXT:
            raise Invalid(f"text must have 1 to {LONGEST_TEXT} characters.", field="text")
        says = text.strip()
        key = _wish_key("reminder", {"text": says})
        return Proposal(
            "reminder",
            quotable_line(says, 200),
            {"text": says, "rule": "model"},
            says,
            self._item,
            None,
            key,
            by_model=True,
        )

    def _wish(self, name: str, params: Mapping[str, Any]) -> Proposal:
        tool, type_ = registry.require_tool(self._app, name), WISHED[name]
        # Checked now, while the model can still correct itself.
        fields = tool.operation.fields.check(tool.fields(params))
        if (
            type_ == "message_send"
            and fields.get("to") is None
            and fields.get("recipient_id") is None
        ):
            return self._reminder({"text": params["message"]})
        payload = {**params, "completed": True} if name == "complete_todo" else dict(params)
        payload |= {
            field: number
            for field in ("noteId", "id")
            if (number := whole(payload.get(field))) is not None
        }
        target = next(
            (
                (kind, payload[field])
                for kind, field in (("note", "noteId"), ("todo", "id"))
                if isinstance(payload.get(field), int)
            ),
            None,
        )
        about = (
            f"“{quotable_line(str(params['title']), 80)}”"
            if params.get("title")
            else str(target[1])
            if target
            else ""
        )
        title = f"{NAMES.get(type_, type_.replace('_', ' ').capitalize())} {about}".strip()
        return Proposal(
            type_,
            title,
            payload,
            title,
            self._item,
            target,
            _wish_key(type_, payload),
            by_model=True,
        )


def _wish_key(type_: str, payload: Mapping[str, Any]) -> str:
    """Return the name under which the same wish is one."""
    return news_key("model", None, f"{type_} {escalation_rows.canonical_json(payload).decode()}")
