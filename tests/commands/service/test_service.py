"""`hearth service`: the files for systemd, launchd and Windows, and what is said without them."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from app.commands.service import launchd, run_tool, service, systemd, unit
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
    # the keys that launchd.plist(5) has, with its types
    documented = {
        "Label": str,
        "ProgramArguments": list,
        "EnvironmentVariables": dict,
        "RunAtLoad": bool,
        "KeepAlive": dict,
        "ThrottleInterval": int,
        "ExitTimeOut": int,
        "Umask": int,
        "ProcessType": str,
        "StandardOutPath": str,
        "StandardErrorPath": str,
    }
    assert {name: type(value) for name, value in found.items()} == documented
    assert Launchd().file.name == f"{found['Label']}.plist"


def words_as_windows_reads(line: str) -> list[str]:
    """Read a line of words in quotes by the rules of the C runtime."""
    words, word, inside, at = [], "", False, 0
    while at < len(line):
        slashes = len(line[at:]) - len(line[at:].lstrip("\\"))
        if line[at + slashes : at + slashes + 1] == '"':
            word += "\\" * (slashes // 2)
            inside, word = (inside, word + '"') if slashes % 2 else (not inside, word)
            at += slashes + 1
        elif line[at] == " " and not inside:
            words, word, at = [*words, word], "", at + 1
        else:
            word, at = word + line[at], at + 1
    return [*words, word]


def has_task_order(root: ET.Element) -> bool:
    """Whether the parts whose order the schema of tasks prescribes are in it."""
    orders = {
        "Task": "RegistrationInfo Triggers Principals Settings Data Actions",
        "LogonTrigger": "Enabled StartBoundary EndBoundary Repetition UserId Delay",
        "Exec": "Command Arguments WorkingDirectory",
    }
    for name, order in orders.items():
        for part in [root, *root.iter()]:
            if part.tag == TASK + name:
                held = [child.tag.removeprefix(TASK) for child in part]
                if held != [each for each in order.split() if each in held]:
                    return False
    return True


@pytest.mark.parametrize(
    "data", ["C:\\R&D\\Müller", "C:\\Users\\Ann O'Neil\\my data\\", "D:\\(a)^b|c", "C:\\日本 <x>"]
)
def test_the_task_of_windows_is_a_task_that_runs_the_command(data: str) -> None:
    unit_ = Unit(("C:\\R&D\\hearth.exe", "serve", "--no-open", "--data", data), UNIT.environment)
    text = WindowsTask().text(unit_)
    root = ET.fromstring(text.partition("?>")[2])
    assert has_task_order(root)
    assert (
        text.encode("utf-16").decode("utf-16").startswith('<?xml version="1.0" encoding="UTF-16"?>')
    )
    arguments = root.findtext(f".//{TASK}Arguments") or ""
    assert root.findtext(f".//{TASK}Command") == "%SystemRoot%\\System32\\conhost.exe"
    shell = arguments.removeprefix('--headless cmd.exe /d /s /c "').removesuffix('"')
    sets, command = shell.rsplit('"&& ', 1)
    assert sets.split('"&& ') == [
        f'set "{name}={value}' for name, value in unit_.environment.items()
    ]
    assert words_as_windows_reads(command) == list(unit_.command)
    # nothing that the shell reads as its own stands outside of quotes
    assert not set("&|<>^()") & set("".join(command.split('"')[::2]))
    plain = ET.fromstring(WindowsTask().text(unit_._replace(environment={})).partition("?>")[2])
    alone = (plain.findtext(f".//{TASK}Arguments") or "").removeprefix("--headless ")
    assert words_as_windows_reads(alone) == list(unit_.command)
    settings = {part.tag.removeprefix(TASK): part.text for part in root.iter()}
    assert settings["LogonType"] == "InteractiveToken"
    assert settings["ExecutionTimeLimit"] == "PT0S"
    assert settings["DisallowStartIfOnBatteries"] == settings["StopIfGoingOnBatteries"] == "false"
    assert settings["MultipleInstancesPolicy"] == "IgnoreNew"
    assert 4 <= int(settings["Priority"] or 7) <= 6
    # the one interval that brings back a server that has failed
    assert root.findtext(f".//{TASK}Repetition/{TASK}Interval") == "PT5M"


def test_what_a_task_cannot_be_given_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ('a"b', "100%", "two\nlines"):
        with pytest.raises(service.Refused, match="HEARTH_X holds a quotation mark"):
            WindowsTask().text(UNIT._replace(environment={"HEARTH_X": value}))


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
    tools = Tools(
        monkeypatch,
        {"print": (0, "x = {\n\tstate = running\n}\n"), "bootout": (3, "No such process")},
    )
    manager = Launchd()
    assert manager.status() is None
    file = manager.install(UNIT)
    assert file == home / "Library/LaunchAgents/org.hearth.server.plist"
    assert tools.asked[-2].startswith("launchctl bootstrap gui")
    assert manager.status() == "running"
    assert manager.remove()
    assert not manager.remove()


def test_launchd_gets_the_time_to_let_go_of_the_former_one(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launchd, "LOOK_SECONDS", 0)
    tools = Tools(monkeypatch, {"bootout": (0, ""), "print": (0, "state = running")})
    counted: list[str] = []

    def run(words: list[str], **_: object) -> "subprocess.CompletedProcess[str]":
        asked = words[1]
        counted.append(asked)
        busy = {"print": counted.count("print") == 3, "bootstrap": counted.count("bootstrap") < 4}
        code = 5 if busy.get(asked) else 0
        return subprocess.CompletedProcess(words, code, "state = running\n", "")

    monkeypatch.setattr(run_tool.subprocess, "run", run)
    Launchd().install(UNIT)
    assert counted == ["bootout", *["print"] * 3, "enable", *["bootstrap"] * 4, "print"]
    assert tools.asked == []


def test_windows_is_told_to_start_it_now_and_at_logon(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(home / "Local"))
    tools = Tools(monkeypatch, {"/Query": (1, "ERROR")})
    manager = WindowsTask()
    file = manager.install(UNIT)
    assert file == home / "Local/hearth/service-task.xml"
    assert tools.asked == [
        "schtasks /Query /TN Hearth /FO CSV /NH",
        f"schtasks /Create /TN Hearth /XML {file} /F",
        "schtasks /Run /TN Hearth",
    ]
    assert file.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")
    tools.answers["/Query"] = (0, '"\\Hearth","N/A","Running"\n')
    assert manager.status() == "Running"
    assert manager.program() == Path(UNIT.command[0])
    # installed again it is ended first, since a second one is not started beside it
    tools.asked.clear()
    manager.install(UNIT._replace(command=("/new/hearth", *UNIT.command[1:])))
    assert [asked.split()[1] for asked in tools.asked] == ["/Query", "/End", "/Create", "/Run"]
    assert manager.program() == Path("/new/hearth")
    assert manager.remove()
    tools.answers["/Query"] = (1, "ERROR")
    assert manager.status() is None
    assert manager.program() is None
    assert not manager.remove()


def test_a_server_that_the_end_of_a_task_leaves_is_ended(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(home / "Local"))
    Tools(monkeypatch, {"/Query": (0, '"\\Hearth","N/A","Running"\n')})
    left = start(home / "data", "--user", "ann")
    command = ("hearth", "serve", "--no-open", "--data", str(home / "data"))
    manager = WindowsTask()
    manager.file.parent.mkdir(parents=True)
    manager.file.write_text(manager.text(Unit(command, {})), "utf-16")
    assert manager.remove()
    assert left.process.wait(20) == 0
    rest(left)


@pytest.mark.parametrize("manager", [Systemd(), Launchd()])
def test_a_program_that_is_gone_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, manager: Manager
) -> None:
    Tools(
        monkeypatch,
        {"is-active": (3, "failed\n"), "print": (0, "state = exited\n"), "bootout": (3, "")},
    )
    monkeypatch.setattr(service, "find_manager", lambda: manager)
    gone = home / 'old "venv" 50% $HOME/hearth'
    manager.install(UNIT._replace(command=(str(gone), *UNIT.command[1:])))
    assert manager.program() == gone
    ended = hearth("service", "status", data=home / "data")
    assert ended.exit_code == 1
    assert f"The program that it starts is gone: {gone}." in ended.stderr
    gone.parent.mkdir()
    gone.touch()
    assert hearth("service", "status", data=home / "data").exit_code == 0


def test_places_are_named_in_full_since_a_service_starts_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEARTH_MODEL_KEY_FILE", "secrets/model")
    monkeypatch.setenv("HEARTH_MODELS", "models")
    made = unit.own_unit(tmp_path, port=None)
    assert made.environment["HEARTH_MODEL_KEY_FILE"] == str(tmp_path / "secrets/model")
    assert made.environment["HEARTH_MODELS"] == str(tmp_path / "models")


@pytest.mark.parametrize("manager", [Systemd(), Launchd(), WindowsTask()])
def test_a_tool_that_fails_is_said_in_its_words(
    home: Path, monkeypatch: pytest.MonkeyPatch, manager: Manager
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(home / "Local"))
    refusing = ("enable", "bootstrap", "/Create")
    monkeypatch.setattr(launchd, "LOAD_SECONDS", 0)
    Tools(monkeypatch, {"print": (113, "")} | dict.fromkeys(refusing, (1, "Access is denied.\n")))
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
