"""The set-up scripts: what they compare, what they say, and that a second start goes straight to
the server.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import check
import environment
import setup_environment
from app.core.database.data_dir import MODELS
from app.embedding.known_models import ENGLISH
from environment import ROOT, Stamp
from tests.support.looping import through

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
SERVER = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print(sys.argv[1:], sys.prefix, os.environ.get("PYTHONPATH"), flush=True)
if "--wait" in sys.argv:
    signal.pause()
sys.exit(3)
"""


def requirements() -> list[Requirement]:
    """Return what the project asks for, the extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [
        Requirement(entry)
        for group in [project["dependencies"], *project["optional-dependencies"].values()]
        for entry in group
    ]


def pins() -> dict[str, str]:
    """Return the pinned version of each package by its normal name."""
    lines = [
        Requirement(line)
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    return {normal(pin.name): str(pin.specifier).removeprefix("==") for pin in lines}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@through("requirement", [(one.name, one) for one in requirements()])
def test_every_requirement_is_pinned_inside_its_range(requirement: Requirement) -> None:
    assert requirement.specifier.contains(pins()[normal(requirement.name)])


def test_the_pins_are_exact_sorted_and_without_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ?; .+)?", line) for line in lines)
    assert lines == sorted(lines, key=lambda line: normal(line.partition("==")[0]))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a stand-in for the server and a finished environment, in a folder with an
    awkward name.
    """
    root = tmp_path / "Größe [und] Raum"
    shutil.copytree(
        ROOT / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    (root / "app").mkdir()
    (root / "app" / "__main__.py").write_text(SERVER)
    places = {
        "ROOT": root,
        "VENV": root / ".venv",
        "STAMP": root / ".venv" / environment.STAMP.name,
    }
    for name, place in {**places, "PYTHON": root / environment.PYTHON.relative_to(ROOT)}.items():
        monkeypatch.setattr(environment, name, place)
    venv.create(root / ".venv", symlinks=os.name != "nt")
    packages = next((root / ".venv").rglob("site-packages"))
    (packages / "app.pth").write_text(os.path.relpath(root, packages))
    environment.write_stamp(Stamp(str(root), HERE, environment.fingerprint(), "dev"))
    monkeypatch.setattr(environment, "NO_MODEL", root / ".venv" / environment.NO_MODEL.name)
    environment.model_file().parent.mkdir(parents=True)
    environment.model_file().touch()
    return root


def start(checkout: Path, *arguments: str, **outer: str) -> subprocess.CompletedProcess[str]:
    """Run the checkout's serve.py from another folder."""
    command = [sys.executable, str(checkout / "scripts" / "serve.py"), *arguments]
    return subprocess.run(
        command,
        cwd=checkout.parent,
        env={**os.environ, **outer},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_second_start_runs_the_server_at_once_and_passes_on_its_exit_code(checkout: Path) -> None:
    done = start(checkout, "--port", "80 80")
    assert done.stdout.split(" /")[0] == "['serve', '--port', '80 80']"
    assert str(checkout / ".venv") in done.stdout
    assert (done.stderr, done.returncode) == ("", 3)


def test_nothing_of_an_outer_python_or_of_the_current_folder_leaks_in(checkout: Path) -> None:
    stranger = checkout.parent / "app"
    stranger.mkdir()
    (stranger / "__main__.py").write_text("print('stranger')")
    done = start(checkout, PYTHONPATH=str(checkout.parent), VIRTUAL_ENV=str(checkout.parent))
    assert "stranger" not in done.stdout
    assert done.stdout.rstrip().endswith("None")


def test_a_signal_reaches_the_server_itself(checkout: Path) -> None:
    command = [sys.executable, str(checkout / "scripts" / "serve.py"), "--wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        server.terminate()
        assert server.wait() == 7


def test_a_start_without_the_model_fetches_it_and_goes_on_with_a_sentence_where_that_fails(
    checkout: Path,
) -> None:
    environment.model_file().unlink()
    done = start(checkout)
    assert "'serve'" in done.stdout
    assert re.fullmatch(
        r"Fetching the model .*\nThere is no model, so search finds words and not meaning; .*\n",
        done.stderr,
    )
    assert done.returncode == 3
    again = start(checkout)
    assert ("'serve'" in again.stdout, again.stderr) == (True, "")


@pytest.mark.parametrize(
    "outer",
    [{"HEARTH_EMBEDDINGS": "off"}, {"HEARTH_EMBEDDINGS_URL": "http://localhost"}, {}],
    ids=["off", "address", "option"],
)
def test_no_model_is_fetched_where_none_is_wanted(checkout: Path, outer: dict[str, str]) -> None:
    environment.model_file().unlink()
    done = start(checkout, *([] if outer else ["--no-model"]), "--port", "1", **outer)
    assert "['serve', '--port', '1']" in done.stdout
    assert done.stderr == ""
    assert not environment.NO_MODEL.exists()


def test_help_sets_up_and_fetches_nothing(checkout: Path) -> None:
    environment.model_file().unlink()
    done = start(checkout, "--help")
    assert ("['serve', '--help']" in done.stdout, done.stderr) == (True, "")
    shutil.rmtree(checkout / ".venv")
    done = start(checkout, "--help")
    assert "--no-model" in done.stdout
    assert (done.stderr, done.returncode) == ("", 0)
    assert not (checkout / ".venv").exists()


def test_a_model_in_the_directory_that_is_set_will_do(checkout: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    environment.model_file().parent.rename(shared)
    assert start(checkout, HEARTH_MODELS=str(shared)).stderr == ""


@pytest.mark.parametrize(
    ("script", "option"),
    [
        ("bench.py", "--help"),
        ("docs.py", "--check"),
        ("evaluate.py", "--help"),
        ("evaluate_search.py", "--help"),
        ("messages.py", "--help"),
        ("power_cuts.py", "--help"),
        ("wire_servers.py", "--help"),
    ],
)
def test_a_script_that_another_python_runs_goes_on_in_its_own(script: str, option: str) -> None:
    command = [sys._base_executable, str(ROOT / "scripts" / script), option]  # type: ignore[attr-defined]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_every_script_is_known_to_set_itself_up() -> None:
    """Each of them runs in the environment that scripts/environment.py keeps."""
    scripts = {path.name: path.read_text("utf-8") for path in (ROOT / "scripts").glob("*.py")}
    modules = {"browser.py", "environment.py", "quick.py", "setup_environment.py"}
    called = scripts.keys() - modules
    assert [name for name in called if "from environment import" not in scripts[name]] == []


def test_the_set_up_knows_the_name_of_the_models_file() -> None:
    assert environment.model_file() == ROOT / "data" / MODELS / ENGLISH.file


@pytest.mark.parametrize(
    ("change", "intact", "current"),
    [
        (lambda stamp: stamp, True, True),
        (lambda stamp: stamp._replace(packages="other"), True, False),
        (lambda stamp: stamp._replace(extra=""), True, False),
        (lambda stamp: stamp._replace(place="elsewhere"), False, False),
        (lambda stamp: stamp._replace(python="3.10"), False, False),
        (lambda stamp: None, False, False),
    ],
    ids=["same", "other packages", "without the extra", "moved", "other Python", "never finished"],
)
def test_a_stamp_says_what_is_left_to_do(
    checkout: Path, change: Callable[[Stamp | None], Stamp | None], intact: bool, current: bool
) -> None:
    stamp = change(environment.read_stamp())
    assert environment.is_intact(stamp) is intact
    assert environment.is_current(stamp, "dev") is current


def test_the_development_packages_satisfy_the_server_too(checkout: Path) -> None:
    assert environment.is_current(environment.read_stamp(), "")


def test_an_environment_without_its_python_is_made_anew(checkout: Path) -> None:
    environment.PYTHON.unlink()
    assert not environment.is_intact(environment.read_stamp())


@pytest.mark.parametrize("text", ["", "one line", "a\nb\nc\nd\ne"])
def test_a_spoilt_stamp_counts_as_none(checkout: Path, text: str) -> None:
    environment.STAMP.write_text(text)
    assert environment.read_stamp() is None


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("pyproject.toml", 'name = "hearth"', 'name = "stove"', False),
        ("pyproject.toml", "line-length = 100", "line-length = 120", True),
        ("constraints.txt", "click==", "click==0+", False),
    ],
)
def test_only_what_decides_the_packages_asks_for_a_new_set_up(
    checkout: Path, file: str, old: str, new: str, same: bool
) -> None:
    before, path = environment.fingerprint(), checkout / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert (environment.fingerprint() == before) is same


def test_mirrors_and_proxies_stay_but_other_targets_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"PIP_INDEX_URL": "mirror", "HTTPS_PROXY": "proxy", "HEARTH_PORT": "1"}
    dropped = {
        "PYTHONPATH": "p",
        "PYTHONHOME": "h",
        "PYTHONDONTWRITEBYTECODE": "1",
        "VIRTUAL_ENV": "v",
        "PIP_TARGET": "t",
        "PIP_USER": "1",
        "PIP_CONSTRAINT": "c",
    }
    for name, value in {**kept, **dropped}.items():
        monkeypatch.setenv(name, value)
    ours = environment.own_environment()
    assert kept.items() <= ours.items()
    assert not dropped.keys() & ours.keys()


def python_that_says(folder: Path, answer: str) -> str:
    """Put a stand-in for a Python into a folder."""
    path = folder / "python3.12"
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return str(path)


def test_the_running_python_is_chosen_when_it_is_new_enough() -> None:
    path, version = setup_environment.choose_python()
    assert version == HERE
    assert setup_environment.version_of(path) == sys.version_info[:2]


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [("Python 3.12.4", "3.12"), ("Python 3.9.18", None), ("no such version", None)],
)
def test_an_old_python_looks_for_a_newer_one_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, chosen: str | None
) -> None:
    path = python_that_says(tmp_path, answer)
    monkeypatch.setattr(setup_environment, "RUNNING", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    if chosen:
        assert setup_environment.choose_python() == (path, chosen)
    else:
        with pytest.raises(setup_environment.SetupError, match=r"needs Python 3\.11 or newer"):
            setup_environment.choose_python()


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("/usr/bin/python3: No module named ensurepip", "python3-venv"),
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("[Errno 13] Permission denied: '/srv/hearth/.venv.lock'", "cannot be written"),
        (
            "Retrying after 'NewConnectionError(...)'\nERROR: No matching distribution "
            "found for click",
            "could not be downloaded",
        ),
        ("Building wheel …\nerror: Failed building wheel for uvloop", "no ready-made form"),
    ],
)
def test_a_known_trouble_is_told_in_one_sentence_with_the_line_that_shows_it(
    output: str, sentence: str
) -> None:
    first, second = setup_environment.explain(f"noise\n{output}\nmore noise").splitlines()
    assert sentence in first
    assert second.strip() in output


