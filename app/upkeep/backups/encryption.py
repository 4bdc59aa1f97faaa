"""Encryption of backups with a passphrase, as files that the `age` program opens too."""

import importlib
from pathlib import Path
from typing import Any

from app.core.process.counted import size_text
from app.upkeep.backups.backup_files import BackupFailed, require_room, write_backup

MOST = 1 << 30
LEAST_PASSPHRASE = 8


def require_usable(passphrase: str) -> None:
    """Raise BackupFailed when what encrypts is not installed or the passphrase is too short to
    be one.
    """
    _import_age()
    if len(passphrase) < LEAST_PASSPHRASE:
        raise BackupFailed(
            f"The passphrase for backups must have at least {LEAST_PASSPHRASE} characters."
        )


def seal(plain: Path, target: Path, passphrase: str) -> int:
    """Encrypt a file to the backup `target`, check that the same comes out of it again, and give
    its bytes.

    Takes some four times its size of memory.
    """
    require_usable(passphrase)
    size = plain.stat().st_size
    if size > MOST:
        raise BackupFailed(
            f"The database has {size_text(size)}; more than {size_text(MOST)} cannot be "
            "encrypted here. Make a plain backup and encrypt it with `age -p`."
        )
    require_room(target.parent, size)
    content = plain.read_bytes()
    with write_backup(target) as part:
        # Before it holds anything, so that there is no moment in which others can read it.
        part.touch(0o600)
        sealed = _import_age().passphrase.encrypt(content, passphrase)
        part.write_bytes(sealed)
        # From the disk and not from memory: it must be the file that can be opened one day.
        if _decrypt(part.read_bytes(), passphrase, part) != content:
            raise BackupFailed("The encrypted copy does not decrypt to what it was made of.")
    return len(sealed)


def unseal(sealed: Path, target: Path, passphrase: str) -> None:
    """Decrypt a file to `target`.

    Raise BackupFailed when it is damaged or the passphrase is another.
    """
    content = _decrypt(sealed.read_bytes(), passphrase, sealed)
    require_room(target.parent, len(content))
    target.touch(0o600)
    target.write_bytes(content)


def _decrypt(content: bytes, passphrase: str, path: Path) -> bytes:
    age = _import_age()
    try:
        opened: bytes = age.passphrase.decrypt(content, passphrase)
    except age.DecryptError:
        raise BackupFailed(
            f"{path} cannot be decrypted: the passphrase is another one, or the file is damaged."
        ) from None
    return opened


def _import_age() -> Any:
    try:
        importlib.import_module("pyrage.passphrase")
        return importlib.import_module("pyrage")
    except ImportError:
        raise BackupFailed(
            "Encrypted backups need the package pyrage: pip install 'hearth[encryption]'."
        ) from None
