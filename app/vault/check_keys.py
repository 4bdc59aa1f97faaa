"""Checks of what the server says of devices and account keys, against what was seen before.

HPKE's base mode does not tell who sealed a key. So a new account key is believed only where it
opens the earlier ones, which nobody can arrange without knowing them.
"""

import hashlib

import msgspec

from app.vault import answers, primitives
from app.vault.device_files import Identity, KnownDevice, State
from app.vault.encoding import decode_base64url, decode_sized, encode_base64url
from app.vault.envelope import KEY_BYTES, WRAPPED_BYTES
from app.vault.primitives import NotAuthentic
from app.vault.refusals import NoKeyHere, Tampered

CURVE_NAMES = ("exchange key", "signing key")


def learn_devices(found: list[answers.Device], identity: Identity, state: State) -> None:
    """Take in the devices that the server names; raise Tampered where one is not as it was."""
    by_id = {device.device_id: device for device in found}
    if len(by_id) < len(found):
        raise Tampered("doubled device", "the server lists a device twice.")
    for device_id, known in state.devices.items():
        device = by_id.get(device_id)
        if device is None:
            raise Tampered("withheld device", f"{known.name} ({device_id}) is no longer listed.")
        if (device.public_key, device.signing_key) != (known.public_key, known.signing_key):
            raise Tampered("swapped key", f"the keys of {known.name} ({device_id}) have changed.")
        if known.revoked and device.status != "revoked":
            raise Tampered("rolled-back device", f"{known.name} ({device_id}) was revoked before.")
    for device in found:
        if device.status == "pending" and device.device_id not in state.devices:
            continue  # it may yet go without ever having been let in
        _require_keys(device)
        known = state.devices.setdefault(
            device.device_id, KnownDevice(device.name, device.public_key, device.signing_key)
        )
        known.revoked = device.status == "revoked"
    _check_own(identity, state)


def learn_keys(found: answers.Keys, identity: Identity, state: State) -> bool:
    """Take in the account keys; return whether these are the first that this device sees.

    Raise Tampered where they cannot be true, NoKeyHere where this device was given none.
    """
    if found.generation < state.generation:
        raise Tampered(
            "rolled-back keys",
            f"the server is at generation {found.generation}; this device has seen "
            f"{state.generation}.",
        )
    digest = _digest(found)
    if found.generation == state.generation and state.keys_seen not in (None, digest):
        raise Tampered(
            "rolled-back keys", f"generation {found.generation} has two different sets of keys."
        )
    if found.account_key_id is None:
        if found.generation or found.previous_keys or found.wraps:
            raise Tampered("withheld keys", "the server has keys, and names no present one.")
        return False
    key = _present_key(found, identity, state)
    earlier = _earlier_keys(found, key)
    first = state.current is None
    for key_id, text in state.keys.items():
        if earlier.get(key_id, key if key_id == found.account_key_id else None) != (
            decode_base64url(text)
        ):
            raise Tampered(
                "swapped account key",
                "the account key was replaced by one that does not know the one before. Nothing "
                "was encrypted to it.",
            )
    state.keys = {
        key_id: encode_base64url(each)
        for key_id, each in {**earlier, found.account_key_id: key}.items()
    }
    state.current, state.generation, state.keys_seen = (
        found.account_key_id,
        found.generation,
        digest,
    )
    return first


def account_keys(state: State) -> dict[str, bytes]:
    """Return the account keys that this device knows, by their ids."""
    return {key_id: decode_base64url(text) for key_id, text in state.keys.items()}


def _present_key(found: answers.Keys, identity: Identity, state: State) -> bytes:
    """Return the present account key: the one known already, or the one sealed to this device."""
    known = state.keys.get(found.account_key_id or "")
    if known is not None and found.account_key_id != state.current:
        raise Tampered("rolled-back keys", "the server calls an earlier account key the present.")
    wraps = [wrap for wrap in found.wraps if wrap.device_id == identity.device_id]
    if not wraps and known is not None:
        return decode_base64url(known)
    if not wraps:
        raise NoKeyHere(
            "The account key is not sealed to this device. On a device that has it, run `hearth "
            f"vault admit {identity.device_id}`; or here `hearth vault recover`."
        )
    try:
        key = primitives.open_sealed(
            decode_base64url(identity.exchange_key),
            decode_sized(wraps[0].enc, KEY_BYTES),
            decode_base64url(wraps[0].ciphertext),
        )
    except (NotAuthentic, ValueError):
        raise Tampered(
            "swapped wrap", "the account key was not sealed to this device's keys."
        ) from None
    if len(key) != KEY_BYTES or len(wraps) > 1 or known not in (None, encode_base64url(key)):
        raise Tampered("swapped wrap", "another account key was sealed to this device.")
    return key


def _earlier_keys(found: answers.Keys, key: bytes) -> dict[str, bytes]:
    """Return the earlier keys, opened with the present one."""
    earlier = {}
    for previous in found.previous_keys:
        try:
            wrapped = decode_sized(previous.wrapped_key, WRAPPED_BYTES)
            earlier[previous.account_key_id] = primitives.unwrap_key(key, wrapped)
        except (NotAuthentic, ValueError):
            raise Tampered(
                "swapped account key",
                f"the earlier key {previous.account_key_id[:64]} does not open with the present.",
            ) from None
    if len(earlier) < len(found.previous_keys) or found.account_key_id in earlier:
        raise Tampered("doubled key", "the server lists an account key twice.")
    return earlier


def _check_own(identity: Identity, state: State) -> None:
    own = state.devices.get(identity.device_id or "")
    public = primitives.public_keys_of(
        decode_base64url(identity.exchange_key), decode_base64url(identity.signing_key)
    )
    if own is None or (own.public_key, own.signing_key) != tuple(map(encode_base64url, public)):
        raise Tampered("swapped key", "the server does not have this device's own keys.")
    own.confirmed = True


def _require_keys(device: answers.Device) -> None:
    try:
        decode_sized(device.public_key, KEY_BYTES)
        decode_sized(device.signing_key, KEY_BYTES)
    except ValueError:
        raise Tampered(
            "malformed device", f"the keys of {device.device_id[:64]} are none."
        ) from None


def _digest(found: answers.Keys) -> str:
    """Return what tells one generation from another; wraps may go when a device is revoked."""
    parts = (found.generation, found.account_key_id, found.recovery, found.previous_keys)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
