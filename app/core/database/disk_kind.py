"""What the data directory stands on.

Whether it is a disk of this machine that nothing else copies or changes.
"""

import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

NETWORK = frozenset(
    "nfs nfs4 cifs smb2 smb3 smbfs afs ncpfs ceph fuse.ceph glusterfs fuse.glusterfs lustre beegfs "
    "gpfs davfs fuse.davfs2 fuse.sshfs fuse.rclone fuse.s3fs fuse.gcsfuse fuse.curlftpfs "
    "fuse.gvfsd-fuse afpfs webdav".split()
)
# what these programs leave in the folders that they sync
MARKERS = {
    ".stfolder": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".tmp.driveupload": "Google Drive",
    ".tmp.drivedownload": "Google Drive",
    ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
    ".owncloudsync.log": "ownCloud or Nextcloud",
    ".nextcloudsync.log": "Nextcloud",
}
NAMES = {
    "Dropbox": "Dropbox",
    "OneDrive": "OneDrive",
    "Google Drive": "Google Drive",
    "GoogleDrive": "Google Drive",
    "iCloudDrive": "iCloud",
    "iCloud Drive": "iCloud",
    "Mobile Documents": "iCloud",
    "Nextcloud": "Nextcloud",
    "ownCloud": "ownCloud",
    "pCloudDrive": "pCloud",
}
BEGINNINGS = (
    ("Dropbox (", "Dropbox"),
    ("OneDrive - ", "OneDrive"),
    ("OneDrive-", "OneDrive"),
    ("GoogleDrive-", "Google Drive"),
)
ONEDRIVE = ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")
MOUNTS = Path("/proc/self/mountinfo")
SYNCED = (
    "{path} is in a folder that {service} syncs. Syncing the files of a running database one by "
    "one loses data. Choose another data directory. If this folder is excluded from syncing, add "
    "--allow-unsafe-place (HEARTH_ALLOW_UNSAFE_PLACE=on)."
)
REMOTE = (
    "{path} is on a network file system ({kind}), where the database is not safe. Choose a data "
    "directory on a local disk, or add --allow-unsafe-place (HEARTH_ALLOW_UNSAFE_PLACE=on)."
)


class Mount(NamedTuple):
    """A mounted file system: where, and of what kind."""

    at: PurePath
    kind: str


def unsuitable_reason(path: Path, *, mounts: Path = MOUNTS, home: Path | None = None) -> str:
    """Return why no database should live in `path`; empty where nothing speaks against it."""
    real = Path(os.path.realpath(path))
    if kind := network_file_system(real, mounts=mounts):
        return REMOTE.format(path=path, kind=kind)
    service = sync_service(real, home=home)
    return SYNCED.format(path=path, service=service) if service else ""


def network_file_system(path: Path, *, mounts: Path = MOUNTS) -> str:
    """Return the kind of the network file system that `path` lies on, empty when it is none or
    nobody can tell.
    """
    if sys.platform == "win32":
        import ctypes

        return (
            "a network drive"
            if str(path).startswith("\\\\")
            # 4 is DRIVE_REMOTE
            or ctypes.windll.kernel32.GetDriveTypeW(path.anchor) == 4
            else ""
        )
    if sys.platform == "darwin":
        return _network_kind_on_mac(path)
    try:
        found = list(_parse_mounts(mounts.read_text("utf-8", "surrogateescape").splitlines()))
    except OSError:
        return ""
    over = [
        mount for mount in reversed(found) if path.is_relative_to(mount.at)
    ]  # of several at one place the last is on top
    kind = max(over, key=lambda mount: len(mount.at.parts)).kind if over else ""
    return kind if kind in NETWORK else ""


def sync_service(path: Path, *, home: Path | None = None) -> str:
    """Return the name of what synchronises `path` with other places.

    Empty when nothing is known to.
    """
    parts = path.parts
    for part, after in zip(parts, (*parts[1:], ""), strict=True):
        if part in NAMES:
            return NAMES[part]
        if part == "CloudStorage" and "Library" in parts:
            return after.partition("-")[0] or "a cloud service"
        for beginning, service in BEGINNINGS:
            if part.startswith(beginning):
                return service
    for folder in (path, *path.parents):
        for marker, service in MARKERS.items():
            if os.path.lexists(folder / marker):
                return service
        if (
            folder / ".dropbox"
        ).is_file():  # of a home directory it is a folder, in which Dropbox keeps its own
            return "Dropbox"
    return _sync_folders(path, home)


def _sync_folders(path: Path, home: Path | None) -> str:
    """Look where Dropbox and OneDrive say themselves that they are."""
    folders = [(name, "OneDrive") for variable in ONEDRIVE if (name := os.environ.get(variable))]
    try:
        said = json.loads(((home or Path.home()) / ".dropbox" / "info.json").read_bytes())
        folders += [(str(account["path"]), "Dropbox") for account in said.values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError):
        pass  # there is no Dropbox, or one that says it otherwise
    return next(
        (service for name, service in folders if path.is_relative_to(os.path.realpath(name))), ""
    )


def _parse_mounts(lines: Iterable[str]) -> Iterable[Mount]:
    """Yield what a mountinfo file lists.

    WSL's drives of Windows are a network file system of their own making.
    """
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, rest = before.split(" "), after.split(" ")
        if len(fields) > 4 and rest[0]:
            windows = rest[0] == "9p" and "aname=drvfs" in after
            yield Mount(PurePath(_unescape_octal(fields[4])), "cifs" if windows else rest[0])


def _unescape_octal(text: str) -> str:
    """Return a mount point as it is: mountinfo writes blanks and the like as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)


def _network_kind_on_mac(path: Path) -> str:
    """Ask `statfs`, whose flags say whether a file system is of this machine."""
    import ctypes

    libc = ctypes.CDLL(None)
    ask = getattr(libc, "statfs$INODE64", None) or libc.statfs
    answer = ctypes.create_string_buffer(4096)
    place = next((folder for folder in (path, *path.parents) if folder.exists()), path)
    if ask(os.fsencode(place), answer) != 0:
        return ""
    # f_flags with MNT_LOCAL, and below f_fstypename, of Darwin's struct statfs
    local = int.from_bytes(answer.raw[64:68], sys.byteorder) & 0x1000
    return (
        "" if local else answer.raw[72:88].split(b"\0")[0].decode("ascii", "replace") or "network"
    )
