"""The service as an agent of launchd, on macOS."""

import os
import plistlib
import time
from pathlib import Path

from app.commands.service.run_tool import run_tool, try_tool
from app.commands.service.unit import Unit

LABEL = "org.hearth.server"
LOOK_SECONDS = 0.5
END_SECONDS = 35.0
"""Longer than the agent is given to end."""
LOAD_SECONDS = 15.0
BUSY = 5


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
        text = self.text(unit)
        self._stop()
        self.file.write_text(text, "utf-8")
        # one that was switched off in the settings of the system could not be loaded
        try_tool("launchctl", "enable", self._target)
        self._load()
        return self.file

    def remove(self) -> bool:
        """Stop the agent and delete its file."""
        if not self.file.exists():
            return False
        self._stop()
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

    def program(self) -> Path | None:
        """Return the program that the agent runs."""
        try:
            return Path(plistlib.loads(self.file.read_bytes())["ProgramArguments"][0])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _stop(self) -> None:
        """Unload the agent, and wait until launchd has let go of its server."""
        if try_tool("launchctl", "bootout", self._target).returncode:
            return
        until = time.monotonic() + END_SECONDS
        while not try_tool("launchctl", "print", self._target).returncode:
            if time.monotonic() > until:
                return
            time.sleep(LOOK_SECONDS)

    def _load(self) -> None:
        """Load the agent; for some seconds after one was unloaded launchd refuses its label."""
        words = ("launchctl", "bootstrap", self._domain, str(self.file))
        until = time.monotonic() + LOAD_SECONDS
        while try_tool(*words).returncode == BUSY and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        if try_tool("launchctl", "print", self._target).returncode:
            run_tool(*words)

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
