"""The service as an agent of launchd, on macOS."""

import os
import plistlib
from pathlib import Path

from app.commands.service.run_tool import run_tool, try_tool
from app.commands.service.unit import Unit

LABEL = "org.hearth.server"


class Launchd:
    """Agents of the user, below ~/Library/LaunchAgents."""

    @property
    def file(self) -> Path:
        """The file of the agent."""
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"

    def install(self, unit: Unit) -> Path:
        """Write the agent and start it, now and at each login."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._log.parent.mkdir(parents=True, exist_ok=True)
        try_tool("launchctl", "bootout", self._target)
        self.file.write_text(self.text(unit), "utf-8")
        run_tool("launchctl", "bootstrap", self._domain, str(self.file))
        return self.file

    def remove(self) -> bool:
        """Stop the agent and delete its file."""
        if not self.file.exists():
            return False
        try_tool("launchctl", "bootout", self._target)
        self.file.unlink()
        return True

    def status(self) -> str | None:
        """Return what launchd says: running, not running or so."""
        if not self.file.exists():
            return None
        done = try_tool("launchctl", "print", self._target)
        states = [
            line.partition("=")[2].strip()
            for line in done.stdout.splitlines()
            if line.strip().startswith("state =")
        ]
        return states[0] if states else "not loaded"

    def text(self, unit: Unit) -> str:
        """Return the agent's property list."""
        return plistlib.dumps(
            {
                "Label": LABEL,
                "ProgramArguments": list(unit.command),
                "EnvironmentVariables": dict(unit.environment),
                "RunAtLoad": True,
                "KeepAlive": {"SuccessfulExit": False},
                "ThrottleInterval": 5,
                "ExitTimeOut": 30,
                "Umask": 0o077,
                "ProcessType": "Interactive",
                "StandardOutPath": str(self._log),
                "StandardErrorPath": str(self._log),
            },
            sort_keys=False,
        ).decode("utf-8")

    @property
    def _log(self) -> Path:
        return Path.home() / "Library" / "Logs" / "hearth.log"

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}" if hasattr(os, "getuid") else "gui"

    @property
    def _target(self) -> str:
        return f"{self._domain}/{LABEL}"
