"""The way to each provider: pydantic-ai's models over connections that are kept.

Where one cannot be made, a clear sentence says why.

The libraries are imported when a model is first asked; those of Anthropic and Google only exist
where they were installed.
"""

import asyncio
import functools
import sys
import warnings
from typing import TYPE_CHECKING, Any

import msgspec

from app.agent.models import model_choice
from app.agent.models.model_rows import Configured
from app.core.secret_files import KeptSecrets, SecretMissing
from app.settings import Settings

if TYPE_CHECKING:
    import ssl

    import httpx2 as httpx
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

LOCAL_CONNECT_SECONDS, CONNECT_SECONDS = 2.0, 10.0
FIRST_BYTE_SECONDS = 120.0
FIRST_WORD_SECONDS = 120.0
"""How long a model may take until its first word.

The connection's own limit is no such bound: servers that still read send signs of life.
"""
TEMPERATURE = 0.2
MOST_ANSWER_TOKENS = 4_096
LEAST_ANSWER_TOKENS = 700
# The libraries insist on a key, servers of one's own want none.
NO_KEY = "none"
LIBRARIES = {"anthropic": "anthropic>=2.12,<3", "google": "google-genai>=2.34,<3"}
DOES_NOT_STOP_THINKING = "gpt-oss"


class ProviderMissing(Exception):
    """A model cannot even be asked: a library or a key is not there.

    The message is a sentence without any secret.
    """


class Providers:
    """The models that have been asked, with their connections; `close` ends those."""

    def __init__(self, settings: Settings, secrets: KeptSecrets) -> None:
        self.secrets = secrets
        self._settings = settings
        self._models: dict[tuple[bytes, str], Model] = {}
        self._clients: list[httpx.AsyncClient] = []

    async def model(self, configured: Configured) -> "Model":
        """Return the model behind its provider; raise ProviderMissing."""
        key = self.key(configured)
        # The key is part of it: a file with a new key makes a new connection.
        wanted = (msgspec.msgpack.encode(configured), key)
        if wanted not in self._models:
            # In a thread: it takes a second of imports, and reads the system's certificates.
            client, made_now = await asyncio.to_thread(make_model, configured, key)
            self._clients.append(client)
            self._models[wanted] = made_now
        return self._models[wanted]

    def key(self, configured: Configured) -> str:
        """Return the key as it is now; raise ProviderMissing where there should be one."""
        if configured.key_from == model_choice.FROM_SETTINGS:
            return self._settings.model_key
        try:
            return self.secrets.secret(configured.key_from)
        except SecretMissing as missing:
            raise ProviderMissing(str(missing)) from None

    async def close(self) -> None:
        """Close the connections."""
        clients, self._clients = self._clients, []
        self._models.clear()
        for client in clients:
            await client.aclose()


def client_for(url: str) -> "httpx.AsyncClient":
    """Return an HTTP client for one provider.

    It follows no redirect, and asks no proxy for this machine's own address.
    """
    import httpx2 as httpx

    local = model_choice.is_local(url)
    timeout = httpx.Timeout(
        FIRST_BYTE_SECONDS, connect=LOCAL_CONNECT_SECONDS if local else CONNECT_SECONDS
    )
    # A redirect could carry the key, and the user's notes, to another host.
    return httpx.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        trust_env=not local,
        verify=_certificates(trust_env=not local),
    )


@functools.cache
def _certificates(*, trust_env: bool) -> "ssl.SSLContext":
    """Return what connections check certificates with: reading those of the system takes 20 ms."""
    import httpx2 as httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def make_model(configured: Configured, key: str) -> "tuple[httpx.AsyncClient, Model]":
    """Make a model and the client that it asks by; raise ProviderMissing.

    It takes a while, so this is not for the event loop's thread.
    """
    client = client_for(configured.url)
    # Newer models take no temperature; that it is left out needs no line in the log.
    warnings.filterwarnings("ignore", message="Sampling parameters ")
    # Many local servers tell no usage; the meter then counts the words itself.
    warnings.filterwarnings("ignore", message="Some responses omitted usage information")
    try:
        match configured.provider:
            case "anthropic":
                return client, _make_anthropic(configured, key, client)
            case "google":
                return client, _make_google(configured, key, client)
            case _:
                return client, _make_compatible(configured, key, client)
    except ImportError:
        command = (
            f"{sys.executable} -m pip install "
            f'"{LIBRARIES.get(configured.provider, "openai>=3.54,<4")}"'
        )
        raise ProviderMissing(
            f"The provider {configured.provider} needs a library that is not installed. "
            f"This installs it: {command}"
        ) from None


def _make_compatible(configured: Configured, key: str, client: "httpx.AsyncClient") -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # No retries of the library's: guarded_model waits, and says so.
    asked = AsyncOpenAI(
        base_url=configured.url,
        api_key=key or NO_KEY,
        http_client=client,
        timeout=client.timeout,
        max_retries=0,
    )
    provider: Any
    match configured.provider:
        case "openai":
            provider = OpenAIProvider(openai_client=asked)
        case "ollama":
            provider = OllamaProvider(openai_client=asked)
        case _:
            provider = OpenAICompatibleProvider(configured.provider, openai_client=asked)
    # What only OpenAI's own servers surely take is not sent to others.
    plain = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=False,
        openai_supports_strict_tool_definition=False,
        openai_system_prompt_role="system",
    )
    profile = None if configured.provider == "openai" else plain
    return OpenAIChatModel(
        configured.model, provider=provider, profile=profile, settings=_request_settings(configured)
    )


def _make_anthropic(configured: Configured, key: str, client: "httpx.AsyncClient") -> "Model":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    asked = AsyncAnthropic(
        base_url=configured.url,
        api_key=key or NO_KEY,
        http_client=client,
        timeout=client.timeout,
        max_retries=0,
    )
    return AnthropicModel(
        configured.model,
        provider=AnthropicProvider(anthropic_client=asked),
        settings=_request_settings(configured),
    )


def _make_google(configured: Configured, key: str, client: "httpx.AsyncClient") -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=key or NO_KEY, base_url=configured.url, http_client=client)
    return GoogleModel(configured.model, provider=provider, settings=_request_settings(configured))


def _request_settings(configured: Configured) -> "ModelSettings":
    """Return what is sent with every request unless it says otherwise.

    A bound on the answer always, and no thinking aloud in a chat.
    """
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(temperature=TEMPERATURE, max_tokens=answer_tokens(configured))
    if configured.thinking:
        settings["thinking"] = True
        return settings
    match configured.provider:
        case "openai" | "openrouter" | "anthropic" | "google":
            settings["thinking"] = False
        case "ollama" if configured.found and configured.found.thinks:
            # Those models take levels and know no off.
            effort = "low" if DOES_NOT_STOP_THINKING in configured.model else "none"
            settings["extra_body"] = {"reasoning_effort": effort}
        case "llamacpp":
            settings["extra_body"] = {"chat_template_kwargs": {"enable_thinking": False}}
        case _:
            pass
    return settings


def answer_tokens(configured: Configured) -> int:
    """Return the longest answer that is asked for: a quarter of the context, within bounds."""
    context = model_choice.context_of(configured)
    if context is None:
        return (
            MOST_ANSWER_TOKENS
            if not model_choice.is_local(configured.url)
            else MOST_ANSWER_TOKENS // 2
        )
    return max(LEAST_ANSWER_TOKENS, min(MOST_ANSWER_TOKENS, context // 4))
