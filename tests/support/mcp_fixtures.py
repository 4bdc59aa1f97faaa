"""The tools, resources and prompts that MCP's conformance suite calls, on Hearth's own endpoint.

What is tested is the way there and back: revisions, headers, streams, errors, rounds of questions.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from app.interfaces.mcp.asked import Context, is_modern

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGA"
    "hKmMIQAAAABJRU5ErkJggg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
KEY = b"of this test alone"
TEMPLATE = "test://template/"
DIALECT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
Result = types.CallToolResult | types.InputRequiredResult
Params = types.CallToolRequestParams
Requests = dict[str, types.CreateMessageRequest | types.ListRootsRequest | types.ElicitRequest]
BUS = InMemorySubscriptionBus()
LOGGED = ("Tool execution started", "Tool processing data", "Tool execution completed")


def text(said: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=said)])


def form(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    given = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=given)


def sample(question: str, most: int) -> types.CreateMessageRequest:
    said = types.SamplingMessage(role="user", content=types.TextContent(text=question))
    given = types.CreateMessageRequestParams(messages=[said], max_tokens=most)
    return types.CreateMessageRequest(params=given)


def asks(requests: Requests, state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def signed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def demand_signed(state: str | None) -> str:
    said = (state or "").rpartition(".")[0]
    if not hmac.compare_digest(signed(said).encode(), (state or "").encode()):
        raise MCPError(code=types.INVALID_PARAMS, message="The request's state was changed.")
    return said


def answered(params: Any, name: str) -> Any:
    return (params.input_responses or {}).get(name)


def field(params: Params, name: str, wanted: str) -> str | None:
    found = answered(params, name)
    content = found.content if isinstance(found, types.ElicitResult) else None
    return None if not content or wanted not in content else str(content[wanted])


def image() -> types.ImageContent:
    return types.ImageContent(data=PNG, mime_type="image/png")


def embedded(uri: str, kind: str, said: str) -> types.EmbeddedResource:
    held = types.TextResourceContents(uri=uri, mime_type=kind, text=said)
    return types.EmbeddedResource(resource=held)


async def simple_text(ctx: Context, params: Params) -> Result:
    return text("This is a simple text response for testing.")


async def image_content(ctx: Context, params: Params) -> Result:
    return types.CallToolResult(content=[image()])


async def audio_content(ctx: Context, params: Params) -> Result:
    return types.CallToolResult(content=[types.AudioContent(data=WAV, mime_type="audio/wav")])


async def embedded_resource(ctx: Context, params: Params) -> Result:
    said = "This is an embedded resource content."
    return types.CallToolResult(content=[embedded("test://embedded-resource", "text/plain", said)])


async def multiple_content_types(ctx: Context, params: Params) -> Result:
    said = types.TextContent(text="Multiple content types test:")
    held = json.dumps({"test": "data", "value": 123})
    more = embedded("test://mixed-content-resource", "application/json", held)
    return types.CallToolResult(content=[said, image(), more])


async def error_handling(ctx: Context, params: Params) -> Result:
    said = types.TextContent(text="This tool intentionally returns an error for testing")
    return types.CallToolResult(content=[said], is_error=True)


async def tool_with_progress(ctx: Context, params: Params) -> Result:
    for part in (0, 50, 100):
        await ctx.session.report_progress(part, 100)
        await asyncio.sleep(0.05)
    return text("done")


async def tool_with_logging(ctx: Context, params: Params) -> Result:
    for said in LOGGED:
        given = types.LoggingMessageNotificationParams(level="info", data=said)
        if not is_modern(ctx):
            notice = types.LoggingMessageNotification(params=given)
            await ctx.session.send_notification(notice, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)
    return text("done")


async def missing_capability(ctx: Context, params: Params) -> Result:
    can = ctx.session.client_capabilities
    if can is None or can.sampling is None:
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs sampling.",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return text("done")


async def ask_name(ctx: Context, params: Params) -> Result:
    name = field(params, "user_name", "name")
    if name is None:
        return asks({"user_name": form("What is your name?", "name")})
    return text(f"Hello, {name}!")


async def ask_model(ctx: Context, params: Params) -> Result:
    found = answered(params, "capital_question")
    if found is None:
        return asks({"capital_question": sample("What is the capital of France?", 100)})
    return text(str(found.content.text))


async def ask_roots(ctx: Context, params: Params) -> Result:
    found = answered(params, "client_roots")
    if found is None:
        return asks({"client_roots": types.ListRootsRequest()})
    return text(", ".join(str(root.uri) for root in found.roots))


async def ask_with_state(ctx: Context, params: Params) -> Result:
    if answered(params, "confirm") is None:
        return asks({"confirm": form("Please confirm", "ok", "boolean")}, signed("confirm"))
    demand_signed(params.request_state)
    return text("state-ok")


async def ask_much(ctx: Context, params: Params) -> Result:
    wanted: Requests = {
        "user_name": form("What is your name?", "name"),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": types.ListRootsRequest(),
    }
    if any(answered(params, name) is None for name in wanted):
        return asks(wanted, signed("much"))
    demand_signed(params.request_state)
    return text("done")


async def ask_twice(ctx: Context, params: Params) -> Result:
    if params.request_state is None:
        return asks({"step1": form("Step 1: What is your name?", "name")}, signed("1"))
    if demand_signed(params.request_state) == "1":
        return asks({"step2": form("Step 2: What is your favorite color?", "color")}, signed("2"))
    return text("done")


async def ask_what_it_can(ctx: Context, params: Params) -> Result:
    can = ctx.session.client_capabilities
    wanted: Requests = {}
    if can is not None and can.elicitation is not None:
        wanted["user_name"] = form("What is your name?", "name")
    if can is not None and can.sampling is not None:
        wanted["greeting"] = sample("Generate a greeting", 50)
    return asks(wanted) if wanted and not params.input_responses else text("done")


async def change_tools(ctx: Context, params: Params) -> Result:
    await BUS.publish(ToolsListChanged())
    return text("done")


async def change_prompts(ctx: Context, params: Params) -> Result:
    await BUS.publish(PromptsListChanged())
    return text("done")


TOOLS: dict[str, Callable[[Context, Params], Awaitable[Result]]] = {
    "test_simple_text": simple_text,
    "test_image_content": image_content,
    "test_audio_content": audio_content,
    "test_embedded_resource": embedded_resource,
    "test_multiple_content_types": multiple_content_types,
    "test_error_handling": error_handling,
    "test_tool_with_progress": tool_with_progress,
    "test_tool_with_logging": tool_with_logging,
    "test_logging_tool": tool_with_logging,
    "test_missing_capability": missing_capability,
    "test_streaming_elicitation": ask_name,
    "test_input_required_result_elicitation": ask_name,
    "test_input_required_result_sampling": ask_model,
    "test_input_required_result_list_roots": ask_roots,
    "test_input_required_result_request_state": ask_with_state,
    "test_input_required_result_multiple_inputs": ask_much,
    "test_input_required_result_multi_round": ask_twice,
    "test_input_required_result_tampered_state": ask_with_state,
    "test_input_required_result_capabilities": ask_what_it_can,
    "test_trigger_tool_change": change_tools,
    "test_trigger_prompt_change": change_prompts,
    "json_schema_2020_12_tool": simple_text,
}
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_tools(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    schemas = {"json_schema_2020_12_tool": DIALECT}
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name, description=name, input_schema=schemas.get(name, {"type": "object"})
            )
            for name in TOOLS
        ]
    )


async def call_tool(ctx: Context, params: Params) -> Result:
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message="There is no such tool.")
    return await TOOLS[params.name](ctx, params)


async def list_resources(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    uris = ("test://static-text", "test://static-binary", "test://watched-resource")
    return types.ListResourcesResult(
        resources=[types.Resource(uri=uri, name=uri, description=uri) for uri in uris]
    )


async def list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    found = types.ResourceTemplate(uri_template=TEMPLATE + "{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[found])


async def read_resource(
    ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    held: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        held = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif uri.startswith(TEMPLATE):
        id_ = uri.removeprefix(TEMPLATE).partition("/")[0]
        said = json.dumps({"id": id_, "templateTest": True, "data": f"Data for ID: {id_}"})
        held = types.TextResourceContents(uri=uri, mime_type="application/json", text=said)
    elif uri in ("test://static-text", "test://watched-resource"):
        said = "This is the content of the static text resource."
        held = types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    else:
        raise MCPError(code=types.INVALID_PARAMS, message="There is no such resource.")
    return types.ReadResourceResult(contents=[held])


async def list_prompts(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in given],
            )
            for name, given in PROMPTS.items()
        ]
    )


async def get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    said: list[types.ContentBlock]
    match params.name:
        case "test_simple_prompt":
            said = [types.TextContent(text="This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            told = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            said = [types.TextContent(text=told)]
        case "test_prompt_with_embedded_resource":
            held = "Embedded resource content for testing."
            said = [
                embedded(given["resourceUri"], "text/plain", held),
                types.TextContent(text="Please process the embedded resource above."),
            ]
        case "test_prompt_with_image":
            said = [image(), types.TextContent(text="Please analyze the image above.")]
        case "test_input_required_result_prompt" if answered(params, "user_context") is None:
            return asks({"user_context": form("What context should the prompt use?", "context")})
        case _:
            said = [types.TextContent(text="done")]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=block) for block in said]
    )


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park"]))


async def set_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


def fixtures() -> Server[Any]:
    """Give the server of the SDK that the conformance suite expects."""
    hint = CacheHint(ttl_ms=0, scope="private")
    server: Server[Any] = Server(
        "fixtures",
        version="1.0.0",
        cache_hints={
            "tools/list": hint,
            "prompts/list": hint,
            "resources/list": hint,
            "resources/templates/list": hint,
            "resources/read": hint,
        },
        get_tool_input_schema=lambda _: None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscriptions_listen=ListenHandler(BUS),
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    return server
