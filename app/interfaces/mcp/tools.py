"""The tools of the catalogue as MCP describes and calls them."""

import asyncio
import contextlib
import functools
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import mcp_types as types
import msgspec

from app.core.caller import Actor
from app.core.operation import Catalog, Operation
from app.core.process import progress
from app.core.schema import encode, schemas
from app.errors import AppError, InsufficientScope, NotFound
from app.interfaces.mcp.asked import (
    Asked,
    Context,
    as_text,
    asked,
    invalid,
    is_modern,
    shown,
    told_beside,
)
from app.interfaces.openapi import PREFIX

PROGRESS_SECONDS = 5.0
"""How often a client that wants to know is told that its call is still at work."""
PROGRESS_PAUSE = 0.1
"""So long at least between two words of how far a work is."""
DEFINITIONS = "#/$defs/"
WAITS_FOR_YES = "awaiting_approval"
WAITING = {
    "properties": {"status": {"const": WAITS_FOR_YES}, "escalationId": {"type": "integer"}},
    "required": ["status", "escalationId"],
}
CUT = {
    "properties": {"truncated": {"const": True}, "text": {"type": "string"}},
    "required": ["truncated", "message", "text"],
}
WAITS = (
    "This waits for the owner's yes, as escalation {id}; nothing has been done. They decide in "
    "Hearth, or with `hearth escalation continue {id}`. Call the tool again with the same "
    "arguments to learn what came of it."
)


