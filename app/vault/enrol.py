"""Letting this device in: it makes its keys, its user says yes on a page, and it gets a token."""

import contextlib
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
    identity, public = _new_identity(files, server, name)
    with contextlib.closing(connect(identity.server, None)) as connection:
        begun = connection.post("/raw-memory/enrolments", answers.Enrolment, public)
    identity.poll_token, identity.approval_url = begun.poll_token, begun.approval_url
    files.keep_identity(identity)
    return identity


def add_by_key(files: DeviceFiles, connect: Connect, server: str, name: str, key: str) -> Identity:
    """Make the keys of this device, and add it by an API key, which it goes on using."""
    identity, public = _new_identity(files, server, name)
    with contextlib.closing(connect(identity.server, key)) as connection:
        added = connection.post("/raw-memory/devices", answers.DeviceAnswer, public)
    identity.device_id, identity.device_token = added.device.device_id, key
    files.keep_identity(identity)
    return identity


def poll_enrolment(files: DeviceFiles, connect: Connect, identity: Identity) -> str:
    """Ask whether the user has decided; keep the token that comes with a yes."""
    with contextlib.closing(connect(identity.server, None)) as connection:
        found = connection.post(
            "/raw-memory/enrolments/poll", answers.Poll, {"pollToken": identity.poll_token}
        )
    if found.status == "approved":
        if found.device_id is None or found.device_token is None:
            raise Tampered("malformed answer", "the enrolment was approved without a token.")
        identity.device_id, identity.device_token = found.device_id, found.device_token
        identity.poll_token = identity.approval_url = None
        files.keep_identity(identity)
    return found.status


def fingerprint_of(identity: Identity) -> str:
    """Return the fingerprint of this device's keys, made from the keys themselves."""
    public = primitives.public_keys_of(
        decode_base64url(identity.exchange_key), decode_base64url(identity.signing_key)
    )
    return device_fingerprint(*map(encode_base64url, public))


def _new_identity(files: DeviceFiles, server: str, name: str) -> tuple[Identity, dict[str, str]]:
    """Return a device with new keys, and what the server is told of it."""
    held = files.identity()
    if held is not None and held.device_id is not None:
        raise VaultError(
            f"This device is enrolled at {held.server} already. To enrol it anew, run `hearth "
            "vault leave` first."
        )
    # new keys each time: those of a request that was denied are of no use
    exchange, signing = new_bytes(KEY_BYTES), new_bytes(KEY_BYTES)
    public = primitives.public_keys_of(exchange, signing)
    identity = Identity(
        server=server.rstrip("/"),
        name=name,
        exchange_key=encode_base64url(exchange),
        signing_key=encode_base64url(signing),
    )
    return identity, {
        "name": name,
        "publicKey": encode_base64url(public[0]),
        "signingKey": encode_base64url(public[1]),
    }
