"""Secrets of others that this server must send.

Each named by where it lies and never held by the database, or held there encrypted, by a key that
lies beside it in a file of its own.
"""

import contextlib
import os
from pathlib import Path

from app.core import random_tokens
from app.core.database.data_dir import KEPT_SECRET, SEALING_KEY
from app.core.database.disk_reserve import FULL, is_disk_full
from app.core.database.small_files import replace_file
from app.errors import StorageFull, Unavailable

LONGEST = 8_192
NONCE, KEY = 12, 32
HERE = "kept:"
UNREADABLE = (
    "The file sealing-key of the data directory cannot be read: {why}. Nothing that it encrypts "
    "can be used or changed until it can."
)


class SecretMissing(Exception):
    """What a reference names is not there; the message says what, never what it held."""


class KeptSecrets:
    """The secrets that lie in files of the data directory, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, secret: str) -> str:
        """Write a secret down and give its reference; raise StorageFull on a full disk."""
        name = random_tokens.new_uuid()
        try:
            replace_file(self._path(name), secret.encode(), sync=True)
        except OSError as error:
            if is_disk_full(error):
                raise StorageFull(FULL) from None
            raise
        return HERE + name

    def forget(self, reference: str) -> None:
        """Delete the secret, if it is one that is kept here."""
        if reference.startswith(HERE):
            with contextlib.suppress(OSError):
                self._path(reference.removeprefix(HERE)).unlink(missing_ok=True)

    def secret(self, reference: str) -> str:
        """Return the secret that a reference names as it is now; empty for none.

        Raises SecretMissing.
        """
        kind, _, where = reference.partition(":")
        match kind + ":":
            case "env:":
                found = os.environ.get(where, "").strip()
                missing = f"The environment variable {where} is not set where the server runs."
            case "file:":
                found, missing = _read_secret(Path(where)), f"The key cannot be read from {where}."
            case "kept:":
                found, missing = (
                    _read_secret(self._path(where)),
                    "The key that was kept in the data directory is gone; add the model again.",
                )
            case _:
                return ""
        if not found:
            raise SecretMissing(missing)
        return found

    def _path(self, name: str) -> Path:
        return self._folder / (KEPT_SECRET + name)


def _read_secret(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            # no more, since the path may name a device that never ends
            return file.read(LONGEST).strip()
    except (OSError, UnicodeDecodeError):
        return ""


class SealBroken(Exception):
    """A sealed text cannot be opened: its key is gone, or it was sealed for something else."""


class Seal:
    """Seals texts and opens them, by the key in the data directory, made when first needed."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / SEALING_KEY
        self._key: bytes | None = None

    def seal(self, text: str, purpose: str) -> bytes:
        """Return the text encrypted; it opens only for the same purpose.

        Raise Unavailable where there is a key that cannot be read.
        """
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = random_tokens.new_bytes(NONCE)
        key = AESGCM(self._read() or self._made())
        return nonce + key.encrypt(nonce, text.encode(), purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> str:
        """Return the text that was sealed.

        Raise SealBroken, and Unavailable where there is a key that cannot be read.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = self._read()
        if key is None:
            raise SealBroken
        try:
            return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], purpose.encode()).decode()
        except (InvalidTag, ValueError):
            raise SealBroken from None

    def _read(self) -> bytes | None:
        """Return the key; None where there is no file, and only then a new one loses nothing."""
        if self._key is None:
            try:
                found = bytes.fromhex(self._file.read_text("ascii"))
            except FileNotFoundError:
                return None
            except OSError as error:
                raise Unavailable(UNREADABLE.format(why=error.strerror)) from error
            except ValueError:
                found = b""
            if len(found) != KEY:
                raise Unavailable(UNREADABLE.format(why="it holds no key"))
            self._key = found
        return self._key

    def _made(self) -> bytes:
        key = random_tokens.new_bytes(KEY)
        replace_file(self._file, key.hex().encode("ascii"), sync=True)
        self._key = key
        return key
