"""Letting this device in: it makes its keys, its user says yes on a page, and it gets a token."""

from collections.abc import Callable

from app.core.random_tokens import new_bytes
from app.vault import answers, primitives
from app.vault.connection import Connection
from app.vault.device_files import DeviceFiles, Identity
from app.vault.encoding import decode_base64url, encode_base64url
from app.vault.envelope import KEY_BYTES
from app.vault.fingerprints import device_fingerprint
from app.vault.refusals import Tampered, VaultError

Connect = Callable[[str, str | None], Connection]


def begin_enrolment(files: DeviceFiles, connect: Connect, server: str, name: str) -> Identity:
    """Make the keys of this device, ask the server to let it in, and keep both."""
    held = files.identity()
    if held is not None and held.device_id is not None:
        raise VaultError(
            f"This device is enrolled at {held.server} already. To enrol it anew, run `hearth "
            "vault leave` first."
        )
    # new keys each time: those of a request that was denied are of no use
    exchange, signing = new_bytes(KEY_BYTES), new_bytes(KEY_BYTES)
    public = tuple(map(encode_base64url, primitives.public_keys_of(exchange, signing)))
    connection = connect(server, None)
    try:
        begun = connection.post(
            "/raw-memory/enrolments",
            answers.Enrolment,
            {"name": name, "publicKey": public[0], "signingKey": public[1]},
        )
    finally:
        connection.close()
    identity = Identity(
        server=connection.server,
        name=name,
        exchange_key=encode_base64url(exchange),
        signing_key=encode_base64url(signing),
        poll_token=begun.poll_token,
        approval_url=begun.approval_url,
    )
    files.keep_identity(identity)
    return identity


def poll_enrolment(files: DeviceFiles, connect: Connect, identity: Identity) -> str:
    """Ask whether the user has decided; keep the token that comes with a yes."""
    connection = connect(identity.server, None)
    try:
        found = connection.post(
            "/raw-memory/enrolments/poll", answers.Poll, {"pollToken": identity.poll_token}
        )
    finally:
        connection.close()
    if found.status == "approved":
        if found.device_id is None or found.device_token is None:
            raise Tampered("malformed answer", "the enrolment was approved without a token.")
        identity.device_id, identity.device_token = found.device_id, found.device_token
        identity.poll_token = identity.approval_url = None
        files.keep_identity(identity)
    return found.status


def learn_user(files: DeviceFiles, connect: Connect, identity: Identity) -> None:
    """Ask once whose device this is: the user's id is part of every record."""
    connection = connect(identity.server, identity.device_token)
    try:
        identity.user_id = connection.get("/identity", answers.Identity).profile.user_id
    finally:
        connection.close()
    files.keep_identity(identity)


def fingerprint_of(identity: Identity) -> str:
    """Return the fingerprint of this device's keys, made from the keys themselves."""
    public = primitives.public_keys_of(
        decode_base64url(identity.exchange_key), decode_base64url(identity.signing_key)
    )
    return device_fingerprint(*map(encode_base64url, public))
