"""What a model can do, found out by asking its server.

Whether it answers, which models it has, its context, and whether it calls tools.
"""

import asyncio
import json
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from app.agent.models import model_choice, model_servers, providers
from app.agent.models.model_rows import Configured, Found, Probed
from app.agent.models.providers import ProviderMissing, Providers

if TYPE_CHECKING:
    from pydantic_ai.models import Model

CALL_TOKENS = 400
SHOWN_CHARACTERS = 200
MOST_NAMES = 200
OLLAMA_USUAL_CONTEXT = 4_096
WANTED_CONTEXT = 16_384

QUESTION = "What is the weather in Oslo now? Use the tool."
TOOL = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "name of the city"}},
    "required": ["city"],
    "additionalProperties": False,
}


class TrialCall(NamedTuple):
    """What came of the tiny call.

    Whether it was made (None where the model could not be asked), what was said, and what went
    wrong.
    """

    made: bool | None
    text: str
    error: str | None


async def probe_model(asked: Providers, configured: Configured) -> Probed:
    """Test a model and return what was found; never raises for what the server does."""
    try:
        key = asked.key(configured)
        client, model = await asyncio.to_thread(providers.make_model, configured, key)
    except ProviderMissing as missing:
        return _failed_probe(str(missing))
    try:
        server = model_servers.Server(client, configured, key)
        names = await model_servers.list_names(server)
        if not server.reachable:
            where = urlsplit(configured.url).netloc
            return _failed_probe(
                f"{where} cannot be reached ({server.trouble}). {_how_to_start(configured)}".strip()
            )
        called = await _make_call(model, configured, key)
        # After the call, since only a model that is loaded has a context at Ollama.
        found = await model_servers.find_out(server, configured)
    finally:
        await client.aclose()
    return _judge(configured, names, found, called)


def _judge(configured: Configured, names: list[str], found: Found, called: TrialCall) -> Probed:
    """Return what the answers come to."""
    tools = found.tools if called.made is None else called.made
    offered = model_servers.is_offered(configured.model, names) if names else None
    error = called.error
    # What to do about a missing model helps more than what the provider wrote.
    if error and offered is False:
        error = (
            f"{urlsplit(configured.url).netloc} has no model {configured.model}. "
            f"{_how_to_fetch(configured, names)}"
        ).strip()
    known = Found(
        found.server, configured.context or found.context, found.most_context, tools, found.thinks
    )
    return Probed(
        error is None,
        True,
        known.server,
        names[:MOST_NAMES],
        offered,
        known.context,
        known.most_context,
        tools,
        known.thinks,
        _offer_sentence(configured, known),
        called.text,
        error,
        _find_warnings(configured, known, offered=offered),
    )


def found_of(probed: Probed) -> Found:
    """Return what is worth keeping of a test."""
    return Found(probed.server, probed.context, probed.most_context, probed.tools, probed.thinks)


async def _make_call(model: "Model", configured: Configured, key: str) -> TrialCall:
    """Let the model make a tiny call; where it cannot even be asked with a tool, ask without."""
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest, TextPart, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    tool = ToolDefinition(
        name="get_weather", description="Give the weather of a city.", parameters_json_schema=TOOL
    )
    said, with_tool = (
        ModelRequest.user_text_prompt(QUESTION),
        ModelRequestParameters(function_tools=[tool]),
    )
    error = ""
    # Some servers refuse any request that has tools.
    for parameters in (with_tool, ModelRequestParameters()):
        try:
            answer = await model_request(
                model,
                [said],
                model_settings=ModelSettings(max_tokens=CALL_TOKENS),
                model_request_parameters=parameters,
            )
        except Exception as failure:
            error = error or _explain_failure(failure, configured, key)
            continue
        calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
        text = " ".join(
            "".join(part.content for part in answer.parts if isinstance(part, TextPart)).split()
        )[:SHOWN_CHARACTERS]
        # The right tool with the right city: small models call something and are no use.
        made = any(
            call.tool_name == "get_weather"
            and "oslo" in json.dumps(call.args, default=str).casefold()
            for call in calls
        )
        return TrialCall(made, _hide_key(text, key), None)
    return TrialCall(None, "", error)


