"""The account key: making it, giving it to another device, replacing it, and recovering it."""

from typing import Any

from app.core.random_tokens import new_bytes, new_uuid
from app.vault import answers, primitives
from app.vault.check_keys import account_keys, learn_keys
from app.vault.device_files import KnownDevice
from app.vault.encoding import decode_base64url, decode_sized, encode_base64url
from app.vault.envelope import KEY_BYTES, WRAPPED_BYTES
from app.vault.fingerprints import device_fingerprint, is_same, key_fingerprint
from app.vault.primitives import NotAuthentic
from app.vault.recovery_code import new_recovery_code, read_code, spell_code
from app.vault.refusals import Tampered, VaultError
from app.vault.vault import Vault

SALT_BYTES = 32


def make_first_key(vault: Vault) -> str | None:
    """Make the account key where the user has none; return the recovery code to be shown once.

    None where there is a key already.
    """
    vault.refresh()
    if vault.state.current is not None:
        return None
    return _replace_key(vault, {}, 0)


def rotate(vault: Vault) -> tuple[str, list[str]]:
    """Replace the account key by a new one; return the new recovery code, and who has the key.

    It goes to the devices whose fingerprint was confirmed here, and to no other.
    """
    vault.refresh()
    code = _replace_key(vault, account_keys(vault.state), vault.state.generation)
    return code, [device.name for device in _receivers(vault).values()]


def left_out(vault: Vault) -> list[str]:
    """Return the devices that a new account key would not go to: nobody confirmed them here."""
    return [
        f"{device.name} ({device_id})"
        for device_id, device in vault.state.devices.items()
        if not device.confirmed and not device.revoked
    ]


def admit(vault: Vault, device_id: str, typed: str) -> None:
    """Seal the account key to another device whose fingerprint was compared."""
    found = vault.refresh()
    device = _require_device(vault, device_id)
    if not is_same(typed, device_fingerprint(device.public_key, device.signing_key)):
        raise VaultError(
            "The fingerprints differ. Do not admit the device: the server may have swapped its "
            "keys."
        )
    device.confirmed = True
    vault.save()
    _add_wrap(vault, found, device_id)


def recover(vault: Vault, typed: str) -> None:
    """Take the account key from the server by the recovery code, and seal it to this device."""
    code = read_code(typed)
    vault.refresh_devices()
    found = vault.connection.get("/raw-memory/keys", answers.Keys)
    if found.recovery is None or found.account_key_id is None:
        raise VaultError("The server holds nothing that a recovery code opens.")
    if found.generation < vault.state.generation:
        raise Tampered("rolled-back keys", "the server shows keys from before.")
    try:
        salt = decode_base64url(found.recovery.kdf.salt)
        wrapped = decode_sized(found.recovery.wrapped_key, WRAPPED_BYTES)
        key = primitives.unwrap_key(primitives.recovery_key(code, salt), wrapped)
    except (NotAuthentic, ValueError):
        raise VaultError(
            "The recovery code does not open what the server holds. Either it is an earlier code, "
            "or the server has swapped the key."
        ) from None
    # the code has proven the key: it is as good as one that was here before
    known = vault.state.keys.get(found.account_key_id)
    if known not in (None, encode_base64url(key)):
        raise Tampered("swapped account key", "the recovered key is not the one known here.")
    vault.state.keys[found.account_key_id] = encode_base64url(key)
    vault.state.current = found.account_key_id
    _add_wrap(vault, found, vault.identity.device_id or "")


def revoke(vault: Vault, device_id: str) -> KnownDevice:
    """Revoke a device, so that it can neither store nor read any more."""
    vault.refresh_devices()
    device = _require_device(vault, device_id)
    vault.connection.delete(f"/raw-memory/devices/{device_id}", answers.DeviceAnswer)
    device.revoked = True
    vault.save()
    return device


def fingerprint_of_key(vault: Vault) -> str | None:
    """Return the fingerprint of the account key, to be compared between devices."""
    current = vault.state.current
    if current is None:
        return None
    return key_fingerprint(primitives.account_key_digest(account_keys(vault.state)[current]))


def _replace_key(vault: Vault, earlier: dict[str, bytes], generation: int) -> str:
    """Put a new account key, under which every earlier one is wrapped; return its code."""
    key, code, salt = new_bytes(KEY_BYTES), new_recovery_code(), new_bytes(SALT_BYTES)
    body = {
        "accountKeyId": new_uuid(),
        "ifGeneration": generation,
        "recovery": {
            "kdf": {"name": "HKDF-SHA256", "salt": encode_base64url(salt)},
            "wrappedKey": encode_base64url(
                primitives.wrap_key(primitives.recovery_key(code, salt), key)
            ),
        },
        "previousKeys": [
            {"accountKeyId": key_id, "wrappedKey": encode_base64url(primitives.wrap_key(key, each))}
            for key_id, each in earlier.items()
        ],
    }
    _put(vault, body, key)
    return spell_code(code)


def _put(vault: Vault, body: dict[str, Any], key: bytes) -> None:
    given = {**body, "wraps": _wraps(_receivers(vault), key)}
    _learn_put(vault, vault.connection.put("/raw-memory/keys", answers.Keys, given))
    if vault.state.current != body["accountKeyId"]:
        raise Tampered("swapped account key", "the server stored another key than was sent.")


def _learn_put(vault: Vault, found: answers.Keys) -> None:
    learn_keys(found, vault.identity, vault.state)
    vault.save()


def _add_wrap(vault: Vault, found: answers.Keys, device_id: str) -> None:
    """Seal the present account key to one more device; what is sealed to others stays."""
    current = vault.state.current or ""
    key = account_keys(vault.state)[current]
    kept = [wrap for wrap in found.wraps if wrap.device_id != device_id]
    body = {
        "accountKeyId": current,
        "ifGeneration": found.generation,
        "wraps": [*kept, *_wraps({device_id: vault.state.devices[device_id]}, key)],
    }
    _learn_put(vault, vault.connection.put("/raw-memory/keys", answers.Keys, body))


def _receivers(vault: Vault) -> dict[str, KnownDevice]:
    return {
        device_id: device
        for device_id, device in vault.state.devices.items()
        if device.confirmed and not device.revoked
    }


def _wraps(devices: dict[str, KnownDevice], key: bytes) -> list[dict[str, str]]:
    wraps = []
    for device_id, device in devices.items():
        try:
            enc, sealed = primitives.seal_to(decode_base64url(device.public_key), key)
        except NotAuthentic:
            raise Tampered("malformed device", f"nothing can be sealed to {device_id}.") from None
        wraps.append(
            {
                "deviceId": device_id,
                "enc": encode_base64url(enc),
                "ciphertext": encode_base64url(sealed),
            }
        )
    return wraps


def _require_device(vault: Vault, device_id: str) -> KnownDevice:
    device = vault.state.devices.get(device_id)
    if device is None or device.revoked:
        raise VaultError(f"There is no live device {device_id}. See `hearth vault devices`.")
    return device
