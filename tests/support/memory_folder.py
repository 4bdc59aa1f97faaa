"""A place in memory for what tests write: nothing of theirs needs to come onto a disk."""

import os
import shutil
import tempfile

FOLDER = "/dev/shm"
ROOM = 4 << 30


def fast_folder() -> str | None:
    """Give a folder in memory with enough room, where programs can be started too; None where
    there is none.
    """
    if not os.access(FOLDER, os.W_OK) or os.statvfs(FOLDER).f_flag & os.ST_NOEXEC:
        return None
    return FOLDER if shutil.disk_usage(FOLDER).free >= ROOM else None


def use() -> None:
    """Put the temporary files of this process and of those that it starts there, unless whoever
    runs the tests has chosen a place.
    """
    folder = fast_folder()
    if folder is not None and not {"TMPDIR", "TEMP", "TMP"} & set(os.environ):
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None
