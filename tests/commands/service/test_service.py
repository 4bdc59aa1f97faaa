"""`hearth service`: the files for systemd, launchd and Windows, and what is said without them."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from app.commands.service import run_tool, service, systemd, unit
from app.commands.service.launchd import Launchd
from app.commands.service.systemd import Systemd
from app.commands.service.unit import Manager, Unit
from app.commands.service.windows_task import WindowsTask
from tests.support.command_line import Running, done, hearth, refused, rest, start

UNIT = Unit(
    ("/opt/my apps/hearth", "serve", "--no-open", "--data", '/home/ann/50% "of" $HOME & more'),
    {"HEARTH_PORT": "9000", "HEARTH_PUBLIC_URL": "https://x.example/?a=1&b=<2>"},
)
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


class Tools:
    """Stands for the tools of a system: keeps what they were told, and answers as they would."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, answers: dict[str, tuple[int, str]]
    ) -> None:
        self.asked: list[str] = []
        self.answers = answers
        monkeypatch.setattr(run_tool.shutil, "which", lambda name: f"/usr/bin/{name}")
        monkeypatch.setattr(run_tool.subprocess, "run", self._run)

    def _run(self, words: list[str], **_: object) -> "subprocess.CompletedProcess[str]":
        said = " ".join([Path(words[0]).name, *words[1:]])
        self.asked.append(said)
        code, out = next((answer for part, answer in self.answers.items() if part in said), (0, ""))
        return subprocess.CompletedProcess(words, code, out, out if code else "")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


def words_as_systemd_reads(line: str) -> list[str]:
    """Read a line of double-quoted words by the rules of systemd.syntax(7)."""
    words, rest_ = [], line
    while rest_:
        assert rest_[0] == '"', line
        word, at = "", 1
        while rest_[at] != '"':
            at += rest_[at] == "\\"
            word += rest_[at]
            at += 1
        words.append(word.replace("%%", "%"))
        rest_ = rest_[at + 1 :].lstrip(" ")
    return words


def test_the_unit_runs_exactly_the_command(home: Path) -> None:
    lines = dict(line.split("=", 1) for line in Systemd().text(UNIT).splitlines() if "=" in line)
    read = words_as_systemd_reads(lines["ExecStart"])
    assert [word.replace("$$", "$") for word in read] == list(UNIT.command)
    settings = [
        words_as_systemd_reads(line.split("=", 1)[1])[0]
        for line in Systemd().text(UNIT).splitlines()
        if line.startswith("Environment=")
    ]
    assert settings == [f"{name}={value}" for name, value in UNIT.environment.items()]
    assert lines["WantedBy"] == "default.target"
    assert lines["Restart"] == "on-failure"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    file = tmp_path / systemd.NAME
    file.write_text(Systemd().text(UNIT._replace(command=("/bin/true", *UNIT.command[1:]))))
    ended = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert systemd.NAME not in ended.stderr
    assert ended.returncode == 0, ended.stderr


def test_the_agent_of_launchd_runs_exactly_the_command(home: Path) -> None:
    found = plistlib.loads(Launchd().text(UNIT).encode())
    assert found["ProgramArguments"] == list(UNIT.command)
    assert found["EnvironmentVariables"] == UNIT.environment
    assert found["RunAtLoad"] is True
    assert found["KeepAlive"] == {"SuccessfulExit": False}


def test_the_task_of_windows_is_a_task_that_runs_the_command() -> None:
    root = ET.fromstring(WindowsTask().text(UNIT).partition("?>")[2])
    command = root.findtext(f".//{TASK}Command")
    arguments = root.findtext(f".//{TASK}Arguments")
    assert command == "conhost.exe"
    assert arguments is not None
    assert subprocess.list2cmdline(UNIT.command) in arguments
    assert 'set "HEARTH_PORT=9000"&& ' in arguments
    assert root.find(f".//{TASK}LogonTrigger") is not None
    assert root.findtext(f".//{TASK}ExecutionTimeLimit") == "PT0S"
    plain = ET.fromstring(WindowsTask().text(UNIT._replace(environment={})).partition("?>")[2])
    assert plain.findtext(f".//{TASK}Arguments") == "--headless " + subprocess.list2cmdline(
        UNIT.command
    )


