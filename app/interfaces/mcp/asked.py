"""Who asks, as the handlers of MCP's methods see it: a caller, and the one way to everything."""

import json
import logging
import re
from collections.abc import Callable
from typing import Any, cast

import mcp_types as types
import msgspec
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from app.core.app import App
from app.core.caller import Caller
from app.core.schema import CONTROLS, FORMATS, encode
from app.errors import AppError, InsufficientScope, NotFound, Unprocessable

LEGACY_NOT_FOUND = -32002
"""What the handshake revisions call a resource that is not there."""
UNSEEN = re.compile(f"[{CONTROLS}{FORMATS}]+")
FAULT = "Something went wrong inside the server; its log tells more."
Context = ServerRequestContext[Any, Any]
log = logging.getLogger("hearth")


class TooLong(Unprocessable):
    """What a tool gave is longer than a tool's result may be."""


class Asked(msgspec.Struct, frozen=True):
    """One request: who sends it, and the running application.

    `still` finds the caller anew, or None when its credential has ended.
    """

    app: App
    me: Caller
    still: Callable[[], Caller | None]

    async def call(self, name: str, /, **fields: Any) -> Any:
        """Run an operation and return its record."""
        return await self.app.call(self.me, name, fields)

    async def use(self, tool: str, /, **params: Any) -> dict[str, Any]:
        """Call a tool as agents do, through the gate and with a row in the audit.

        Return what it gave as JSON has it; raise TooLong for what was cut.
        """
        called = await self.call("call_tool", tool=tool, params=params)
        found = cast("dict[str, Any]", msgspec.json.decode(encode(called.result)))
        if found.get("truncated") is True and "text" in found:
            raise TooLong(str(found["message"]))
        return found

    async def note(self, number: int) -> dict[str, Any]:
        """Return a whole note, which the gate has let through."""
        try:
            return cast(
                "dict[str, Any]", (await self.use("get_note_content", noteId=number))["note"]
            )
        except TooLong:
            whole = encode(await self.call("get_note_content", id=number))
            return cast("dict[str, Any]", msgspec.json.decode(whole)["note"])

    def may(self, operation: str) -> bool:
        """Return whether the caller's scopes include an operation."""
        return self.me.may(self.app.catalog.operations[operation].scopes)


def asked(ctx: Context) -> Asked:
    """Return who asks."""
    return cast("Asked", ctx.request)


def is_modern(ctx: Context) -> bool:
    """Return whether the client speaks a revision without a handshake."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def refusal(ctx: Context, error: AppError, **data: Any) -> MCPError:
    """Return what the client is told when it asks for something that it does not get."""
    is_missing = isinstance(error, NotFound | Unprocessable) and not is_modern(ctx)
    code = (
        types.INTERNAL_ERROR
        if error.status >= 500
        else LEGACY_NOT_FOUND
        if is_missing
        else types.INVALID_PARAMS
    )
    told = {"error": error.code, **told_beside(error), **data}
    return MCPError(code=code, message=error.message, data=json.loads(encode(told)))


async def refuse_in_words(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer a request, and tell what it was refused for, or that there is a fault inside."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except AppError as error:
        if isinstance(error, InsufficientScope) and asked(ctx).me.kind == "oauth":
            raise  # so that the application can ask for more
        raise refusal(ctx, error) from None
    except Exception:
        log.exception("MCP request %s failed", ctx.method[:80])
        raise MCPError(code=types.INTERNAL_ERROR, message=FAULT) from None


def told_beside(error: AppError) -> dict[str, Any]:
    """Return the details of a refusal, without what only `POST /tools` tells beside it."""
    beside = ("tool", "result", "metadata")
    return {name: value for name, value in error.details.items() if name not in beside}


def invalid(message: str) -> MCPError:
    """Return the refusal of parameters that name something unknown."""
    return MCPError(code=types.INVALID_PARAMS, message=message)


def shown(text: str) -> str:
    """Return a name as it is shown: without characters that move, hide or colour what stands
    around them.
    """
    return UNSEEN.sub(" ", text).strip()


def as_text(value: Any) -> types.TextContent:
    """Return a value as JSON in a block of text."""
    return types.TextContent(text=json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def page_start(cursor: str | None) -> int:
    """Return where a page begins; raise for a cursor that no page has given."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise invalid("This cursor was not given by this server; begin again without one.")
    return int(cursor)
