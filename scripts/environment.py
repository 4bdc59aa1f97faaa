"""Keep the checkout's own Python environment, .venv, and run things in it.

A stamp in .venv says what was installed, where and with which Python; as long as it holds, a
start only compares it.
"""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
STAMP = VENV / "hearth-setup.txt"
# why the model could not be fetched, so that not every start tries again
NO_MODEL = VENV / "hearth-no-model.txt"

OLDEST = (3, 11)
RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}" if sys.version_info >= OLDEST else ""

# without bytecode each start would compile all that it imports: more than a second
OTHER_PYTHON = {
    *("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"),
    *("VIRTUAL_ENV", "__PYVENV_LAUNCHER__"),
}
OTHER_INSTALL = {
    f"PIP_{name}"
    for name in (
        "CONSTRAINT",
        "DRY_RUN",
        "EDITABLE",
        "NO_DEPS",
        "PREFIX",
        "PYTHON",
        "REQUIREMENT",
        "ROOT",
        "TARGET",
        "USER",
    )
}


class Stamp(NamedTuple):
    """What a finished set-up left behind."""

    place: str
    python: str
    packages: str
    extra: str


def become(module: str, *arguments: str, extra: str = "", model: bool = False) -> NoReturn:
    """Replace this process by `python -m module` in a ready environment.

    Signals and the exit code are the module's own.
    """
    python = ready(extra)
    if model and not (model_file().exists() or NO_MODEL.exists()):
        import setup_environment

        setup_environment.fetch_model()
    # -P: the folder one happens to stand in may hold an `app` of its own.
    _replace_by([str(python), "-P", "-m", module, *arguments])


def use_own_python(extra: str = "dev") -> None:
    """Run the script that was called again with the environment's Python, set up where it lacks
    something; return at once where that Python runs it already.
    """
    if Path(sys.prefix) != VENV:
        _replace_by([str(ready(extra)), *sys.argv])


def _replace_by(command: list[str]) -> NoReturn:
    if sys.platform != "win32":
        os.execve(command[0], command, own_environment())
    import signal
    import subprocess

    child = subprocess.Popen(command, env=own_environment())
    # Ctrl-C reaches the child too, and only the child answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(child.wait())


def ready(extra: str = "") -> Path:
    """Return the environment's Python after setting it up where it lacks something.

    Leave with one sentence where that fails.
    """
    if not is_current(read_stamp(), extra):
        import setup_environment  # only a first start pays for loading it

        setup_environment.set_up_or_exit(extra)
    return PYTHON


def model_file() -> Path:
    """Return where the model for search by meaning lies.

    In the directory of models that is set, else in the checkout's data directory.
    """
    return (
        Path(os.environ.get("HEARTH_MODELS") or ROOT / "data" / "models") / "all-minilm-l6-v2.int8"
    )


def multilingual_file() -> Path:
    """Return where the multilingual model lies that tests load.

    Apart from the other one: no server of this checkout is to use it for that.
    """
    return ROOT / "data" / "models" / "tested" / "multilingual-e5-small.int8"


def is_intact(stamp: Stamp | None) -> bool:
    """Tell whether the environment was finished, by this version of Python, and still stands
    where it was made.
    """
    return (
        stamp is not None
        and stamp.place == str(ROOT)
        and RUNNING in ("", stamp.python)
        and PYTHON.exists()
    )


def is_current(stamp: Stamp | None, extra: str) -> bool:
    """Tell whether the environment holds what the project now asks for, the extra included."""
    return (
        is_intact(stamp)
        and stamp is not None
        and stamp.packages == fingerprint()
        and extra in ("", stamp.extra)
    )


def fingerprint() -> str:
    """Return a checksum of what decides the packages.

    The pins and the project's tables, but not the settings of its tools.
    """
    # A change of a linter's rules needs no new packages.
    project = (ROOT / "pyproject.toml").read_text("utf-8").partition("\n[tool.")[0]
    pins = (ROOT / "constraints.txt").read_text("utf-8")
    return f"{zlib.crc32((project + pins).encode()):08x}"


def read_stamp() -> Stamp | None:
    """Return what the last set-up left, or None when there was none or it never finished."""
    try:
        return Stamp(*STAMP.read_text("utf-8", "surrogateescape").split("\n"))
    except (OSError, TypeError):
        return None


def write_stamp(stamp: Stamp) -> None:
    """Record a finished set-up."""
    STAMP.write_text("\n".join(stamp), "utf-8", "surrogateescape")


def own_environment() -> dict[str, str]:
    """Return the outer environment without what would bring in another Python's packages.

    Mirrors and proxies stay.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() not in OTHER_PYTHON | OTHER_INSTALL
    }
