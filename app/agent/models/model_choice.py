"""Which language model is meant.

By the request, the user's setting, the operator's choice or the environment; rules where there
is none.
"""

from urllib.parse import urlsplit

from app.account import users
from app.agent.models import model_rows
from app.agent.models.model_rows import Configured
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.settings import Provider, Settings, SettingsError

OFFLINE, DEFAULT = "offline", "default"
FROM_SETTINGS = "set:"
ADDRESSES: dict[Provider, str] = {
    "ollama": "http://localhost:11434/v1",
    "llamacpp": "http://localhost:8080/v1",
    "lmstudio": "http://localhost:1234/v1",
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
OWN_SERVERS = ("ollama", "llamacpp", "lmstudio")
SMALL_CONTEXT = 16_384


def choose_model(tx: Tx, me: Caller, wanted: str | None = None) -> Configured | None:
    """Return the model that answers.

    The wanted one if there is one of that name, else the user's, else the server's default; None
    for the rules.
    """
    # The operator has no user and no settings.
    own = users.settings_of(tx, me.user).default_model if me.user else None
    for name in (wanted, own):
        if name and name.casefold() != DEFAULT:
            if name.casefold() == OFFLINE:
                return None
            if found := find_model(tx, name):
                return found
    return default_model(tx)


def name_of(tx: Tx, me: Caller, wanted: str | None = None) -> str:
    """Return the name of what answers."""
    configured = choose_model(tx, me, wanted)
    return OFFLINE if configured is None else configured.name


def default_model(tx: Tx) -> Configured | None:
    """Return the server's default model.

    The operator's choice, else the environment's; None for the rules.
    """
    name = model_rows.default_name(tx)
    if name is None:
        return environment_model(tx.settings)
    return None if name.casefold() == OFFLINE else find_model(tx, name)


def all_models(tx: Tx) -> list[Configured]:
    """Return all models that can be asked for, by name, the environment's first."""
    stored = model_rows.list_all(tx)
    given = environment_model(tx.settings)
    # One of that name that was added on the command line wins.
    hidden = given is None or any(
        model.name.casefold() == given.name.casefold() for model in stored
    )
    return stored if given is None or hidden else [given, *stored]


def find_model(tx: Tx, name: str) -> Configured | None:
    """Return the model of that name."""
    found = model_rows.find_named(tx, name)
    given = environment_model(tx.settings)
    if found is None and given is not None and given.name.casefold() == name.casefold():
        return given
    return found


def environment_model(settings: Settings) -> Configured | None:
    """Return the model that HEARTH_MODEL names."""
    if not settings.model:
        return None
    provider = settings.model_provider
    key = FROM_SETTINGS if settings.model_key else ""
    return Configured(
        settings.model, provider, model_address(provider, settings.model_url), settings.model, key
    )


def check_settings(settings: Settings) -> None:
    """Raise SettingsError where the settings of the model do not fit together."""
    if not settings.model:
        return
    if settings.model.casefold() in (OFFLINE, DEFAULT):
        raise SettingsError(
            f"HEARTH_MODEL: {settings.model} is not the name of a model at a provider"
        )
    try:
        model_address(settings.model_provider, settings.model_url)
    except ValueError as error:
        raise SettingsError(f"HEARTH_MODEL_URL: {error}") from None


def model_address(provider: Provider, url: str) -> str:
    """Return the address to ask: the one that is given, else the provider's own.

    Raises ValueError, a sentence's end, for one that cannot be used.
    """
    if not url:
        if provider not in ADDRESSES:
            raise ValueError(
                "must be given, since the provider `compatible` has no address of its own"
            )
        return ADDRESSES[provider]
    try:
        where = urlsplit(url)
        usable = where.scheme in ("http", "https") and bool(where.hostname) and where.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("must be an address that begins with http:// or https://")
    if where.username or where.password or where.query or where.fragment:
        raise ValueError("must hold no user, password or query; a secret has its own place")
    # People paste the whole address of an endpoint.
    path = where.path.rstrip("/").removesuffix("/chat/completions")
    if provider not in ("anthropic", "google") and not path:
        path = "/v1"
    return where._replace(path=path).geturl()


def is_local(url: str) -> bool:
    """Return whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    import ipaddress  # three milliseconds of the start, and few ask

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def context_of(model: Configured) -> int | None:
    """Return the tokens that the model can look at: as configured, else as found."""
    return model.context or (model.found.context if model.found else None)


def tools_of(model: Configured) -> model_rows.Tools:
    """Return how tools are offered.

    All, few, or none where the rules choose them; by what is known of the model where that is
    left to us.
    """
    if model.tools != "auto":
        return model.tools
    if model.found is not None and model.found.tools is False:
        return "none"
    # Models on one's own machine are small, and many tools confuse them.
    own_server = model.provider in OWN_SERVERS or is_local(model.url)
    return (
        "few" if own_server or (context_of(model) or SMALL_CONTEXT + 1) <= SMALL_CONTEXT else "all"
    )


def may_write(model: Configured) -> bool:
    """Return whether a model may write where the rules know nothing: unless its test says that it
    reads wrongly or makes things up.
    """
    return model.found is None or model.found.writes is not False
