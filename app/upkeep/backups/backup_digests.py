"""The digest beside each backup, as `sha256sum` writes and checks it.

What tells that not one byte of the backup has changed since it was made.
"""

import contextlib
import hashlib
import os
import re
from pathlib import Path

from app.core.database.small_files import replace_file

SUFFIX = ".sha256"
_LINE = re.compile(rb"\\?([0-9a-fA-F]{64})(?:\s|$)")


def digest_path(backup: Path) -> Path:
    """Give the file that a backup's digest stands in."""
    return backup.with_name(backup.name + SUFFIX)


def write_digest(part: Path, backup: Path) -> None:
    """Write the digest of what `part` holds, which is about to get the name `backup`.

    It is on the disk, or not there at all.

    It comes before the backup itself, so that a process that is killed leaves no backup without
    one.
    """
    line = digest_of(part).encode("ascii") + b"  " + os.fsencode(backup.name) + b"\n"
    replace_file(digest_path(backup), line, sync=True)


def find_mismatch(backup: Path, *, content: Path | None = None) -> str | None:
    """Say how a backup differs from the digest beside it.

    None where it does not, and where there is no digest.

    What counts is the digest, not the name that stands after it: both files may have been
    renamed. `content` is a copy to look at instead.
    """
    beside = digest_path(backup)
    try:
        found = _LINE.match(beside.read_bytes()[:1000])
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"its digest {beside.name} cannot be read ({error.strerror})"
    if found is None:
        return f"its digest {beside.name} is itself damaged, or no digest"
    try:
        same = digest_of(content or backup) == found[1].decode("ascii").lower()
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return None if same else f"its bytes are not those that its digest {beside.name} was made of"


def digest_of(file: Path) -> str:
    """Return the digest of a whole file, which no database connection of this process may have
    open.
    """
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def drop_if_alone(backup: Path) -> None:
    """Delete the digest of a backup that is not there."""
    if not backup.exists():
        with contextlib.suppress(OSError):
            digest_path(backup).unlink(missing_ok=True)
