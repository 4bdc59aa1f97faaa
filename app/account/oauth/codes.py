"""The table of answers that users gave to applications, and the codes that a yes comes to."""

from datetime import timedelta

import msgspec

from app.account import key_rows
from app.account.oauth import sealed_requests
from app.account.oauth.sealed_requests import Asked
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, operation
from app.core.schema import Record
from app.errors import AlreadyDecided

CODE_LIFE = timedelta(seconds=60)


class Code(msgspec.Struct, frozen=True):
    """A code as it was given, with the answers that Authlib asks it for."""

    digest: bytes
    user: int
    client_id: str
    redirect_uri: str
    scopes: tuple[str, ...]
    code_challenge: str
    nonce: str | None
    signed_in_at: str
    code_challenge_method: str = "S256"

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return " ".join(self.scopes)


class Swept(Record):
    codes: int


def is_answered(tx: Tx, asked: Asked) -> bool:
    """Return whether the request was answered."""
    known = tx.one(
        "SELECT 1 FROM oauth_codes WHERE request_digest = :digest",
        digest=sealed_requests.digest(asked),
    )
    return known is not None


def require_open(tx: Tx, asked: Asked) -> None:
    """Raise AlreadyDecided for a request that was answered, in this window or another."""
    if is_answered(tx, asked):
        raise AlreadyDecided("This request was answered already.")


def keep_answer(
    tx: Tx, user: int, asked: Asked, *, code: str | None, scopes: tuple[str, ...], signed_in_at: str
) -> None:
    """Keep a user's answer: a code for `scopes`, or no code for a no.

    Raise AlreadyDecided where there is one.
    """
    require_open(tx, asked)
    tx.insert(
        "oauth_codes",
        request_digest=sealed_requests.digest(asked),
        user_id=user,
        client_id=asked.client_id,
        redirect_uri=asked.redirect_uri,
        scopes=msgspec.json.encode(scopes).decode(),
        challenge=asked.challenge,
        nonce=asked.nonce,
        signed_in_at=signed_in_at,
        code_digest=None if code is None else key_rows.key_digest(code),
        answered_at=tx.now,
        expires_at=stamp(tx.moment + CODE_LIFE),
    )


def find(tx: Tx, code: str) -> Code | None:
    """Return a code that still holds."""
    row = tx.one(
        """SELECT code_digest, user_id, client_id, redirect_uri, scopes, challenge, nonce,
                  signed_in_at
           FROM oauth_codes WHERE code_digest = :code AND expires_at > :now""",
        code=key_rows.key_digest(code),
        now=tx.now,
    )
    if row is None:
        return None
    return Code(
        digest=row[0],
        user=row[1],
        client_id=row[2],
        redirect_uri=row[3],
        scopes=tuple(msgspec.json.decode(row[4])),
        code_challenge=row[5],
        nonce=row[6],
        signed_in_at=row[7],
    )


@operation("COMMAND", every=HOUR)
def sweep_codes(tx: Tx, me: Caller) -> Swept:
    """Delete the answers to requests that are too old to be answered again."""
    return Swept(
        tx.run(
            "DELETE FROM oauth_codes WHERE answered_at <= :before",
            before=stamp(tx.moment - 2 * sealed_requests.LIFE),
        ).rowcount
    )