def test_systemd_is_told_to_start_it_now_and_at_login(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = Tools(monkeypatch, {"is-active": (0, "active\n")})
    manager = Systemd()
    assert manager.status() is None
    assert not manager.remove()
    file = manager.install(UNIT)
    assert file == home / ".config/systemd/user/hearth.service"
    assert tools.asked[-3:] == [
        "systemctl --user daemon-reload",
        "systemctl --user enable hearth.service",
        "systemctl --user restart hearth.service",
    ]
    assert manager.status() == "active"
    assert manager.remove()
    assert "systemctl --user disable --now hearth.service" in tools.asked
    assert not file.exists()


def test_launchd_is_told_to_start_it_now_and_at_login(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = Tools(monkeypatch, {"print": (0, "x = {\n\tstate = running\n}\n")})
    manager = Launchd()
    assert manager.status() is None
    file = manager.install(UNIT)
    assert file == home / "Library/LaunchAgents/org.hearth.server.plist"
    assert tools.asked[-1].startswith("launchctl bootstrap gui")
    assert manager.status() == "running"
    assert manager.remove()
    assert not manager.remove()


def test_windows_is_told_to_start_it_now_and_at_logon(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_DATA", str(home / "data"))
    tools = Tools(monkeypatch, {"/Query": (0, '"\\Hearth","N/A","Running"\n')})
    manager = WindowsTask()
    file = manager.install(UNIT)
    assert tools.asked == [
        f"schtasks /Create /TN Hearth /XML {file} /F",
        "schtasks /Run /TN Hearth",
    ]
    assert file.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert manager.status() == "Running"
    assert manager.remove()
    tools.answers["/Query"] = (1, "ERROR")
    assert manager.status() is None
    assert not manager.remove()


@pytest.mark.parametrize("manager", [Systemd(), Launchd(), WindowsTask()])
def test_a_tool_that_fails_is_said_in_its_words(
    home: Path, monkeypatch: pytest.MonkeyPatch, manager: Manager
) -> None:
    monkeypatch.setenv("HEARTH_DATA", str(home / "data"))
    refusing = ("enable", "bootstrap", "/Create")
    Tools(monkeypatch, dict.fromkeys(refusing, (1, "Access is denied.\n")))
    with pytest.raises(service.Refused, match=r"failed: Access is denied\.$"):
        manager.install(UNIT)


def test_no_secret_comes_into_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEARTH_MODEL_KEY", "sk-very-secret")
    monkeypatch.setenv("HEARTH_MODEL_KEY_FILE", "/run/secrets/model")
    monkeypatch.setenv("HEARTH_PORT", "9000")
    made = unit.own_unit(tmp_path, port=None)
    assert "sk-very-secret" not in str(made)
    assert made.environment["HEARTH_MODEL_KEY_FILE"] == "/run/secrets/model"
    assert made.environment["HEARTH_PORT"] == "9000"
    assert made.command[-4:] == ("serve", "--no-open", "--data", str(tmp_path))


def test_the_command_of_the_service_runs(tmp_path: Path) -> None:
    program = unit.own_unit(tmp_path / "data", port=None).command
    ended = subprocess.run(
        [*program[: program.index("serve")], "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert ended.stdout.startswith("hearth ")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have a manager always")
class TestRefusals:
    """What is said where no service can be."""

    def test_a_system_without_systemd(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service.shutil, "which", lambda _: None)
        for words in (("install",), ("status",), ("remove",)):
            assert refused("service", *words).startswith("This system has no systemd")

    def test_a_systemd_that_is_not_this_users(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Tools(monkeypatch, {"show-environment": (1, "Failed to connect to bus")})
        assert refused("service", "install", data=home / "data").startswith(
            "There is no systemd for this user here"
        )
        assert not Systemd().file.exists()

    def test_what_is_not_installed(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Tools(monkeypatch, {})
        ended = hearth("service", "status", data=home / "data")
        assert (ended.exit_code, ended.stdout) == (
            3,
            "The service is not installed. No server answers.\n",
        )
        assert refused("service", "remove") == "The service is not installed."

    def test_a_server_that_runs_already(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        running: Running = start(home / "data", "--user", "ann")
        Tools(monkeypatch, {})
        assert refused("service", "install", data=home / "data").startswith(
            "A server is running already."
        )
        assert running.end() == 0
        rest(running)
        said = done("service", "install", data=home / "data")
        assert said.startswith(f"Installed {Systemd().file}. Hearth starts now and at each login")
        assert "--print" not in Systemd().file.read_text()
        assert done("service", "remove") == "Removed the service. Your data is where it was.\n"

    def test_the_file_can_be_looked_at_first(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Tools(monkeypatch, {})
        said = done("service", "install", "--print", "--port", "9000", data=home / "data")
        assert '"--port" "9000"' in said
        assert not Systemd().file.exists()
