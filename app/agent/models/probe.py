"""What a model can do, found out by asking its server.

Whether it answers, which models it has, its context, and whether it calls tools.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from app.agent.models import model_choice, model_servers, providers
from app.agent.models.model_rows import Configured, Found, Probed
from app.agent.models.providers import ProviderMissing, Providers
from app.core.process.running_work import Work

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from app.agent.models.trials import Trial

CALL_TOKENS = 200
SHOWN_CHARACTERS = 200
MOST_NAMES = 200
OLLAMA_USUAL_CONTEXT = 4_096
WANTED_CONTEXT = 16_384

SLOW_SECONDS = 60.0
"""A message with tools that takes longer than this until its first word is warned of."""
TOOL_PROMPT_TOKENS = 2_000
"""About what the instructions, eight tools and a short conversation come to."""


class Tried(NamedTuple):
    """What came of the trials.

    `tools` and `writes` say whether it passed those (None where the model could not be asked),
    `text` what it said last, `failed` and `unwritten` what it failed at first in calling and in
    writing, `pace` the tokens of a second.
    """

    tools: bool | None
    writes: bool | None
    text: str
    failed: str
    unwritten: str
    error: str | None
    seconds: float = 0.0
    pace: float = 0.0


async def probe_model(asked: Providers, configured: Configured, work: Work) -> Probed:
    """Test a model and return what was found; never raises for what the server does."""
    work.tell("server")
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
        tried = await _try_out(model, configured, key, work)
        # After the call, since only a model that is loaded has a context at Ollama.
        found = await model_servers.find_out(server, configured)
    finally:
        await client.aclose()
    return _judge(configured, names, found, tried)


def _judge(configured: Configured, names: list[str], found: Found, tried: Tried) -> Probed:
    """Return what the answers come to."""
    tools = found.tools if tried.tools is None else tried.tools
    offered = model_servers.is_offered(configured.model, names) if names else None
    error = tried.error
    # What to do about a missing model helps more than what the provider wrote.
    if error and offered is False:
        error = (
            f"{urlsplit(configured.url).netloc} has no model {configured.model}. "
            f"{_how_to_fetch(configured, names)}"
        ).strip()
    known = Found(
        found.server,
        configured.context or found.context,
        found.most_context,
        tools,
        found.thinks,
        tried.writes,
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
        known.writes,
        _offer_sentence(configured, known),
        tried.text,
        tried.failed or tried.unwritten,
        tried.seconds,
        error,
        _find_warnings(configured, known, tried, offered=offered),
    )


def found_of(probed: Probed) -> Found:
    """Return what is worth keeping of a test."""
    return Found(
        probed.server,
        probed.context,
        probed.most_context,
        probed.tools,
        probed.thinks,
        probed.writes,
    )


async def _try_out(model: "Model", configured: Configured, key: str, work: Work) -> Tried:
    """Let the model take the trials, those of writing only where it fails at calling tools."""
    from pydantic_ai.exceptions import ModelTimeoutError

    from app.agent.models import trials

    runner = _Runner(model, key, work)
    begun = time.monotonic()
    tools = await runner.passes(trials.CALLING)
    failed, refusal = runner.failed, runner.refusal
    if refusal is not None:
        # Some servers refuse any request that has tools.
        slow = isinstance(refusal, ModelTimeoutError)
        failed = "a trial took too long" if slow else "its server refuses them"
    writes = None if tools else await runner.passes(trials.WRITING)
    error = (
        _explain_failure(refusal, configured, key)
        if refusal is not None and runner.refusal is not None
        else None
    )
    if tools is None and error is None:
        tools = False
    seconds = time.monotonic() - begun
    pace = runner.tokens / seconds if seconds else 0.0
    unwritten = runner.failed if writes is False else ""
    return Tried(tools, writes, runner.text, failed, unwritten, error, seconds, pace)


class _Runner:
    """Runs trials and keeps what was said last and the tokens that they took."""

    def __init__(self, model: "Model", key: str, work: Work) -> None:
        self._model = model
        self._work = work
        self._key = key
        self.text = ""
        self.failed = ""
        self.refusal: Exception | None = None
        self.tokens = 0

    async def passes(self, given: "Sequence[Trial]") -> bool | None:
        """Return whether the model passes the trials, up to the first that it does not.

        None where it could not be asked, `refusal` saying why.
        """
        self.failed, self.refusal = "", None
        for number, trial in enumerate(given):
            self._work.tell("trials", number, len(given))
            try:
                passed = await self._passes_one(trial)
            except Exception as failure:
                self.refusal = failure
                return None
            if not passed:
                self.failed = trial.failure
                return False
        return True

    async def _passes_one(self, trial: "Trial") -> bool:
        from pydantic_ai.direct import model_request
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.settings import ModelSettings

        from app.agent.models.trials import react

        answer = await model_request(
            self._model,
            list(trial.messages),
            model_settings=ModelSettings(max_tokens=CALL_TOKENS),
            model_request_parameters=ModelRequestParameters(function_tools=list(trial.tools)),
        )
        self.tokens += answer.usage.input_tokens + answer.usage.output_tokens
        done = react(answer, trial.tools)
        self.text = _hide_key(" ".join(done.text.split())[:SHOWN_CHARACTERS], self._key)
        return trial.passes(done)


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
    return Probed(
        False, False, "", [], None, None, None, None, None, None, "", "", "", 0.0, error, []
    )


def _offer_sentence(configured: Configured, known: Found) -> str:
    """Return how the agent will use the model, as a sentence."""
    match model_choice.tools_of(msgspec.structs.replace(configured, found=known)):
        case "none" if known.writes is False:
            return "The rules answer everything, and the model is not asked."
        case "none":
            return (
                "Rules choose and call the tools and answer; the model writes only where they "
                "know nothing."
            )
        case "few":
            return (
                "The agent offers it at most eight tools for each message, chosen by what the "
                "message asks for."
            )
        case _:
            return "The agent offers it every tool."


def _find_warnings(
    configured: Configured, known: Found, tried: Tried, *, offered: bool | None
) -> list[str]:
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
            f"The model is not trusted with tools: {tried.failed or 'its server says so'}. To "
            "offer it some anyway, add it with `--tools few`."
        )
    offered_tools = (
        model_choice.tools_of(msgspec.structs.replace(configured, found=known)) != "none"
    )
    if tried.unwritten and not offered_tools:
        found.append(f"The model is not trusted with answers either: {tried.unwritten}.")
    if offered_tools and tried.pace and TOOL_PROMPT_TOKENS / tried.pace > SLOW_SECONDS:
        found.append(
            f"It reads and writes about {tried.pace:.0f} tokens a second here. A message with "
            f"tools may take {TOOL_PROMPT_TOKENS / tried.pace:.0f} seconds until its first word; "
            f"after {providers.FIRST_WORD_SECONDS:.0f} the rules answer."
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
