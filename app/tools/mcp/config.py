"""How a server is reached: its address with headers, or the program that is it.

Headers and variables are secrets: they lie sealed, and are masked in every answer.
"""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from app.core.schema import Record
from app.core.secret_files import Seal
from app.errors import Invalid

MASK = "********"
STDIO = "stdio:"
MOST_FIELDS = 32
LONGEST_VALUE = 8_192
OWN_HEADERS = frozenset(
    (
        "host content-length content-type transfer-encoding connection accept accept-encoding "
        "upgrade te trailer cookie2 last-event-id"
    ).split()
)
_TOKEN = re.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]{0,127}")
_SECRET_FLAG = re.compile("(?i)(key|token|secret|passw|auth|credential)")
ClientName = Annotated[str, Meta(min_length=1, max_length=2_000)]
Value = Annotated[str, Meta(max_length=LONGEST_VALUE)]


class McpConfig(Record):
    """`headers` go to an HTTP server; `command`, `args` and `env` start a program.

    `client_id` and `client_secret` are for servers where Hearth cannot register itself.
    """

    headers: Annotated[dict[str, Value], Meta(max_length=MOST_FIELDS)] = msgspec.field(
        default_factory=dict
    )
    command: Annotated[str, Meta(min_length=1, max_length=1_000)] | None = None
    args: Annotated[list[Value], Meta(max_length=100)] = msgspec.field(default_factory=list)
    env: Annotated[dict[str, Value], Meta(max_length=MOST_FIELDS)] = msgspec.field(
        default_factory=dict
    )
    client_id: ClientName | None = None
    client_secret: ClientName | None = None


def checked(config: McpConfig) -> McpConfig:
    """Return the configuration; raise Invalid for what no server could be reached with."""
    for name, value in config.headers.items():
        if not _TOKEN.fullmatch(name) or name.lower() in OWN_HEADERS or name[:4].lower() == "mcp-":
            raise Invalid(f"config.headers cannot hold {name[:80]!r}.", field="config.headers")
        if not value.isascii() or any(mark < " " and mark != "\t" for mark in value):
            raise Invalid(
                f"The value of the header {name} must be plain text on one line.",
                field="config.headers",
            )
    for name, value in config.env.items():
        if not _VARIABLE.fullmatch(name) or name.startswith("HEARTH_") or "\0" in value:
            raise Invalid(f"config.env cannot hold {name[:80]!r}.", field="config.env")
    if any("\0" in part for part in (config.command or "", *config.args)):
        raise Invalid("config.command cannot hold a NUL character.", field="config.command")
    if config.command is None and (config.args or config.env):
        raise Invalid("config.args and config.env need config.command.", field="config.command")
    for field, given in (("clientId", config.client_id), ("clientSecret", config.client_secret)):
        if given is not None and (not given.isascii() or not given.isprintable()):
            raise Invalid(f"config.{field} must be plain text.", field=f"config.{field}")
    if config.client_secret is not None and config.client_id is None:
        raise Invalid("config.clientSecret needs config.clientId.", field="config.clientSecret")
    if config.command is not None and config.client_id is not None:
        raise Invalid("A program has no login; use config.env.", field="config.clientId")
    if config.command is not None and config.headers:
        raise Invalid("A program has no headers; use config.env.", field="config.headers")
    return config


def sealed(seal: Seal, user: int, config: McpConfig) -> bytes:
    """Return a configuration as it is stored."""
    return seal.seal(msgspec.json.encode(config).decode(), f"mcp config {user}")


def opened(seal: Seal, user: int, stored: bytes) -> McpConfig:
    """Return a configuration that was stored; raise SealBroken."""
    return msgspec.json.decode(seal.open(stored, f"mcp config {user}"), type=McpConfig)


def registered(config: McpConfig) -> dict[str, Any] | None:
    """Return how Hearth is registered with the login of a server, where its owner says so."""
    if config.client_id is None:
        return None
    return {"client_id": config.client_id, "client_secret": config.client_secret}


def masked(config: McpConfig) -> dict[str, Any]:
    """Return a configuration as it is shown: of secrets only that there are any."""
    if config.command is None:
        shown = {
            "headers": dict.fromkeys(config.headers, MASK),
            "clientId": config.client_id,
            "clientSecret": config.client_secret and MASK,
        }
        return {name: value for name, value in shown.items() if value}
    return {
        "command": config.command,
        "args": _masked_arguments(config.args),
        "env": dict.fromkeys(config.env, MASK),
    }


def unmasked(given: McpConfig, held: McpConfig) -> McpConfig:
    """Return a configuration in which what was sent back masked is what it was."""

    def kept(new: dict[str, str], old: dict[str, str]) -> dict[str, str]:
        return {
            name: old.get(name, value) if value == MASK else value for name, value in new.items()
        }

    same = given.args == _masked_arguments(held.args)
    return msgspec.structs.replace(
        given,
        headers=kept(given.headers, held.headers),
        env=kept(given.env, held.env),
        client_secret=held.client_secret if given.client_secret == MASK else given.client_secret,
        args=held.args if same else given.args,
    )


def secrets_of(config: McpConfig) -> list[str]:
    """Return every text of a configuration that must not be told to anybody."""
    values = [*config.headers.values(), *config.env.values(), config.client_secret or ""]
    parts = [word for value in values for word in (value, *value.split())]
    hidden = [
        arg
        for arg, shown in zip(config.args, _masked_arguments(config.args), strict=True)
        if arg != shown
    ]
    return [part for part in (*parts, *hidden) if len(part) > 5]


def _masked_arguments(args: list[str]) -> list[str]:
    found: list[str] = []
    for arg in args:
        flag, equals, _ = arg.partition("=")
        if equals and _SECRET_FLAG.search(flag):
            found.append(f"{flag}={MASK}")
        elif (
            len(found) > 0
            and found[-1].startswith("-")
            and "=" not in found[-1]
            and _SECRET_FLAG.search(found[-1])
        ):
            found.append(MASK)
        else:
            found.append(arg)
    return found
