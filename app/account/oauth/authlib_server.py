"""Authlib's server, grants and PKCE for one transaction of ours.

Authlib checks and orders; what is kept, and for how long, is ours.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from authlib.oauth2.rfc6749 import AuthorizationServer, InvalidRequestError, OAuth2Request, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter

from app.account import key_rows, oauth_grants, oauth_tokens
from app.account.oauth import clients, codes
from app.account.oauth.clients import Client, NamedClients
from app.account.oauth.codes import Code
from app.account.oauth_tokens import Issued, RefreshToken
from app.core import random_tokens
from app.core.database.tx import Tx, stamp

AUTH_METHODS = list(clients.METHODS[::-1])
CODE_PREFIX = "hearth_ac_"
ANY_ADDRESS = "https://hearth.invalid/"
"""Authlib asks for https and uses the address for nothing else; a proxy may speak it for us."""
log = logging.getLogger("hearth.oauth")


class _Response:
    """An answer of Authlib's, before it becomes one of ours."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        self.status = status
        self.body = body
        self.location = headers.get("Location")


class Request(OAuth2Request):  # type: ignore[misc]
    """What came in, as Authlib wants to see it."""

    def __init__(self, method: str, fields: dict[str, str], headers: Mapping[str, str]) -> None:
        super().__init__(method, ANY_ADDRESS, headers=headers)
        self.payload = BasicOAuth2Payload(fields)

    @property
    def form(self) -> dict[str, str]:
        fields: dict[str, str] = self.payload.data
        return fields


class _Issuer(IssuerParameter):  # type: ignore[misc]
    """Names this server in each answer that goes back (RFC 9207)."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer

    def get_issuer(self) -> str:
        return self._issuer


class _Challenge(CodeChallenge):  # type: ignore[misc]
    """PKCE, which every application must use, and with SHA-256."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != "S256":
            raise InvalidRequestError(
                "Send code_challenge, and code_challenge_method=S256: PKCE is required."
            )
        super().validate_code_challenge(grant, redirect_uri)


class _CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
    """A code for a user's yes, and tokens for a code."""

    TOKEN_ENDPOINT_AUTH_METHODS = AUTH_METHODS

    def generate_authorization_code(self) -> str:
        return random_tokens.new_secret(CODE_PREFIX)

    def save_authorization_code(self, code: str, request: Any) -> None:
        self.server.keep(code)

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        tx: Tx = self.server.tx
        before = oauth_grants.begun_with(tx, key_rows.key_digest(code))
        if before is not None:
            log.warning(
                "a code of application %s was sent again; its grant %d was ended",
                client.client_id,
                before,
            )
            oauth_grants.end(tx, before)
            return None
        found = codes.find(tx, code)
        return found if found is not None and found.client_id == client.client_id else None

    def authenticate_user(self, authorization_code: Code) -> int:
        return authorization_code.user

    def generate_token(self, **_: Any) -> dict[str, Any]:
        tx: Tx = self.server.tx
        code: Code = self.request.authorization_code
        client: Client = self.request.client
        ends_at = stamp(tx.moment + oauth_tokens.ACCESS_LIFE)
        grant = oauth_grants.begin(
            tx, code.user, client, code.scopes, code=code.digest, ends_at=ends_at
        )
        clients.note_approval(tx, client.client_id)
        refreshing = code.scopes if "offline_access" in code.scopes else None
        if "openid" in code.scopes:
            self.server.claims = _claims(tx, grant, code)
        issued = oauth_tokens.issue(tx, grant, code.scopes, refreshing=refreshing)
        return _token(issued, code.scopes)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        """Leave it: its grant holds its digest, by which a second use is known for ever."""


class _RefreshGrant(grants.RefreshTokenGrant):  # type: ignore[misc]
    """New tokens for a refresh token, which ends with that."""

    TOKEN_ENDPOINT_AUTH_METHODS = AUTH_METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> RefreshToken | None:
        tx: Tx = self.server.tx
        found = oauth_tokens.find_refresh(tx, refresh_token)
        if found is None or not found.is_used:
            return found
        log.warning(
            "a refresh token of application %s was sent again; its grant %d was ended",
            found.client_id,
            found.grant,
        )
        oauth_grants.end(tx, found.grant)
        return None

    def authenticate_user(self, refresh_token: RefreshToken) -> int:
        return refresh_token.user

    def generate_token(self, *, scope: str, **_: Any) -> dict[str, Any]:
        held: RefreshToken = self.request.refresh_token
        scopes = tuple(dict.fromkeys(scope.split()))
        tx: Tx = self.server.tx
        return _token(oauth_tokens.issue(tx, held.grant, scopes, refreshing=held.scopes), scopes)

    def revoke_old_credential(self, refresh_token: RefreshToken) -> None:
        oauth_tokens.mark_used(self.server.tx, refresh_token)


class Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server for one transaction."""

    def __init__(self, tx: Tx, named: NamedClients, issuer: str) -> None:
        super().__init__()
        self.tx = tx
        self.claims: dict[str, Any] | None = None
        self.kept: list[str] = []
        self._named = named
        self._issuer = issuer
        self.register_grant(_CodeGrant, [_Challenge(required=True)])
        self.register_grant(_RefreshGrant)
        self.register_extension(_Issuer(issuer))

    def register_extension(self, extension: Any) -> None:
        extension(self)

    def query_client(self, client_id: str) -> Client | None:
        return self._named.find(client_id, self._issuer) or clients.find(self.tx, client_id)

    def keep(self, code: str) -> None:
        self.kept.append(code)

    def save_token(self, token: Any, request: Any) -> None:
        """Keep nothing: the grants have done so."""

    def create_oauth2_request(self, request: Request) -> Request:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> _Response:
        return _Response(status, body, dict(headers))

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Tell nobody."""


def _claims(tx: Tx, grant: int, code: Code) -> dict[str, Any]:
    claims: dict[str, Any] = {
        "sub": oauth_grants.subject_of(tx, grant),
        "aud": code.client_id,
        "iat": int(tx.moment.timestamp()),
        "exp": int((tx.moment + oauth_tokens.ACCESS_LIFE).timestamp()),
        "auth_time": int(datetime.fromisoformat(code.signed_in_at).timestamp()),
    }
    return claims | ({} if code.nonce is None else {"nonce": code.nonce})


def _token(issued: Issued, scopes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in": int(oauth_tokens.ACCESS_LIFE.total_seconds()),
        **({} if issued.refresh is None else {"refresh_token": issued.refresh}),
        "scope": " ".join(scopes),
    }
