"""The service as a task of Windows that starts at logon."""

import contextlib
import getpass
import os
import signal
import time
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from app.commands.ask.door import LOOK_SECONDS, find_process
from app.commands.service.run_tool import run_tool, try_tool
from app.commands.service.unit import DESCRIPTION, Unit
from app.commands.terminal.command_group import Refused

NAME = "Hearth"
SCHEMA = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
FILE = "service-task.xml"
TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Source>{program}</Source>
    <Description>{description}</Description>
    <Documentation>{data}</Documentation>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <Repetition><Interval>PT5M</Interval></Repetition>
      <UserId>{user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>4</Priority>
    <Hidden>true</Hidden>
    <RestartOnFailure><Interval>PT1M</Interval><Count>5</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec><Command>%SystemRoot%\\System32\\conhost.exe</Command><Arguments>{arguments}</Arguments></Exec>
  </Actions>
</Task>
"""
"""The repetition is what starts a server again that has ended: the scheduler takes only an action
that could not be started for a failure. While one runs, it starts no other. Priority 4 is that of
ordinary programs; without it a task is given time and disk behind all others."""
SPECIAL = '"\r\n%'
"""What a value cannot hold that a shell sets."""
END_SECONDS = 15.0


class WindowsTask:
    """A task of the user's, in the task scheduler."""

    @property
    def file(self) -> Path:
        """The file from which the task is made."""
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "hearth" / FILE

    def install(self, unit: Unit) -> Path:
        """Register the task and start it, now and at each logon."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        text = self.text(unit)
        if self.status() is not None:
            self._end()
        self.file.write_text(text, "utf-16")
        run_tool("schtasks", "/Create", "/TN", NAME, "/XML", str(self.file), "/F")
        run_tool("schtasks", "/Run", "/TN", NAME)
        return self.file

    def remove(self) -> bool:
        """End the task and delete it."""
        if self.status() is None:
            return False
        self._end()
        run_tool("schtasks", "/Delete", "/TN", NAME, "/F")
        self.file.unlink(missing_ok=True)
        return True

    def status(self) -> str | None:
        """Return what the scheduler says, such as Running or Ready."""
        done = try_tool("schtasks", "/Query", "/TN", NAME, "/FO", "CSV", "/NH")
        if done.returncode:
            return None
        # by its place, since the words are those of the system's language
        return done.stdout.strip().rpartition(",")[2].strip('"') or "unknown"

    def program(self) -> Path | None:
        """Return the program that the task runs."""
        found = self._registered("Source")
        return Path(found) if found else None

    def _end(self) -> None:
        """End the task and the server that it has started, which the end of its console may
        leave.
        """
        try_tool("schtasks", "/End", "/TN", NAME)
        data = self._registered("Documentation")
        if not data:
            return
        until = time.monotonic() + END_SECONDS
        while (process := find_process(Path(data))) is not None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGTERM)
            time.sleep(LOOK_SECONDS)

    def _registered(self, name: str) -> str | None:
        try:
            found = ElementTree.fromstring(self.file.read_text("utf-16").partition("?>")[2])  # noqa: S314 - a file of our own
        except (OSError, ValueError, ElementTree.ParseError):
            return None
        return found.findtext(f"{SCHEMA}RegistrationInfo/{SCHEMA}{name}")

    def text(self, unit: Unit) -> str:
        """Return the task as XML.

        A console without a window runs it, and a shell in it sets what a task cannot: variables.
        """
        for name, value in unit.environment.items():
            if any(sign in value for sign in SPECIAL):
                raise Refused(
                    f"{name} holds a quotation mark, a percent sign or a line break, which a task "
                    "cannot be given. Unset it, or put the value into a file where the variable "
                    "has a form that ends in _FILE."
                )
        sets = "".join(f'set "{name}={value}"&& ' for name, value in unit.environment.items())
        command = " ".join(map(quoted, unit.command))
        if sets:
            command = f'cmd.exe /d /s /c "{sets}{command}"'
        user = os.environ.get("USERNAME") or getpass.getuser()
        if domain := os.environ.get("USERDOMAIN"):
            user = f"{domain}\\{user}"
        return TASK.format(
            description=escape(DESCRIPTION),
            user=escape(user),
            program=escape(unit.command[0]),
            data=escape(unit.data),
            arguments=escape(f"--headless {command}"),
        )


def quoted(word: str) -> str:
    """Return a word as Windows and its shell read it as one, whatever signs are in it.

    `list2cmdline` leaves quotes out where no blank is, and then a shell would end the command at
    the & of C:\\R&D.
    """
    escaped, slashes = "", 0
    for sign in word:
        if sign == '"':
            escaped += "\\" * (slashes + 1)
        slashes = slashes + 1 if sign == "\\" else 0
        escaped += sign
    escaped += "\\" * slashes
    return f'"{escaped}"'
