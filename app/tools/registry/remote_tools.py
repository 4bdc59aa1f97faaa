"""The tools of MCP servers beside those of the service itself, and every tool of a caller."""

import hashlib
from collections.abc import Mapping
from typing import Any

from app.core.app import App
from app.core.caller import Caller
from app.core.operation import Http, Operation, Risk, Tool
from app.core.schema import encode
from app.errors import Invalid
from app.tools.mcp import servers, tool_rows
from app.tools.mcp.definitions import JOINED
from app.tools.mcp.tool_rows import ToolRow
from app.tools.registry import registry
from app.tools.registry.registry import Descriptor, RegisteredTool

OTHERS_WORDS = "(A tool of the MCP server {server}; its description is by others.)"
PLAIN = Http()


class RemoteTool(RegisteredTool, frozen=True, dict=True):
    """A tool of a server; that checks its parameters itself."""

    row: ToolRow

    @property
    def descriptor(self) -> Descriptor:
        """What is shown to agents."""
        definition = self.row.definition
        return Descriptor(
            self.row.name,
            self.operation.description,
            self.row.namespace,
            "mcp",
            self.operation.effect,
            definition.parameters,
            self.operation.scopes[0],
            self.declared.approval,
        )

    @property
    def sha256(self) -> str:
        """The hash of the server, and of what is shown to agents."""
        return hashlib.sha256(encode([self.row.server, self.descriptor])).hexdigest()

    @property
    def names(self) -> Mapping[str, str]:
        """The fields that the server names."""
        properties = self.row.definition.parameters.get("properties")
        return {name: name for name in properties} if isinstance(properties, dict) else {}

    def arguments(self, app: App, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters; raise Invalid where one is missing."""
        for name in self.row.definition.parameters.get("required", ()):
            if name not in params:
                raise Invalid(f"{self.name} needs the parameter {name[:80]}.", field=name[:80])
        return {"params": dict(params)}


def every(app: App, me: Caller) -> list[RegisteredTool]:
    """Return every tool of a caller.

    Those of servers are for nobody who acts by a grant but the owner's agents, as far as they
    are lent to them.
    """
    found = list(registry.native_tools(app.catalog).values())
    if _has_servers(me):
        found += [_made(row) for row in app.quick(tool_rows.usable, me.user)]
    return found


def lookup(app: App, me: Caller, name: str) -> RegisteredTool | None:
    """Return the tool of that name, if there is one for the caller."""
    tool = registry.native_tools(app.catalog).get(name)
    if tool is None and JOINED in name and _has_servers(me):
        tool = next((_made(row) for row in app.quick(tool_rows.usable, me.user, name)), None)
    return tool


def find(app: App, me: Caller, name: str) -> RegisteredTool:
    """Return the tool of that name; raise NoSuchTool."""
    return lookup(app, me, name) or registry.require_tool(app, name)


def _has_servers(me: Caller) -> bool:
    return me.reach is None or me.agent is not None


def is_remote(tool: RegisteredTool) -> bool:
    """Return whether a tool is a server's."""
    return isinstance(tool, RemoteTool)


def _made(row: ToolRow) -> RemoteTool:
    definition = row.definition
    reads = row.trusted and definition.reads

    async def use(app: App, me: Caller, *, params: dict[str, Any]) -> dict[str, Any]:
        return await servers.call(app, me.user, row, params)

    use.__name__ = row.name
    use.__doc__ = f"{definition.description}\n\n{OTHERS_WORDS.format(server=row.namespace)}"
    risk: Risk = "X" if not reads else "R" if definition.closed else "O"
    operation: Operation[..., Any] = Operation(
        function=use,
        method="TOOL",
        path="",
        scopes=("tools:run",),
        category=row.namespace,
        effect="read" if reads else "write",
        quick=False,
        session=False,
        public=False,
        also=(),
        frees=False,
        every=None,
        http=PLAIN,
        tool=Tool(risk=risk, taint="mcp"),
    )
    return RemoteTool(operation, row)