async def list_tools(ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """List the tools that the caller may call."""
    who = asked(ctx)
    offered = (await who.call("list_tools")).tools
    catalog = who.app.catalog
    return types.ListToolsResult(
        tools=[_described(catalog, one) for one in offered if _is_allowed(who, one)]
    )


async def call_tool(
    ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    """Call a tool with the caller's rights."""
    who = asked(ctx)
    arguments = {**(params.arguments or {}), **_chosen(params)}
    try:
        async with _reported(ctx):
            called = await who.call("call_tool", tool=params.name, params=arguments)
    except NotFound as error:
        raise invalid(error.message) from None
    except InsufficientScope as error:
        if who.me.kind == "oauth":
            raise  # so that the application can ask for more
        return _refused(error)
    except AppError as error:
        return _question(ctx, error) or _refused(error)
    result = msgspec.json.decode(encode(called.result))
    if result.get("status") == WAITS_FOR_YES:
        said = types.TextContent(text=WAITS.format(id=result["escalationId"]))
        return types.CallToolResult(content=[said, as_text(result)], structured_content=result)
    return types.CallToolResult(content=[as_text(result)], structured_content=result)


def _is_allowed(who: Asked, descriptor: Any) -> bool:
    found = who.app.catalog.operations.get(descriptor.name)
    scopes = found.scopes if found is not None else (descriptor.scope,) if descriptor.scope else ()
    return who.me.may(scopes) and who.me.reaches(descriptor.name)


def _described(catalog: Catalog, descriptor: Any) -> types.Tool:
    """Return a tool's description: what it takes, what it gives, what it may do."""
    found = catalog.operations.get(descriptor.name)
    return types.Tool(
        name=descriptor.name,
        title=descriptor.name.replace("_", " ").capitalize(),
        description=shown_lines(descriptor.description),
        input_schema=descriptor.parameters,
        output_schema=output_schemas(catalog).get(descriptor.name),
        annotations=_hints(found, descriptor.read_write),
    )


def shown_lines(text: str) -> str:
    """Return a text of several lines, each as it is shown."""
    return "\n".join(map(shown, text.splitlines()))


def _hints(found: Operation[..., Any] | None, read_write: str) -> types.ToolAnnotations:
    """Return what a client may tell its user before a call.

    What reads words of others or leaves the machine is never called read-only, so that a client
    asks before.
    """
    risk = found.risk_class if found is not None else "R" if read_write == "read" else "X"
    declared = found.tool if found is not None else None
    overwrites = risk == "X" or (declared is not None and declared.overwrites)
    return types.ToolAnnotations(
        read_only_hint=risk == "R",
        destructive_hint=None if risk == "R" else overwrites,
        open_world_hint=risk == "O" or found is None,
    )


@functools.cache
def output_schemas(catalog: Catalog) -> Mapping[str, dict[str, Any]]:
    """Return the JSON Schema of what each tool gives."""
    return {
        found.name: _output_schema(found) for found in catalog.operations.values() if found.tool
    }


def _output_schema(found: Operation[..., Any]) -> dict[str, Any]:
    """Return the JSON Schema of what a tool gives: its record, or what is told instead of it."""
    (schema, _), named = schemas([found.answer, Actor], DEFINITIONS)
    named = {name: _portable(part) for name, part in named.items()}
    reference = schema.get("$ref", "").removeprefix(DEFINITIONS)
    record = named[reference] if reference else _portable(schema)
    instead = [CUT] if found.risk_class == "R" else [CUT, WAITING]
    used: dict[str, Any] = {}
    while more := [name for name in named if name not in used and _is_used(name, [record, used])]:
        used |= {name: named[name] for name in more}
    whole: dict[str, Any] = {"type": "object", "anyOf": [record, *instead]}
    return {**whole, "$defs": used} if used else whole


def _is_used(name: str, parts: list[Any]) -> bool:
    return f'"{DEFINITIONS}{name}"' in json.dumps(parts)


def _portable(schema: Any) -> Any:
    """Return a schema in the words that all clients know.

    A rule is an object, a type is one, and what is referred to stands in the schema itself.
    """
    if isinstance(schema, list):
        return [_portable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        name: {"not": {}}
        if name == "items" and part is False
        else part.replace(PREFIX, DEFINITIONS)
        if name == "$ref"
        else _portable(part)
        for name, part in schema.items()
    }
    if isinstance(kinds := plain.get("type"), list):
        del plain["type"]
        return {**plain, "anyOf": [{"type": kind} for kind in kinds]}
    return plain


def _refused(error: AppError) -> types.CallToolResult:
    """Return what a tool's refusal tells a model: the sentence, and the fields beside it."""
    more = told_beside(error)
    told = {"error": error.code, "message": error.message, **more}
    said = types.TextContent(text=error.message)
    content: list[types.ContentBlock] = (
        [said, as_text(json.loads(encode(told)))] if more else [said]
    )
    return types.CallToolResult(content=content, is_error=True)


def _question(ctx: Context, error: AppError) -> types.InputRequiredResult | None:
    """Return the question which of several things was meant, for a client that can ask its user.

    The tool is called again with the answer; nothing is kept meanwhile.
    """
    candidates = error.details.get("candidates")
    can = ctx.session.client_capabilities
    if not candidates or not is_modern(ctx) or can is None or can.elicitation is None:
        return None
    choices = [
        {"const": str(one["id"]), "title": f"{shown(one['title'])} ({one['id']})"}
        for one in candidates
    ]
    schema = {
        "type": "object",
        "properties": {"noteId": {"type": "string", "title": "Note", "oneOf": choices}},
        "required": ["noteId"],
    }
    request = types.ElicitRequest(
        params=types.ElicitRequestFormParams(
            message="Several notes fit. Which one is meant?", requested_schema=schema
        )
    )
    return types.InputRequiredResult(input_requests={"which": request})


def _chosen(params: types.CallToolRequestParams) -> dict[str, Any]:
    """Return the arguments that the answer to the question above stands for."""
    answer = (params.input_responses or {}).get("which")
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return {}
    number = str((answer.content or {}).get("noteId", ""))
    if not (number.isascii() and number.isdecimal() and len(number) < 16):
        raise invalid("noteId must be one of the notes that were offered.")
    return {"noteId": int(number), "search": None}


class _Report:
    """What a client hears of a call: what the work tells of itself, else how long it has taken."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._passed = 0
        self._done = 0.0
        self._told_at = -PROGRESS_PAUSE
        self._is_heard = False

    async def hear(self, done: float, whole: float | None, said: str | None) -> None:
        """Pass on how far the work is, when it is further than before, and not too often."""
        now = self._loop.time()
        if done > self._done and now >= self._told_at + PROGRESS_PAUSE:
            self._is_heard, self._done, self._told_at = True, done, now
            whole = None if whole is None else self._passed + whole
            await self._ctx.session.report_progress(self._passed + done, whole, said)

    async def count(self) -> None:
        """Tell every few seconds how long the call has taken, until the work says more."""
        while True:
            await asyncio.sleep(PROGRESS_SECONDS)
            if not self._is_heard:
                self._passed = max(self._passed + 1, round(self._loop.time() - self._began))
                said = f"At work for {self._passed} seconds."
                await self._ctx.session.report_progress(self._passed, message=said)


@contextlib.asynccontextmanager
async def _reported(ctx: Context) -> AsyncIterator[None]:
    """Tell a client that gave a token for it how far its call is."""
    if "progress_token" not in (ctx.meta or {}):
        yield
        return
    report = _Report(ctx)
    counting = asyncio.create_task(report.count())
    try:
        with progress.told_to(report.hear):
            yield
    finally:
        counting.cancel()
