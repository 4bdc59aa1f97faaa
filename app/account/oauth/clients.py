"""The applications that may ask users for rights.

Those that the settings name, those that registered themselves, and those that are known by the
address of a document (see `client_documents`).
"""

from datetime import timedelta
from typing import Any

import msgspec

from app.account import key_rows
from app.account.oauth import redirect_uris
from app.account.oauth.redirect_uris import Registration
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Line, Record
from app.settings import Settings, SettingsError

METHODS = ("none", "client_secret_basic", "client_secret_post")
GRANT_TYPES = ("authorization_code", "refresh_token")
CLI = "hearth-cli"
CLI_PORTS = (8976, 8977, 8978)
CLI_PAGE = "/auth/cli"
NAMELESS = "An application without a name"
UNAPPROVED_LIFE = timedelta(days=1)
MOST_UNAPPROVED = 1000
LONGEST_NAME = 100


class ClientRefused(Exception):
    """A registration that is refused, with the code and the words of RFC 7591."""

    def __init__(self, error: str, description: str, *, status: int = 400) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status


class Client(msgspec.Struct, frozen=True):
    """An application, with the answers that Authlib asks it for.

    `vouched`: the owner of the server named it; all others named themselves.
    """

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]
    method: str = "none"
    secret_digest: bytes | None = None
    vouched: bool = False

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uris.is_registered(redirect_uri, self.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        held = self.secret_digest
        return held is not None and random_tokens.equal_secrets(
            key_rows.key_digest(client_secret).hex(), held.hex()
        )

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        """Return whether it may prove itself so: with a secret, where it has one, in either
        way.
        """
        return (method == "none") == (self.secret_digest is None)

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in GRANT_TYPES

    def get_allowed_scope(self, scope: str | None) -> str:
        """Return the scope that is asked for: what may be given is `policy`'s to say."""
        return scope or ""


class _Named(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """An application as the setting names it."""

    client_id: str
    name: str
    redirect_uris: list[str]
    secret: str | None = None


class NamedClients:
    """The applications of the setting, beside the command line's own."""

    def __init__(self, settings: Settings) -> None:
        """Raise SettingsError where the setting cannot be read."""
        self._clients = {client.client_id: client for client in _named(settings.oauth_clients)}

    def find(self, client_id: str, origin: str) -> Client | None:
        """Return an application; `origin` is this server's own, where it shows codes to copy."""
        if client_id == CLI and client_id not in self._clients:
            ports = [f"http://localhost:{port}/oauth/callback" for port in CLI_PORTS]
            return Client(
                CLI, "Hearth on the command line", (*ports, origin + CLI_PAGE), vouched=True
            )
        return self._clients.get(client_id)


class Metadata(msgspec.Struct):
    """What an application says of itself (RFC 7591); all else that it says is left unread."""

    redirect_uris: list[str] = []
    client_name: str | None = None
    token_endpoint_auth_method: str = "client_secret_basic"  # noqa: S105 - RFC 7591's default


class Swept(Record):
    clients: int


def find(tx: Tx, client_id: str) -> Client | None:
    """Return an application that registered itself, or is described by a document."""
    row = tx.one(
        "SELECT client_id, name, redirect_uris, method, secret_digest FROM oauth_clients "
        "WHERE client_id = :id",
        id=client_id,
    )
    if row is None:
        return None
    return Client(
        row[0], row[1], tuple(msgspec.json.decode(row[2])), method=row[3], secret_digest=row[4]
    )


def register(tx: Tx, metadata: Metadata, registration: Registration) -> dict[str, Any]:
    """Register an application and return what RFC 7591 answers.

    Raise ClientRefused. Of very many that no user has let in, the oldest go.
    """
    client = checked(metadata, registration)
    secret = None if client.method == "none" else random_tokens.new_secret("hearth_cs_")
    tx.insert(
        "oauth_clients",
        client_id=client.client_id,
        name=client.name,
        redirect_uris=msgspec.json.encode(client.redirect_uris).decode(),
        method=client.method,
        secret_digest=None if secret is None else key_rows.key_digest(secret),
        created_at=tx.now,
    )
    _forget_oldest(tx)
    answer: dict[str, Any] = {
        "client_id": client.client_id,
        "client_id_issued_at": int(tx.moment.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": GRANT_TYPES,
        "response_types": ["code"],
        "token_endpoint_auth_method": client.method,
    }
    return answer | (
        {} if secret is None else {"client_secret": secret, "client_secret_expires_at": 0}
    )


def keep_described(tx: Tx, client: Client, holds: timedelta) -> None:
    """Keep an application as its document describes it, which holds so long."""
    tx.run(
        """INSERT INTO oauth_clients
             (client_id, name, redirect_uris, method, created_at, fresh_until)
           VALUES (:id, :name, :uris, 'none', :now, :until)
           ON CONFLICT (client_id) DO UPDATE SET name = excluded.name,
             redirect_uris = excluded.redirect_uris, fresh_until = excluded.fresh_until""",
        id=client.client_id,
        name=client.name,
        uris=msgspec.json.encode(client.redirect_uris).decode(),
        now=tx.now,
        until=stamp(tx.moment + holds),
    )
    _forget_oldest(tx)


def is_fresh(tx: Tx, client_id: str) -> bool:
    """Return whether what a document says of an application still holds."""
    known = tx.one(
        "SELECT 1 FROM oauth_clients WHERE client_id = :id AND fresh_until > :now",
        id=client_id,
        now=tx.now,
    )
    return known is not None


def _forget_oldest(tx: Tx) -> None:
    tx.run(
        """DELETE FROM oauth_clients WHERE approved_at IS NULL AND id <=
             (SELECT id FROM oauth_clients WHERE approved_at IS NULL
               ORDER BY id DESC LIMIT 1 OFFSET :most)""",
        most=MOST_UNAPPROVED,
    )


def checked(metadata: Metadata, registration: Registration) -> Client:
    """Return the application that asks to be registered, with a new name of its own.

    Raise ClientRefused.
    """
    uris = metadata.redirect_uris
    if not 1 <= len(uris) <= redirect_uris.MOST:
        raise ClientRefused(
            "invalid_redirect_uri", f"redirect_uris must name 1 to {redirect_uris.MOST} addresses."
        )
    for number, uri in enumerate(uris):
        try:
            redirect_uris.check(uri, registration)
        except ValueError as error:
            raise ClientRefused(
                "invalid_redirect_uri", f"redirect_uris[{number}] {error}."
            ) from None
    method = metadata.token_endpoint_auth_method
    if method not in METHODS:
        raise ClientRefused(
            "invalid_client_metadata",
            f"token_endpoint_auth_method must be one of {', '.join(METHODS)}.",
        )
    try:
        name = _clean_name(metadata.client_name or NAMELESS)
    except ValueError as error:
        raise ClientRefused("invalid_client_metadata", f"client_name {error}.") from None
    return Client(random_tokens.new_uuid(), name, tuple(dict.fromkeys(uris)), method=method)


def note_approval(tx: Tx, client_id: str) -> None:
    """Keep an application that a user has let in."""
    tx.run(
        "UPDATE oauth_clients SET approved_at = :now WHERE client_id = :id AND approved_at IS NULL",
        now=tx.now,
        id=client_id,
    )


@operation("COMMAND", every=HOUR)
def sweep_clients(tx: Tx, me: Caller) -> Swept:
    """Delete the applications that registered themselves and that no user let in within a day."""
    return Swept(
        tx.run(
            "DELETE FROM oauth_clients WHERE approved_at IS NULL AND created_at <= :before",
            before=stamp(tx.moment - UNAPPROVED_LIFE),
        ).rowcount
    )


def _named(text: str) -> list[Client]:
    if not text:
        return []
    try:
        clients = [_as_client(one) for one in msgspec.json.decode(text, type=list[_Named])]
    except (msgspec.MsgspecError, ValueError) as error:
        raise SettingsError(f"HEARTH_OAUTH_CLIENTS: {error}") from None
    if len({client.client_id for client in clients}) < len(clients):
        raise SettingsError("HEARTH_OAUTH_CLIENTS: two applications have the same clientId")
    return clients


def _as_client(named: _Named) -> Client:
    for uri in named.redirect_uris:
        try:
            redirect_uris.check(uri, "any")
        except ValueError as error:
            raise ValueError(f"a redirect URI of {named.client_id} {error}") from None
    if not named.client_id.isascii() or not named.client_id.isprintable() or not named.client_id:
        raise ValueError("clientId must have visible ASCII characters only")
    return Client(
        named.client_id,
        _clean_name(named.name),
        tuple(named.redirect_uris),
        method="none" if named.secret is None else "client_secret_basic",
        secret_digest=None if named.secret is None else key_rows.key_digest(named.secret),
        vouched=True,
    )


def _clean_name(name: str) -> str:
    clean = Line(1, LONGEST_NAME)(name)
    if not clean.isprintable():
        raise ValueError("must hold no invisible characters")
    return clean
