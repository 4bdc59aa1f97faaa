"""Applications that are known by an address, where a document describes them.

It takes the place of a registration. Nobody who has not signed in makes the server fetch one.
"""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import msgspec

from app.account.oauth import clients, redirect_uris
from app.account.oauth.clients import Client, ClientRefused, Metadata
from app.account.oauth.refusals import BadRequest
from app.core.app import App
from app.core.web import http_fetch
from app.core.web.addresses import Fetched, FetchFailed, FetchPolicy

LARGEST = 16 << 10
SECONDS = 5.0
SHORTEST, USUAL, LONGEST = timedelta(minutes=1), timedelta(minutes=5), timedelta(hours=1)
"""So long a document holds at least, without a word of its server, and at the most."""
NO_SECRET = "none"  # noqa: S105 - the name of a method
TOO_FEW_WORDS = "has no document that describes it"


class Document(Metadata):
    """What a document says; all else in it is left unread."""

    client_id: str = ""
    client_secret: str | None = None
    token_endpoint_auth_method: str = NO_SECRET


def is_address(client_id: str) -> bool:
    """Return whether an application names itself by the address of a document."""
    return client_id.startswith("https://")


def host_of(client_id: str) -> str:
    """Return the host of such an address, as far as it can be one."""
    try:
        redirect_uris.check(client_id, "any")
        parts = urlsplit(client_id)
    except ValueError:
        return ""
    return parts.netloc if len(parts.path) > 1 else ""


def demand_allowed(app: App, client_id: str, redirect_uri: str) -> None:
    """Raise BadRequest where the setting lets in no such application, or not to that address."""
    if not host_of(client_id):
        raise BadRequest("The address by which the application names itself is not valid.")
    registration = app.settings.oauth_registration
    if registration == "off":
        raise BadRequest(
            "This server accepts only the applications in its settings; "
            "HEARTH_OAUTH_REGISTRATION allows others."
        )
    if registration == "loopback" and not redirect_uris.is_local(redirect_uri):
        raise BadRequest(
            "The answer would leave this computer, so nothing was sent; the setting "
            "HEARTH_OAUTH_REGISTRATION=any allows web sites."
        )


async def renew(app: App, client_id: str) -> None:
    """Fetch the document of an application and keep what it says; raise BadRequest."""
    host = host_of(client_id)
    inside = app.settings.allow_private_hosts
    reach = FetchPolicy(
        loopback=inside, private=inside, plain=False, own_port=app.settings.port, follows=False
    )
    try:
        found = await http_fetch.fetch(
            client_id, reach, most=LARGEST, seconds=SECONDS, accept="application/json"
        )
        client = described(client_id, found)
    except FetchFailed:  # one sentence for all, so that nobody finds out what there is inside
        raise BadRequest(f"The application at {host} {TOO_FEW_WORDS}.") from None
    except ClientRefused as refused:
        raise BadRequest(
            f"The document that describes the application at {host} cannot be used: "
            f"{refused.description}"
        ) from None
    await app.write(clients.keep_described, client, holds_for(found.headers))


def described(client_id: str, found: Fetched) -> Client:
    """Return the application that a document describes; raise FetchFailed or ClientRefused."""
    kind = found.headers.get("content-type", "").partition(";")[0].strip().lower()
    if (
        found.status != 200
        or found.is_cut
        or not re.fullmatch(r"application/([\w.-]+\+)?json", kind)
    ):
        raise FetchFailed(TOO_FEW_WORDS)
    try:
        document = msgspec.json.decode(found.body, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FetchFailed(TOO_FEW_WORDS) from None
    if document.client_id != client_id:
        raise ClientRefused("invalid_client_metadata", "it describes another one.")
    if document.client_secret is not None or document.token_endpoint_auth_method != NO_SECRET:
        raise ClientRefused(
            "invalid_client_metadata",
            'token_endpoint_auth_method must be "none", without a secret.',
        )
    if document.client_name is None:
        document.client_name = host_of(client_id)[: clients.LONGEST_NAME]
    return msgspec.structs.replace(clients.checked(document, "any"), client_id=client_id)


def holds_for(headers: dict[str, str]) -> timedelta:
    """Return how long a document holds, by the headers it came with."""
    said = headers.get("cache-control", "").lower()
    if re.search(r"no-store|no-cache", said):
        return SHORTEST
    found = re.search(r"(?<![\w-])max-age=\"?(\d{1,9})", said)
    return USUAL if found is None else min(max(timedelta(seconds=int(found[1])), SHORTEST), LONGEST)
