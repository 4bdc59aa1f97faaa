"""What can go wrong with an MCP server, as sentences for its owner."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tools.mcp.challenge import Challenge


class McpFailed(Exception):
    """A server cannot be used; the message is a sentence that holds nothing secret."""


class NeedsLogin(McpFailed):
    """A server wants a login, or does not accept the one that there is; `challenge` says which."""

    def __init__(self, message: str, challenge: "Challenge | None" = None) -> None:
        super().__init__(message)
        self.challenge = challenge


class NotYet(McpFailed):
    """A server that fails again and again is left alone for a while."""


class Refused(McpFailed):
    """The tool of a server has refused what it was called with."""


class NoLogin(McpFailed):
    """A server asks for no login."""
