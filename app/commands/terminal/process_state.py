"""Whether a process is still there."""

import os


def is_alive(pid: int) -> bool:
    """Return whether a process of that number runs; True where the system does not tell."""
    if os.name != "posix":  # where the signal 0 would end it
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
