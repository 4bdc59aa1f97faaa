"""The authorization server: what applications ask, what users answer, and the tokens for that.

It is imported with the first request, since it stands on Authlib.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from authlib.common.urls import add_params_to_uri
from authlib.oauth2.rfc6749 import InvalidRequestError, InvalidScopeError, OAuth2Error

from app.account import sessions
from app.account.oauth import clients, codes, policy
from app.account.oauth.authlib_server import Request, Server
from app.account.oauth.clients import Client, NamedClients
from app.account.oauth.refusals import BadRequest, SentBack
from app.account.oauth.sealed_requests import Asked
from app.core import random_tokens
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.errors import Invalid, Unauthorized

REPEATABLE = frozenset({"resource"})
NOTHING: Mapping[str, str] = {}
Sent = Sequence[tuple[str, str]]
"""The names and values of a query or a form, in order."""


class TargetError(OAuth2Error):  # type: ignore[misc]
    """A token is asked for another server (RFC 8707)."""

    error = "invalid_target"
    description = "resource must be an address of this server."


class Answer(msgspec.Struct, frozen=True):
    """What the token endpoint answers; `claims` of the id token that goes with it, if any."""

    status: int
    body: dict[str, Any]
    claims: dict[str, Any] | None = None


def check(tx: Tx, named: NamedClients, origin: str, sent: Sent, signed_in: Caller | None) -> Asked:
    """Return the request of an application, checked, for its user to answer.

    Raise BadRequest where it cannot be told who asks, and SentBack for all else that is wrong.
    """
    fields = dict(sent)
    server = Server(tx, named, origin)
    client = known_client(server, sent)
    redirect_uri = fields["redirect_uri"]
    try:
        _check_more(sent, fields, origin)
        scopes = policy.wanted_scopes(fields.get("scope"))
        if scopes is None:
            raise InvalidScopeError()
        server.get_consent_grant(Request("GET", fields, NOTHING))
        since = _signed_in_since(tx, fields)
        if "none" in fields.get("prompt", "").split():
            raise _silent(tx, signed_in, since)
    except OAuth2Error as error:
        body = dict(error.get_body())
        state = {} if "state" not in fields else {"state": fields["state"]}
        raise SentBack(
            add_params_to_uri(redirect_uri, [*(body | state | {"iss": origin}).items()])
        ) from None
    return Asked(
        client.client_id,
        redirect_uri,
        scopes,
        challenge=fields["code_challenge"],
        state=fields.get("state"),
        nonce=fields.get("nonce"),
        signed_in_since=since,
        asked_at=int(tx.moment.timestamp()),
        number=random_tokens.new_link_token(),
    )


def client_of(tx: Tx, named: NamedClients, origin: str, asked: Asked) -> Client:
    """Return the application that asked; raise BadRequest when it is gone."""
    found = Server(tx, named, origin).query_client(asked.client_id)
    if found is None or not found.check_redirect_uri(asked.redirect_uri):
        raise BadRequest("The application that asked is not registered here any more.")
    return found


def answer(
    tx: Tx,
    me: Caller,
    named: NamedClients,
    origin: str,
    asked: Asked,
    *,
    scopes: tuple[str, ...] | None,
) -> str:
    """Keep what the user says, yes to `scopes` or with None no, and return the address that
    takes it to the application.
    """
    codes.require_open(tx, asked)
    signed_in_at = signed_in_for(tx, me, asked)
    _check_narrowed(asked, scopes)
    server = Server(tx, named, origin)
    request = Request("GET", asked.parameters, NOTHING)
    response = server.create_authorization_response(
        request,
        grant_user=None if scopes is None else me,
        grant=server.get_authorization_grant(request),
    )
    if response.location is None:
        raise BadRequest("The application that asked is not registered here any more.")
    codes.keep_answer(
        tx,
        me.user,
        asked,
        code=next(iter(server.kept), None),
        scopes=scopes or (),
        signed_in_at=signed_in_at,
    )
    return str(response.location)


def signed_in_for(tx: Tx, me: Caller, asked: Asked) -> str:
    """Return when the user signed in.

    Raise Unauthorized where the application asked for that to be anew.
    """
    begun = sessions.begun_at(tx, me)
    if begun is None or begun < stamp(
        datetime.fromtimestamp(asked.signed_in_since, tz=tx.moment.tzinfo)
    ):
        raise Unauthorized("Sign in again: the application asks for that.")
    return begun


def exchange(
    tx: Tx, named: NamedClients, origin: str, sent: Sent, headers: Mapping[str, str]
) -> Answer:
    """Return what the token endpoint answers: tokens, or an error of RFC 6749."""
    fields = dict(sent)
    server = Server(tx, named, origin)
    try:
        _check_token_request(sent, fields, origin, headers)
    except OAuth2Error as error:
        response = server.handle_error_response(None, error)
    else:
        response = server.create_token_response(Request("POST", fields, headers))
    body = dict(response.body)
    is_client = body.get("error") == "invalid_client"
    return Answer(401 if is_client else response.status, body, server.claims)


def known_client(server: Server, sent: Sent) -> Client:
    """Return the application that asks, where its answer may go to the address that it names.

    Raise BadRequest.
    """
    ids = [value for name, value in sent if name == "client_id"]
    uris = [value for name, value in sent if name == "redirect_uri"]
    client = server.query_client(ids[0]) if len(ids) == 1 else None
    if client is None:
        raise BadRequest("The application that sent you here is not known to this server.")
    if len(uris) != 1 or not client.check_redirect_uri(uris[0]):
        raise BadRequest(
            "The application wants its answer sent to an address that it has not registered, so "
            "nothing was sent."
        )
    return client


def _check_more(sent: Sent, fields: Mapping[str, str], origin: str) -> None:
    _check_repeated(sent)
    for name in ("request", "request_uri"):
        if name in fields:
            raise OAuth2Error(
                f"{name} is not supported; send each parameter by itself.",
                error=f"{name}_not_supported",
            )
    if fields.get("response_mode", "query") != "query":
        raise InvalidRequestError("response_mode must be query.")
    if not policy.are_ours([value for name, value in sent if name == "resource"], origin):
        raise TargetError()
    if not fields.get("response_type"):
        raise InvalidRequestError("response_type is missing; send response_type=code.")
    if fields["response_type"] != "code":
        raise OAuth2Error("response_type must be code.", error="unsupported_response_type")
    prompts = fields.get("prompt", "").split()
    if "none" in prompts and len(prompts) > 1:
        raise InvalidRequestError("prompt=none must stand alone.")
    if not _is_age(fields.get("max_age", "0")):
        raise InvalidRequestError("max_age must be a number of seconds.")


def _check_repeated(sent: Sent) -> None:
    names = [name for name, _ in sent if name not in REPEATABLE]
    if len(set(names)) < len(names):
        raise InvalidRequestError("A parameter was sent more than once.")


def _check_token_request(
    sent: Sent, fields: Mapping[str, str], origin: str, headers: Mapping[str, str]
) -> None:
    _check_repeated(sent)
    if not fields.get("grant_type"):
        raise InvalidRequestError("grant_type is missing.")
    if fields["grant_type"] not in clients.GRANT_TYPES:
        raise OAuth2Error(
            f"grant_type must be one of {', '.join(clients.GRANT_TYPES)}.",
            error="unsupported_grant_type",
        )
    if "Authorization" in headers and "client_secret" in fields:
        raise InvalidRequestError("Send the client's secret once, not in two ways.")
    if not policy.are_ours([value for name, value in sent if name == "resource"], origin):
        raise TargetError()


def _check_narrowed(asked: Asked, scopes: tuple[str, ...] | None) -> None:
    if scopes is None:
        return
    if not scopes:
        raise Invalid("Choose at least one right, or say no.", field="scopes")
    if more := [scope for scope in scopes if scope not in asked.scopes]:
        raise Invalid(f"The application did not ask for {more[0][:80]}.", field="scopes")


def _signed_in_since(tx: Tx, fields: Mapping[str, str]) -> int:
    now = int(tx.moment.timestamp())
    if "login" in fields.get("prompt", "").split():
        return now
    return max(0, now - int(fields["max_age"])) if "max_age" in fields else 0


def _silent(tx: Tx, signed_in: Caller | None, since: int) -> OAuth2Error:
    """Return the refusal of a request that no page may be shown for: the user is always asked."""
    begun = None if signed_in is None else sessions.begun_at(tx, signed_in)
    if begun is None or datetime.fromisoformat(begun).timestamp() < since:
        return OAuth2Error("Nobody is signed in.", error="login_required")
    return OAuth2Error("The user must be asked.", error="consent_required")


def _is_age(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