def test_an_unknown_trouble_shows_the_end_of_the_output_only() -> None:
    shown = setup_environment.explain("\n".join(f"line {number}" for number in range(50)))
    assert "line 49" in shown
    assert "line 39" not in shown


def test_a_failed_command_raises_what_it_said() -> None:
    with pytest.raises(setup_environment.SetupError, match="because of me"):
        setup_environment.run(sys.executable, "-c", "import sys; sys.exit('because of me')")


def test_a_failed_update_leaves_the_environment_as_it_was(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise setup_environment.SetupError("no network")

    monkeypatch.setattr(setup_environment, "install", fail)
    before = environment.read_stamp()
    with pytest.raises(setup_environment.SetupError):
        setup_environment.set_up("docs")
    assert environment.read_stamp() == before


def test_one_process_at_a_time_sets_up(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("a") as first, (tmp_path / "lock").open("a") as second:
        assert setup_environment.try_lock(first)
        assert not setup_environment.try_lock(second)
        first.close()
        assert setup_environment.try_lock(second)


@pytest.mark.parametrize(
    ("code", "result", "shown"),
    [("print('fine')", True, "ok"), ("import sys; sys.exit('a fault')", False, "a fault")],
)
def test_a_check_shows_its_result_and_what_it_found(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    result: bool,
    shown: str,
) -> None:
    monkeypatch.setitem(check.CHECKS, "sample", ("-c", code))
    assert check.passes("sample", Path(sys.executable)) is result
    printed = capsys.readouterr().out
    assert "sample" in printed
    assert shown in printed
    assert "fine" not in printed
