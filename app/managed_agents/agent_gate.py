"""What an agent's key changes at an endpoint passes the gate of its tools, as in its turns."""

from collections.abc import Mapping
from typing import Any

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import Operation
from app.errors import Forbidden
from app.tools import tool_endpoints
from app.tools.approvals import tool_gate
from app.tools.registry import registry


async def pass_gate(
    app: App, me: Caller, found: Operation[..., Any], given: Mapping[str, Any]
) -> Any:
    """Do what an agent asks to change, or leave it to its owner.

    Raises Forbidden with the id of the escalation where it waits for their yes, and whatever the
    gate or the operation refuses with.
    """
    tool = registry.require_tool(app, found.name)
    fields = {tool.spelling.get(name, name): value for name, value in given.items()}
    params = {name: value for name, value in fields.items() if name in tool.names}
    origin = tool_endpoints.direct_origin(me)
    done = await tool_gate.use_tool(app, me, found.name, params, origin=origin)
    if isinstance(done, tool_gate.Waiting):
        raise Forbidden(
            "This waits for the owner's yes; it is done when they give it.",
            reason="awaiting_approval",
            escalationId=done.escalation_id,
        )
    return done.result
