"""The browser for the tests of pages.

A Chromium of the system's, best its headless shell, which is installed from Debian's own packages.

`python3 scripts/browser.py` gets it; `scripts/test.py` does the same by itself. TEST_BROWSER
names another one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from environment import own_environment
from setup_environment import say

# the same engine without a browser's own windows: tests/home takes a quarter less of a processor
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends", SHELL)
UPDATE = ("apt-get", "update")
PATIENCE = 900.0


def find() -> str | None:
    """Return the path of a browser that speaks Chromium's protocol, or None where there is none."""
    return os.environ.get("TEST_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def get() -> str | None:
    """Install the headless shell where it is not there.

    Return the sentence on it where that fails and no other Chromium is there.
    """
    if os.environ.get("TEST_BROWSER") or shutil.which(SHELL):
        return None
    if shutil.which("apt-get") is None:
        return None if find() else missing()
    say("Installing Chromium's headless shell for the tests of pages (once) …")
    last = ""
    # on a fresh machine the lists of packages come first
    for command in (INSTALL,) if find() else (INSTALL, UPDATE, INSTALL):
        last = run(command)
        if shutil.which(SHELL):
            return None
    return None if find() else f"{missing()} ({last})"


def missing() -> str:
    """Return the sentence for a machine that has no browser."""
    return (
        "No Chromium is here, so the tests of pages are left out: install the package "
        f"{SHELL} or chromium, or name one with TEST_BROWSER."
    )


def run(command: tuple[str, ...]) -> str:
    """Run a command as the administrator, if this is one or may become one unasked, and return
    the last line that it said.
    """
    become = () if not hasattr(os, "geteuid") or os.geteuid() == 0 else ("sudo", "-n")
    environment = {**own_environment(), "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            (*become, *command),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return next(iter(reversed(done.stdout.strip().splitlines())), "")


if __name__ == "__main__":
    trouble = get()
    print(trouble or find())
    sys.exit(1 if trouble else 0)
