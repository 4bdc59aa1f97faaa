"""The tools endpoints: what tools there are for a credential, and calling one of them."""

import time
from typing import Annotated, Any

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import Http, operation
from app.core.schema import Record, encode
from app.errors import (
    AppError,
    Conflict,
    Forbidden,
    InsufficientScope,
    Invalid,
    NotFound,
    PayloadTooLarge,
    Unprocessable,
)
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from app.tools.approvals.escalation_rows import TooManyPending
from app.tools.registry import namespaces, registry, remote_tools
from app.tools.registry.registry import Descriptor, NoSuchTool

REFUSALS = (Invalid, NotFound, Conflict, Forbidden, PayloadTooLarge, Unprocessable)
"""What a tool itself says no with.

Everything else is about the caller or the server and keeps its status.
"""
OURS = (InsufficientScope, NoSuchTool, TooManyPending, tool_gate.Denied)
"""What is said before the tool is reached."""
DIRECT = Origin("mcp")
ToolName = Annotated[str, Meta(min_length=1, max_length=128)]


class Usage(Record):
    """How a tool is called."""

    endpoint: str
    body: dict[str, str]


class OsEndpoints(Record):
    description: str
    index: str


class Toolbox(Record):
    tools: list[Descriptor]
    total_tools: int
    usage: Usage
    os_endpoints: OsEndpoints


class Timing(Record):
    execution_time_ms: int


class Called(Record):
    """What a tool gave: the record of the matching endpoint."""

    tool: str
    result: dict[str, Any]
    metadata: Timing


@operation("GET /tools")
async def list_tools(app: App, me: Caller) -> Toolbox:
    """List the tools of the namespaces that are on for this credential."""
    on = app.quick(namespaces.enabled_check, me)
    tools = [
        tool.descriptor
        for tool in remote_tools.every(app, me)
        if on(tool.namespace) and me.reaches(tool.name)
    ]
    base = app.settings.base_url
    how = Usage(
        f"POST {base}/tools",
        {"tool": "string, a tool's name", "params": "object, by the tool's parameters"},
    )
    return Toolbox(
        tools,
        len(tools),
        how,
        OsEndpoints(
            "Every endpoint of the workspace can also be called directly.", f"GET {base}/os"
        ),
    )


@operation(
    "POST /tools",
    category="tools",
    http=Http(
        refuses={"*": "the tool refuses its own parameters (422); GET /tools describes them"}
    ),
)
async def call_tool(
    app: App, me: Caller, *, tool: ToolName, params: dict[str, Any] | None = None
) -> Called:
    """Call a tool by its name, with the rights of this credential.

    What the tool refuses is told with status 422 and a result whose isError is true. A result of
    over 256 KiB is cut and says so. A tool that asks a person first gives `status:
    awaiting_approval` and the id of what waits.
    """
    # Refusals have their time too, so it begins before the parameters are looked at.
    began = time.perf_counter()
    try:
        done = await tool_gate.use_tool(
            app, me, tool, _known_parameters(app, me, tool, params or {}), origin=direct_origin(me)
        )
    # Some of these are of a class in REFUSALS (Denied is a Forbidden), yet no tool said them.
    except OURS:
        raise
    except REFUSALS as error:
        raise _tool_refusal(tool, error, _timing_since(began)) from None
    return Called(
        tool,
        done.result
        if isinstance(done, tool_gate.Waiting)
        else registry.cut_result(encode(done.result)),
        _timing_since(began),
    )


def direct_origin(me: Caller) -> Origin:
    """Return where a call comes from that a credential makes by itself."""
    return DIRECT if me.agent is None else Origin("managed_agent", agent_id=me.agent.id)


def _known_parameters(app: App, me: Caller, name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that the tool has, as an endpoint ignores fields that it does not
    know; what a server's tool takes, that knows itself.
    """
    tool = remote_tools.lookup(app, me, name)
    return (
        params
        if tool is None or remote_tools.is_remote(tool)
        else {field: value for field, value in params.items() if field in tool.names}
    )


def _tool_refusal(tool: str, error: AppError, timing: Timing) -> Unprocessable:
    said = {"isError": True, "content": [{"type": "text", "text": error.message}]}
    return Unprocessable(
        error.message,
        **error.details,
        tool=tool,
        result=said,
        metadata={"executionTimeMs": timing.execution_time_ms},
    )


def _timing_since(began: float) -> Timing:
    return Timing(round((time.perf_counter() - began) * 1000))
