"""What a model's server tells about itself and its models.

Ollama, llama.cpp, LM Studio and the others each have their own way.
"""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.agent.models.model_rows import Configured, Found
from app.core.json_body import objects_in

if TYPE_CHECKING:
    import httpx2 as httpx

SECONDS = 8.0


class Server:
    """A server that is asked for what it tells about itself.

    Every answer may be anything at all.
    """

    def __init__(self, client: "httpx.AsyncClient", configured: Configured, key: str) -> None:
        self._client = client
        self._key = key
        self.provider = configured.provider
        self.base = configured.url.rstrip("/")
        self.root = self.base.removesuffix("/v1")
        self.reachable = False
        self.trouble: str | None = None

    async def ask(self, url: str, body: Any = None) -> Any:
        """Return the JSON that an address answers, with a body to a POST; else None."""
        import httpx2 as httpx

        method = "GET" if body is None else "POST"
        try:
            answer = await self._client.request(
                method, url, json=body, headers=self._headers(), timeout=SECONDS
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The first trouble tells most: later ones follow from it.
            self.trouble = self.trouble or type(error).__name__
            return None
        self.reachable = True
        if answer.status_code != 200:
            return None
        try:
            return answer.json()
        except (ValueError, RecursionError):
            return None

    def _headers(self) -> dict[str, str]:
        match self.provider:
            case "anthropic":
                return {"Authorization": f"Bearer {self._key}", "anthropic-version": "2023-06-01"}
            case "google":
                return {"x-goog-api-key": self._key}
            case _:
                return {"Authorization": f"Bearer {self._key}"} if self._key else {}


async def list_names(server: Server) -> list[str]:
    """Return the names of the models that the server offers."""
    listed = await server.ask(
        f"{server.base}/v1beta/models"
        if server.provider == "google"
        else f"{_v1_url(server)}/models"
    )
    listed = _as_object(listed)
    rows = listed.get("data", listed.get("models"))
    names = [row.get("id") or row.get("name") for row in objects_in(rows)]
    return sorted(
        str(name).removeprefix("models/")[:200] for name in names if isinstance(name, str)
    )


def _v1_url(server: Server) -> str:
    return f"{server.base}/v1" if server.provider == "anthropic" else server.base


async def find_out(server: Server, configured: Configured) -> Found:
    """Return what the server tells about the model, by the ways that Ollama, llama.cpp and the
    others have.
    """
    if configured.provider in ("compatible", "ollama") and (
        shown := await _ask_ollama(server, configured.model)
    ):
        return shown
    if configured.provider in ("compatible", "llamacpp") and (
        shown := await _ask_llama_cpp(server)
    ):
        return shown
    if configured.provider in ("compatible", "lmstudio") and (
        shown := await _ask_lm_studio(server, configured.model)
    ):
        return shown
    listed = await server.ask(f"{_v1_url(server)}/models")
    rows = objects_in(_as_object(listed).get("data"))
    row = next((row for row in rows if row.get("id") == configured.model), {})
    meta = _as_object(row.get("meta"))
    context = (
        _as_number(row.get("context_length"))
        or _as_number(row.get("max_model_len"))
        or _as_number(meta.get("n_ctx"))
    )
    parameters = row.get("supported_parameters")
    tools = "tools" in parameters if isinstance(parameters, list) else None
    return Found(configured.provider, context, context, tools)


async def _ask_ollama(server: Server, model: str) -> Found | None:
    shown = await server.ask(f"{server.root}/api/show", {"model": model})
    running = await server.ask(f"{server.root}/api/ps")
    # Only Ollama has /api/ps, so its answer tells whether it is one.
    if not isinstance(running, dict) or not isinstance(running.get("models"), list):
        return None
    shown = _as_object(shown)
    info = _as_object(shown.get("model_info"))
    most = next(
        (
            _as_number(value)
            for name, value in info.items()
            if str(name).endswith(".context_length")
        ),
        None,
    )
    can = shown.get("capabilities")
    models = objects_in(running["models"])
    loaded = next((row for row in models if is_offered(model, [str(row.get("name"))])), {})
    # What the model was loaded with counts; what it could have at most is another matter.
    context = _as_number(loaded.get("context_length")) or _set_context(shown.get("parameters"))
    tools, thinks = ("tools" in can, "thinking" in can) if isinstance(can, list) else (None, None)
    return Found("ollama", context, most, tools, thinks)


async def _ask_llama_cpp(server: Server) -> Found | None:
    shown = await server.ask(f"{server.root}/props")
    if not isinstance(shown, dict):
        return None
    context = _as_number(_as_object(shown.get("default_generation_settings")).get("n_ctx"))
    can = _as_object(shown.get("chat_template_caps"))
    tools = can.get("supports_tool_calls", can.get("supports_tools"))
    return Found("llama.cpp", context, context, tools if isinstance(tools, bool) else None)


async def _ask_lm_studio(server: Server, model: str) -> Found | None:
    shown = await server.ask(f"{server.root}/api/v0/models/{model}")
    if not isinstance(shown, dict) or "max_context_length" not in shown:
        return None
    can = shown.get("capabilities")
    tools = "tool_use" in can if isinstance(can, list) else None
    return Found(
        "LM Studio",
        _as_number(shown.get("loaded_context_length")),
        _as_number(shown.get("max_context_length")),
        tools,
    )


def is_offered(model: str, names: Sequence[str]) -> bool:
    """Return whether a model is among names; Ollama leaves out the tag `latest`."""
    return any(
        name == model or name.removesuffix(":latest") == model.removesuffix(":latest")
        for name in names
    )


def _set_context(parameters: Any) -> int | None:
    """Return the context that an Ollama model's own file sets."""
    for line in str(parameters or "").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx":
            return _as_number(value.strip())
    return None


def _as_number(value: Any) -> int | None:
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        # True is an int in Python.
        return int(value) if not isinstance(value, bool) and int(value) > 0 else None
    return None


def _as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
