"""Every option, its default and its help; read once from the environment."""

import dataclasses
import ipaddress
import shlex
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

PREFIX = "HEARTH_"
MIB = 1 << 20
LARGEST_PRICE = (1 << 53) - 1
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Provider = Literal[
    "compatible", "ollama", "llamacpp", "lmstudio", "openai", "openrouter", "anthropic", "google"
]
Command = NewType("Command", str)
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - only looked for, never bound


class SettingsError(ValueError):
    """Some settings are unknown or have values that cannot be used.

    The message names all of them.
    """


def option(
    default: Any,
    help_: str,
    *,
    least: int | None = None,
    most: int | None = None,
    secret: bool = False,
) -> Any:
    """Declare one option with its default, the line that the README shows, the bounds of its
    number, and whether its value is never shown.
    """
    return dataclasses.field(
        default=default,
        repr=not secret,
        metadata={"help": help_, "least": least, "most": most, "secret": secret},
    )


@dataclasses.dataclass(frozen=True)
class Settings:
    """All options. Each is the environment variable HEARTH_ + its name in capitals.

    NAME_FILE reads the value from a file.
    """

    data: Path | None = option(
        None,
        "the data directory; default: `data` in the checkout, else the system's place "
        "for a user's data",
    )
    user: str = option(
        "", "the user for whom commands act where there are several and --user names none"
    )
    host: str = option("127.0.0.1", "the address to listen on")
    port: int = option(8765, "the port to listen on; 0 = any free one", most=65535)
    public_url: str = option(
        "",
        "how others reach this server, such as https://hearth.example.org; default: "
        "http:// with host and port",
    )
    durability: Literal["full", "normal"] = option(
        "full",
        "`full`: an answered write survives a power cut; `normal`: only a crash of the program",
    )
    key_prefix: str = option("hearth_sk_", "what new API keys begin with")
    allowed_hosts: tuple[str, ...] = option(
        (),
        "more names, comma-separated, that a Host header may hold besides loopback and "
        "the bound address",
    )
    trusted_proxies: tuple[Network, ...] = option(
        (),
        "addresses and networks, comma-separated, of reverse proxies whose `Forwarded` "
        "or `X-Forwarded-For` says where a request comes from",
    )
    cors_origins: tuple[str, ...] = option(
        (), "web origins, comma-separated, whose pages may call the API"
    )
    rate_limit: int = option(6000, "requests a minute for each credential; 0 = no limit")
    failed_limit: int = option(
        30,
        "failed credentials a minute for each address, and as many unknown links, "
        "invites and codes; 0 = no limit",
    )
    group_limit: int = option(5, "groups that each user may make in a minute; 0 = no limit")
    rpc_seconds: int = option(
        60, "the longest that an agent may take to answer another's message, in seconds", most=3_600
    )
    guest_limit: int = option(
        30,
        "calls a minute for each guest's session and for each address that guests come "
        "from; 0 = no limit",
    )
    guest_sessions: int = option(
        500, "sessions that guests may begin by one share link in a day", least=1, most=1_000_000
    )
    guest_wait_seconds: int = option(
        50,
        "how long a guest's call waits for the owner's own machine to answer, in seconds",
        most=300,
    )
    contact_limit: int = option(
        20, "requests to become a contact that a user may make a minute; 0 = no limit"
    )
    invite_limit: int = option(
        20, "invites to the team that a user may make a minute; 0 = no limit"
    )
    team_seats: int = option(
        10, "seats of each team, which members and invites that wait take", most=100_000
    )
    oauth_registration: Literal["off", "loopback", "any"] = option(
        "loopback",
        "which applications may register themselves, or be known by a document that describes "
        "them: `loopback`: those on the user's own computer; `any`: web sites too; `off`: none",
    )
    oauth_registration_limit: int = option(
        10, "applications that each address may register in five minutes; 0 = no limit"
    )
    device_limit: int = option(
        10, "devices that each address may ask to let in within a minute; 0 = no limit"
    )
    oauth_clients: str = option(
        "",
        "applications that need not register, beside `hearth-cli`: a JSON list such as "
        '`[{"clientId": "wiki", "name": "Wiki", "redirectUris": '
        '["https://wiki.example.org/callback"], "secret": "…"}]`; `secret` is optional',
        secret=True,
    )
    max_body: int = option(12 * MIB, "largest request body in bytes")
    max_accumulate_body: int = option(640 * MIB, "largest body of POST /accumulate in bytes")
    max_attachment_body: int = option(20 * MIB, "largest attachment in bytes")
    max_import_body: int = option(512 * MIB, "largest body of POST /import in bytes")
    max_raw_memory_body: int = option(64 * MIB, "largest body of POST /raw-memory/records in bytes")
    attachment_quota: int = option(5 << 30, "bytes of attachments that each user may keep")
    raw_memory_quota: int = option(10 << 30, "bytes of encrypted records that each user may keep")
    allow_private_hosts: bool = option(
        False, "fetch calendars and pages from this machine and private networks too"
    )
    allow_stdio_mcp: bool = option(
        False,
        "let the API add MCP servers that run a program on this machine; `hearth mcp-server "
        "add` always can",
    )
    search_url: str = option(
        "",
        "a SearXNG-compatible address that web_search asks, such as "
        "`https://searx.example.org/search`",
    )
    grep_index: bool = option(
        True,
        "keep an index of three-letter runs for grep, about 0.6 times the text; "
        "without it every grep reads the notes",
    )
    backups: bool = option(
        True,
        "make backups by the clock, 24 hourly, 7 daily and 8 weekly, and prove each "
        "night that the newest can be restored",
    )
    backup_passphrase: str = option(
        "",
        "encrypt backups with it, as `age` does; without it nobody reads them, so keep "
        "it elsewhere too",
        secret=True,
    )
    external_checkpoints: bool = option(
        False,
        "leave checkpoints of the write-ahead log to a program that replicates it, "
        "such as Litestream",
    )
    access_log: bool = option(
        True, "write one JSON line a request to access.log in the data directory"
    )
    access_log_size: int = option(
        8 * MIB,
        "bytes that the access log and its compressed older parts may take in all",
        least=64 << 10,
    )
    max_connections: int = option(
        1000,
        "connections at once; the longest idle ones make way for new ones",
        least=10,
        most=100_000,
    )
    embeddings: Literal["auto", "off"] = option(
        "auto",
        "search by meaning: `auto`: with what there is, a model or an address; `off`: "
        "by words alone",
    )
    embeddings_url: str = option(
        "",
        "an OpenAI-compatible address that embeds instead of the model here, such as "
        "`http://localhost:11434/v1`",
    )
    embeddings_model: str = option("", "the model to ask for there")
    embeddings_query_prefix: str = option(
        "", "what that model wants before each query, such as `query: `"
    )
    embeddings_passage_prefix: str = option(
        "",
        "what it wants before each passage, such as `passage: `; after a change "
        "all notes are indexed anew",
    )
    embeddings_key: str = option("", "the secret to send there, if it needs one", secret=True)
    model: str = option(
        "",
        "the language model that answers where `hearth model` names none, by its name "
        "at the provider; default: rules, no model",
    )
    model_provider: Provider = option(
        "compatible",
        "who serves it: compatible (HEARTH_MODEL_URL speaks as OpenAI does), or a provider by name",
    )
    model_url: str = option(
        "",
        "its address, such as `http://localhost:11434/v1`; the providers with names have their own",
    )
    model_key: str = option("", "the secret to send there, if it needs one", secret=True)
    turn_seconds: int = option(
        600, "how long the agent may work on one message, in seconds", least=5, most=7200
    )
    max_completion: int = option(
        4096,
        "most tokens that a model may answer with in one call where a cap limits it; "
        "so many are reserved",
        most=1 << 20,
    )
    heartbeat_days: int = option(
        90,
        "days that runs of the heartbeat are kept, with what takes them back",
        least=30,
        most=36_500,
    )
    remind: Command = option(
        Command("auto"),
        "what tells of a todo at its time, also while no page is open: `auto`: the desktop of "
        "this machine, where one person uses the server there; `off`: nothing; else a command",
    )
    currency: str = option("USD", "the currency of the prices, as invoices name it")
    device_price_micros: int = option(
        0,
        "what an active device costs a month, in millionths of the currency's unit",
        most=LARGEST_PRICE,
    )
    token_price_micros: int = option(
        0, "what a token costs, in millionths of the currency's unit", most=LARGEST_PRICE
    )
    included_devices: int = option(
        0, "how many active devices a month cost nothing", most=LARGEST_PRICE
    )
    included_tokens: int = option(0, "how many tokens a month cost nothing", most=LARGEST_PRICE)
    models: Path | None = option(
        None,
        "the directory of models for search, which data directories may share; "
        "default: `models` in the data directory",
    )
    vault: Path | None = option(
        None,
        "the folder of `hearth vault`, with this device's private keys; default: the system's "
        "place for a user's data",
    )
    allow_unsafe_place: bool = option(
        False,
        "use a data directory on a network file system, or in a folder that a service synchronises",
    )
    log_level: Literal["debug", "info", "warning", "error"] = option(
        "info", "how much the server says about itself on stderr"
    )

    @property
    def origin(self) -> str:
        """The address under which clients and links reach this server, without a path."""
        host = (
            "127.0.0.1"
            if self.host in EVERY_ADDRESS
            else f"[{self.host}]"
            if ":" in self.host
            else self.host
        )
        return self.public_url.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def base_url(self) -> str:
        """The address of the API."""
        return self.origin + "/api/v1"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], **given: Any) -> "Settings":
        """Return the settings of `environ`, with `given` (what the command line said; None = not
        said) on top.

        Raises SettingsError that names every unknown HEARTH_ variable and every bad value at once.
        """
        kinds = get_type_hints(cls)
        fields = {field.name: field for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        troubles: list[str] = []
        for variable, text in environ.items():
            if not variable.startswith(PREFIX):
                continue
            name = variable[len(PREFIX) :].lower()
            try:
                if name.endswith("_file") and name.removesuffix("_file") in kinds:
                    name, text = name.removesuffix("_file"), Path(text).read_text("utf-8").strip()
                # a misspelled setting must not be a silent default
                if name not in kinds:
                    raise SettingsError("there is no such setting")
                values[name] = _bounded(_read(kinds[name], text), fields[name].metadata)
            except (OSError, ValueError) as error:
                troubles.append(f"{variable}: {error}")
        if troubles:
            raise SettingsError("; ".join(sorted(troubles)))
        values.update((name, value) for name, value in given.items() if value is not None)
        return cls(**values)


def _read(kind: Any, text: str) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise SettingsError(f"must be one of {', '.join(get_args(kind))}")
        return text
    if get_origin(kind) is tuple:
        read = str if get_args(kind)[0] is str else _read_network
        return tuple(read(part.strip()) for part in text.split(",") if part.strip())
    if kind is bool:
        return _read_switch(text)
    if kind is int:
        return _read_number(text)
    if kind is Command:
        return _read_command(text)
    if kind is Path and not text:
        raise SettingsError("must not be empty")
    return kind(text)


def _bounded(value: Any, bounds: Mapping[str, Any]) -> Any:
    least, most = bounds["least"], bounds["most"]
    if least is not None and value < least:
        raise SettingsError(f"must be at least {least}")
    if most is not None and value > most:
        raise SettingsError(f"must be at most {most}")
    return value


def _read_network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise SettingsError(
            f"{text} is neither an IP address nor a network such as 10.0.0.0/8"
        ) from None


def _read_command(text: str) -> Command:
    try:
        if shlex.split(text):
            return Command(text)
    except ValueError as error:
        raise SettingsError(f"cannot be split into words: {error}") from None
    raise SettingsError("must be auto, off or a command")


def _read_switch(text: str) -> bool:
    if text.lower() not in ("1", "0", "true", "false", "on", "off"):
        raise SettingsError("must be on or off")
    return text.lower() in ("1", "true", "on")


def _read_number(text: str) -> int:
    # int() takes signs, blanks, underscores and the digits of other scripts as well
    if not text.isascii() or not text.isdecimal():
        raise SettingsError("must be a whole number, 0 or more")
    return int(text)
