"""What was uploaded to be imported: archives are unpacked into nothing first, so that no reader ever meets a hostile one."""

import shutil
import tarfile
import zipfile
from pathlib import Path

from app.errors import Invalid
from app.portability.file_names import safe
from app.portability.tree import ARCHIVES, DEEPEST, UPLOADED, Limits, proved_zip


def proved(path: Path, folder: Path, name: str) -> Path:
    """Give the upload under its own name in a folder of its own, proved to stay within the limits; raise Invalid for what does not."""
    if zipfile.is_zipfile(path):
        proved_zip(path)
    elif tarfile.is_tarfile(path):
        proved_tar(path)
    folder.mkdir(mode=0o700)
    file = folder / safe(name.replace("\\", "/").rpartition("/")[2])
    path.rename(file)
    return file


def remove(path: Path, folder: Path) -> None:
    """Delete an upload."""
    path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def proved_tar(path: Path, limits: Limits = UPLOADED) -> None:
    """Read all of a tar archive and raise Invalid unless it stays within the limits, whatever it says of itself."""
    entries = size = 0
    try:
        with tarfile.open(path, "r|*") as archive:  # as a stream: nothing is taken on trust, not even where a file begins
            for member in archive:
                entries += 1
                size += member.size
                if entries > limits.entries or size > limits.bytes or size > limits.ratio * max(1 << 20, path.stat().st_size):
                    raise Invalid("The archive holds too many files, or unpacks to too many bytes.", field="body", limitBytes=limits.bytes)
                _check_member(member, limits)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise Invalid(f"The archive cannot be read to its end: {error}.", field="body") from None


def _check_member(member: tarfile.TarInfo, limits: Limits) -> None:
    parts = member.name.rstrip("/").removeprefix("./").split("/")
    if not (member.isfile() or member.isdir()):
        raise Invalid(f"The archive holds a link or a device: {member.name[:300]!r}.", field="body")
    if any(part in ("", "..") for part in parts) or "\\" in member.name or len(parts) > DEEPEST:
        raise Invalid(f"The archive holds the path {member.name[:300]!r}, which leads out of it or nowhere.", field="body")
    if not limits.nested and member.isfile() and parts[-1].lower().endswith(ARCHIVES):
        raise Invalid(f"The archive holds another archive: {member.name[:300]!r}.", field="body")
