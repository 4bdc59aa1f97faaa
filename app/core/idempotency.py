"""A retry gets the first answer again.

Replies kept by Idempotency-Key, in the transaction of their effect.

The header is that of the IETF draft `httpapi-idempotency-key-header`. A key belongs to one user
and one operation.
"""

import asyncio
import functools
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec
from msgspec import structs

from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import HOUR, Operation, operation
from app.core.process.background_tasks import shielded
from app.core.schema import Record, encode
from app.errors import AppError, IdempotencyConflict, IdempotencyInProgress, Invalid, Unprocessable

P = ParamSpec("P")
R = TypeVar("R")
LONGEST_KEY = 255


class Runner(Protocol):
    """What is asked of the running application: see `App`."""

    def check_arguments(
        self, found: Operation[..., Any], params: Mapping[str, Any]
    ) -> dict[str, Any]: ...
    def refusal_as_declared(
        self, found: Operation[..., Any], error: Invalid
    ) -> Invalid | Unprocessable: ...
    def glance(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R: ...
    async def perform(
        self, found: Operation[..., Any], caller: Caller | None, arguments: dict[str, Any]
    ) -> Any: ...
    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R: ...


class Replay(msgspec.Struct):
    """An answer that was given before.

    Its HTTP status and its record, or its error body, as JSON.
    """

    status: int
    body: bytes


class _Request(msgspec.Struct, frozen=True):
    user: int
    operation: str
    key: str
    fingerprint: str
    seconds: int


async def run_once(
    app: Runner,
    found: Operation[..., Any],
    caller: Caller,
    given: Mapping[str, Any],
    *,
    key: str,
    gated: Callable[[], Awaitable[Any]] | None = None,
) -> Any:
    """Run the operation with the fields that were given, or give the `Replay` of the answer that
    this key got before.

    An orchestrating operation first claims the key, so that a second caller meanwhile hears
    `idempotency_in_progress`; so does `gated`, which runs it where it has to pass a gate. How it
    ended is written even if its asker is stopped at that very moment: else the key would stay
    claimed.
    """
    check_key(key)
    request = _Request(
        caller.user,
        found.name,
        # what its owner was answered is none of an agent's
        key if caller.agent is None else f"{key} of agent {caller.agent.id}",
        request_fingerprint(given),
        found.http.idempotent,
    )
    try:
        arguments = app.check_arguments(found, given)
    except (Invalid, Unprocessable) as error:
        # kept by the fields as they were sent, since there are no checked ones to compare
        if (stored := await app.write(_store_invalid_fields, request, error)) is not None:
            return stored
        raise
    request = structs.replace(
        request, fingerprint=request_fingerprint(arguments)
    )  # what is spelled otherwise and means the same is the same request
    try:
        step = None if gated else _single_transaction(app, found, arguments)
        if step is not None:
            return await app.write(_run_in, step, caller, found.http.status, request=request)
        if (stored := await app.write(_claim_key, request)) is not None:
            return stored
        result = await (gated() if gated else app.perform(found, caller, arguments))
    # these tell of another request under the key, whose reply must stay
    except (IdempotencyConflict, IdempotencyInProgress):
        raise
    except BaseException as error:
        seen = app.refusal_as_declared(found, error) if isinstance(error, Invalid) else error
        await shielded(
            asyncio.ensure_future(app.write(_store_refusal, request, seen))
        )  # a second cancellation must not leave the key claimed
        raise seen from None
    await shielded(
        asyncio.ensure_future(app.write(_insert_reply, request, found.http.status, encode(result)))
    )
    return result


def check_key(key: str) -> None:
    """Raise Invalid unless `key` is 1 to 255 printable ASCII characters."""
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Invalid(
            f"Idempotency-Key must be 1 to {LONGEST_KEY} printable ASCII characters.",
            field="Idempotency-Key",
        )


def request_fingerprint(arguments: Mapping[str, Any]) -> str:
    """Return the hash by which two requests under one key are told apart."""
    return hashlib.sha256(
        msgspec.json.encode(arguments, order="sorted", enc_hook=lambda _: None)
    ).hexdigest()


@operation("COMMAND", every=HOUR)
def sweep_idempotent_replies(tx: Tx, me: Caller) -> Record:
    """Delete the replies whose time is over."""
    tx.run("DELETE FROM idempotent_replies WHERE expires_at <= :now", now=tx.now)
    return Record()


def any_claimed(tx: Tx) -> bool:
    """Return whether a key is claimed; at the start of a server nothing can be at work on one."""
    return tx.one("SELECT 1 FROM idempotent_replies WHERE status IS NULL LIMIT 1") is not None


def free_claimed(tx: Tx) -> None:
    """Free the keys whose requests were at work when the server was stopped."""
    tx.run("DELETE FROM idempotent_replies WHERE status IS NULL")


def _single_transaction(
    app: Runner, found: Operation[..., Any], arguments: dict[str, Any]
) -> Callable[..., Any] | None:
    """Return the one transaction that a request comes to; None where it is more than one."""
    if not found.waits:
        return functools.partial(found.function, **arguments)
    return None if found.http.once is None else found.http.once(app, **arguments)


def _run_in(
    tx: Tx, step: Callable[..., Any], caller: Caller, status: int, *, request: "_Request"
) -> Any:
    if (stored := _claim_key(tx, request)) is not None:
        return stored
    # the grant may have been taken back since `renew_caller` looked
    result = step(tx, caller.with_grant_now(tx, request.operation))
    # in the transaction of the effect: neither is kept without the other
    _insert_reply(tx, request, status, encode(result))
    return result


def _store_invalid_fields(tx: Tx, request: "_Request", error: AppError) -> Replay | None:
    """Keep the refusal of fields that are wrong, unless the key has got an answer."""
    if (stored := _claim_key(tx, request)) is not None:
        return stored
    _store_refusal(tx, request, error)
    return None


def _claim_key(tx: Tx, request: "_Request") -> Replay | None:
    row = tx.one(
        """SELECT fingerprint, status, body FROM idempotent_replies
           WHERE user_id = :user AND operation = :operation AND key = :key AND expires_at > :now""",
        user=request.user,
        operation=request.operation,
        key=request.key,
        now=tx.now,
    )
    if row is None:
        # without a status: who comes with the key meanwhile is told that the first is at work
        _insert_reply(tx, request, None, None)
        return None
    if row["fingerprint"] != request.fingerprint:
        raise IdempotencyConflict(
            "This Idempotency-Key was used with another request; use a new key."
        )
    if row["status"] is None:
        raise IdempotencyInProgress(
            "The first request with this Idempotency-Key is still running.", retryAfter=1
        )
    return Replay(row["status"], row["body"])


def _store_refusal(tx: Tx, request: "_Request", error: BaseException) -> None:
    """Keep a refusal that would come again.

    Free the key after one that passes (401, 429, 5xx, a turn that was stopped).
    """
    if isinstance(error, AppError) and 400 <= error.status < 500 and error.status not in (401, 429):
        _insert_reply(tx, request, error.status, encode(error.body))
    else:
        tx.run(
            "DELETE FROM idempotent_replies "
            "WHERE user_id = :user AND operation = :operation AND key = :key "
            "AND status IS NULL",
            user=request.user,
            operation=request.operation,
            key=request.key,
        )


def _insert_reply(tx: Tx, request: "_Request", status: int | None, body: bytes | None) -> None:
    """Keep the reply, unless another caller with the same key has been answered meanwhile.

    What was answered first stands.
    """
    tx.run(
        """INSERT INTO idempotent_replies
               (user_id, operation, key, fingerprint, status, body, expires_at)
           VALUES (:user, :operation, :key, :fingerprint, :status, :body, :expires)
           ON CONFLICT (user_id, operation, key)
           DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, body =
             excluded.body, expires_at = excluded.expires_at
           WHERE status IS NULL OR expires_at <= :now""",
        user=request.user,
        operation=request.operation,
        key=request.key,
        fingerprint=request.fingerprint,
        status=status,
        body=body,
        now=tx.now,
        expires=stamp(tx.moment + timedelta(seconds=request.seconds)),
    )
