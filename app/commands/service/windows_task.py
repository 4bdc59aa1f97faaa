"""The service as a task of Windows that starts at logon."""

import getpass
import os
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from app.commands.ask.locate_data import data_directory, read_settings
from app.commands.service.run_tool import run_tool, try_tool
from app.commands.service.unit import DESCRIPTION, Unit

NAME = "Hearth"
FILE = "service-task.xml"
TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>{description}</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>{user}</UserId></LogonTrigger></Triggers>
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
    <Hidden>true</Hidden>
    <RestartOnFailure><Interval>PT1M</Interval><Count>5</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec><Command>{program}</Command><Arguments>{arguments}</Arguments></Exec>
  </Actions>
</Task>
"""


class WindowsTask:
    """A task of the user's, in the task scheduler."""

    @property
    def file(self) -> Path:
        """The file from which the task is made."""
        return data_directory(read_settings()) / FILE

    def install(self, unit: Unit) -> Path:
        """Register the task and start it, now and at each logon."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.text(unit), "utf-16")
        run_tool("schtasks", "/Create", "/TN", NAME, "/XML", str(self.file), "/F")
        run_tool("schtasks", "/Run", "/TN", NAME)
        return self.file

    def remove(self) -> bool:
        """End the task and delete it."""
        if self.status() is None:
            return False
        try_tool("schtasks", "/End", "/TN", NAME)
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

    def text(self, unit: Unit) -> str:
        """Return the task as XML.

        A console without a window runs it, and a shell in it sets what a task cannot: variables.
        """
        sets = "".join(f'set "{name}={value}"&& ' for name, value in unit.environment.items())
        command = subprocess.list2cmdline(unit.command)
        if sets:
            command = f'cmd.exe /d /s /c "{sets}{command}"'
        domain = os.environ.get("USERDOMAIN")
        user = f"{domain}\\{getpass.getuser()}" if domain else getpass.getuser()
        return TASK.format(
            description=escape(DESCRIPTION),
            user=escape(user),
            program="conhost.exe",
            arguments=escape(f"--headless {command}"),
        )
