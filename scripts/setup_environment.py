"""Make .venv and install the project and its pinned packages into it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import IO

import environment
from environment import (
    OLDEST,
    PYTHON,
    ROOT,
    RUNNING,
    VENV,
    Stamp,
    own_environment,
    read_stamp,
    write_stamp,
)

LOCK = ROOT / ".venv.lock"
CANDIDATES = ("python3.13", "python3.12", "python3.11", "python3.14", "python3", "python")
TROUBLES = {
    r"No module named '?(venv|ensurepip)|ensurepip is not available": (
        "This Python cannot make environments. On Debian and Ubuntu `sudo apt install "
        "python3-venv` adds what it lacks."
    ),
    r"No space left on device|Errno 28\b|not enough space": "The disk is full. Make some room for "
    f"{VENV} (about 300 MB).",
    r"Permission denied|Access is denied|Read-only file system|Errno (13|30)\b": (
        f"{ROOT} cannot be written: use a checkout of your own."
    ),
    r"NewConnectionError|ConnectTimeout|ReadTimeout|NameResolutionError|ProxyError|Network "
    r"is unreachable": (
        "The packages could not be downloaded. Setting up needs the network once "
        "(PIP_INDEX_URL names a mirror)."
    ),
    r"Failed building wheel|Failed to build|Unknown compiler|Microsoft Visual C\+\+": (
        "A package has no ready-made form for this system and Python. Python 3.11, "
        "3.12 and 3.13 have them all."
    ),
}


class SetupError(Exception):
    """A set-up that cannot go on, as a sentence for the person who started it."""


def set_up_or_exit(extra: str) -> None:
    """Set up what is missing, once at a time.

    Leave the process with a sentence when that cannot be done.
    """
    try:
        with alone():
            # another start may have done it meanwhile
            if not environment.is_current(read_stamp(), extra):
                set_up(extra)
    except (SetupError, OSError) as error:
        sys.exit(explain(str(error)))
    except KeyboardInterrupt:
        sys.exit("Set-up stopped. The next start takes it up again.")


def set_up(extra: str) -> None:
    """Bring .venv up to date, from scratch where it was left half made, moved, or made by
    another Python.
    """
    began, old = time.monotonic(), read_stamp()
    # Without its stamp a set-up that is killed half-way is taken for none.
    environment.STAMP.unlink(missing_ok=True)
    if old and environment.is_intact(old):
        say(f"Updating the packages in {VENV} …")
        try:
            install(extra or old.extra)
        except SetupError:
            write_stamp(old)  # nothing was replaced, so what stood there before still works
            raise
        version, extra = old.python, extra or old.extra
    else:
        python, version = choose_python()
        say(
            f"Setting up Hearth in {VENV} with Python {version}. This happens once and may "
            "take a minute …"
        )
        make_venv(python)
        install(extra)
    write_stamp(Stamp(str(ROOT), version, environment.fingerprint(), extra))
    say(f"Ready after {time.monotonic() - began:.0f} s.")


def fetch_model() -> None:
    """Fetch the model for search by meaning.

    Where that fails, say so in one sentence, leave a note for the next start, and go on.
    """
    try:
        with alone():
            if environment.model_file().exists():  # another start may have done it meanwhile
                return
            say("Fetching the model for search by meaning (84 MB, once) …")
            run(str(PYTHON), "-P", "-m", "app", "models", "add", "--data", str(ROOT / "data"))
    except KeyboardInterrupt:
        sys.exit("Set-up stopped. The next start takes it up again.")
    except (SetupError, OSError) as error:
        why = str(error).strip().rpartition("\n")[2]
        environment.NO_MODEL.write_text(why, "utf-8", "surrogateescape")
        say(
            "There is no model, so search finds words and not meaning; `hearth models "
            f"add` tries again. ({why})"
        )


def fetch_multilingual_model() -> None:
    """Fetch the multilingual model for the tests, or leave the process with a sentence."""
    file = environment.multilingual_file()
    try:
        with alone():
            if not file.exists():
                say("Fetching the multilingual model for the tests (91 MB, once) …")
                app = (str(PYTHON), "-P", "-m", "app")
                run(*app, "models", "add", "multilingual", HEARTH_MODELS=str(file.parent))
    except (SetupError, OSError) as error:
        sys.exit(explain(str(error)))


def choose_python() -> tuple[str, str]:
    """Return the path and the version of the Python to build on.

    The running one, or a newer one from PATH if it is too old.
    """
    if RUNNING:
        return getattr(sys, "_base_executable", sys.executable), RUNNING
    for path in filter(None, map(shutil.which, CANDIDATES)):
        version = version_of(path)
        if version >= OLDEST:
            return path, f"{version[0]}.{version[1]}"
    running = ".".join(map(str, sys.version_info[:2]))
    raise SetupError(
        f"Hearth needs Python 3.11 or newer; this is {running}, and there is no newer one on PATH."
    )


def version_of(python: str) -> tuple[int, ...]:
    """Return the version a Python reports, or nothing when it does not run."""
    shown = subprocess.run([python, "-IVV"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"Python (\d+)\.(\d+)", shown)
    return tuple(map(int, found.groups())) if found else ()


def make_venv(python: str) -> None:
    """Make an empty .venv in the place of whatever stood there."""
    if VENV.is_symlink():
        raise SetupError(f"{VENV} is a link to another place. Remove the link and start again.")
    run(python, "-m", "venv", "--clear", "--without-pip", str(VENV))
    # on its own, because venv would hide what it says
    run(str(PYTHON), "-m", "ensurepip", "--default-pip")


def install(extra: str) -> None:
    """Install the project as it lies in the checkout, and the pinned version of everything it
    needs.
    """
    project = f".[{extra}]" if extra else "."
    options = ["--no-input", "--disable-pip-version-check", "--constraint", "constraints.txt"]
    if extra == "dev":
        # most of it is never imported, and to compile all takes a third of the set-up
        options.append("--no-compile")
    run(str(PYTHON), "-m", "pip", "install", *options, "--editable", project)
    for link in VENV.rglob("app.pth"):
        # A relative path is plain ASCII, which every locale can read, wherever the checkout lies.
        link.write_text(os.path.relpath(ROOT, link.parent), "ascii")


def run(*command: str, **variables: str) -> None:
    """Run a quiet command in the checkout, with these environment variables too.

    Its output is shown only in the error of one that fails.
    """
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**own_environment(), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise SetupError(done.stdout)


def explain(output: str) -> str:
    """Return a sentence on what went wrong with the line that shows it, or the end of the output
    where no sentence fits.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for pattern, sentence in TROUBLES.items():
        for line in lines:
            if re.search(pattern, line):
                return f"{sentence}\n  {line}"
    return lines[0] if len(lines) == 1 else "\n  ".join(["Setting up did not work:", *lines[-10:]])


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Wait until no other process sets up this checkout, and keep others out.

    A lock left by a dead process does not hold.
    """
    with LOCK.open("a", encoding="utf-8") as file:
        if not try_lock(file):
            say("Another start is setting up; waiting for it …")
            while not try_lock(file):
                time.sleep(0.2)
        yield


def try_lock(file: IO[str]) -> bool:
    """Take the lock on an open file if nobody has it; closing the file gives it back."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def say(line: str) -> None:
    """Tell the person what is going on, without mixing it into the program's own output."""
    print(line, file=sys.stderr, flush=True)