def _explain_failure(failure: Exception, configured: Configured, key: str) -> str:
    """Return why a model could not be asked.

    The operator may also read what the provider wrote, but never the key.
    """
    from app.agent.models.guarded_model import explain_error

    body = getattr(failure, "body", None)
    said = body.get("message") or body.get("error") if isinstance(body, dict) else body
    if isinstance(said, dict):
        said = said.get("message")
    shown = " ".join(str(said).split())[:SHOWN_CHARACTERS] if said else ""
    return explain_error(failure, configured) + (
        f" It says: {_hide_key(shown, key)}" if shown else ""
    )


def _hide_key(text: str, key: str) -> str:
    # Some providers repeat the key in their refusal.
    return text.replace(key, "…") if key else text


def _failed_probe(error: str) -> Probed:
    return Probed(False, False, "", [], None, None, None, None, None, "", "", error, [])


def _offer_sentence(configured: Configured, known: Found) -> str:
    """Return how the agent will use the model, as a sentence."""
    match model_choice.tools_of(msgspec.structs.replace(configured, found=known)):
        case "none":
            return "Rules choose and call the tools, and the model writes the answers."
        case "few":
            return (
                "The agent offers it at most eight tools for each message, chosen by what the "
                "message asks for."
            )
        case _:
            return "The agent offers it every tool."


def _find_warnings(configured: Configured, known: Found, *, offered: bool | None) -> list[str]:
    found: list[str] = []
    if (
        known.server == "ollama"
        and not configured.context
        and (known.context is None or known.context <= OLLAMA_USUAL_CONTEXT)
    ):
        found.append(_small_context_warning(configured, known))
    elif known.context is not None and known.context < WANTED_CONTEXT and known.server != "ollama":
        found.append(
            f"The context is {known.context:,} tokens. It takes {WANTED_CONTEXT:,} or more to "
            "remember a conversation and read whole notes."
        )
    if known.tools is False and configured.tools == "auto":
        found.append(
            "The model did not call a tool when asked to. To offer it tools anyway, add it with "
            "`--tools few`."
        )
    # llama.cpp serves its one model under every name.
    if offered is False and known.server != "llama.cpp":
        found.append(f"The server does not list a model called {configured.model}.")
    return found


def _small_context_warning(configured: Configured, known: Found) -> str:
    """Tell of the small context that Ollama gives, and what to do about it."""
    usual = "Ollama gives models 4,096 tokens where the graphics memory is small"
    now = f"Ollama gives this model {known.context} tokens" if known.context else usual
    name = f"{configured.model.replace(':', '-')}-agent"
    lines = f"FROM {configured.model}\\nPARAMETER num_ctx {WANTED_CONTEXT}\\n"
    return (
        f"{now} and silently drops the beginning of anything longer. To give it more, start "
        f"Ollama with OLLAMA_CONTEXT_LENGTH={WANTED_CONTEXT}, or make a model with more: "
        f"printf '{lines}' > Modelfile && "
        f"ollama create {name} -f Modelfile, and add {name}."
    )


def _how_to_start(configured: Configured) -> str:
    match configured.provider:
        case "ollama":
            return "Is Ollama running? Start it with `ollama serve`."
        case "llamacpp":
            return "Is it running? Start it with `llama-server --jinja -m FILE.gguf --port 8080`."
        case "lmstudio":
            return "Is its server running? Start it with `lms server start`."
        case _:
            return ""


def _how_to_fetch(configured: Configured, names: list[str]) -> str:
    if configured.provider == "ollama" or configured.url.startswith("http://localhost:11434"):
        return f"Download it with `ollama pull {configured.model}`."
    return f"Available: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}." if names else ""
