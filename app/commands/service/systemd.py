"""The service as a user unit of systemd."""

import os
import re
from pathlib import Path

from app.commands.service.run_tool import run_tool, try_tool
from app.commands.service.unit import DESCRIPTION, Unit
from app.commands.terminal.command_group import Refused

NAME = "hearth.service"
COMMAND = re.compile(r'^ExecStart="((?:\\.|[^"\\])*)"', re.MULTILINE)
UNIT = """\
[Unit]
Description={description}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart={command}
{environment}Restart=on-failure
RestartSec=5
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


class Systemd:
    """Units of the user, below ~/.config/systemd/user."""

    @property
    def file(self) -> Path:
        """The file of the unit."""
        config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(config) / "systemd" / "user" / NAME

    def install(self, unit: Unit) -> Path:
        """Write the unit, let it start at login, and start it."""
        self._require_manager()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.text(unit), "utf-8")
        run_tool("systemctl", "--user", "daemon-reload")
        run_tool("systemctl", "--user", "enable", NAME)
        run_tool("systemctl", "--user", "restart", NAME)
        return self.file

    def remove(self) -> bool:
        """Stop the unit and delete its file."""
        if not self.file.exists():
            return False
        self._require_manager()
        try_tool("systemctl", "--user", "disable", "--now", NAME)
        self.file.unlink()
        run_tool("systemctl", "--user", "daemon-reload")
        return True

    def status(self) -> str | None:
        """Return what systemd says: active, inactive, failed or so."""
        if not self.file.exists():
            return None
        self._require_manager()
        return try_tool("systemctl", "--user", "is-active", NAME).stdout.strip() or "unknown"

    def program(self) -> Path | None:
        """Return the program that the unit runs."""
        try:
            found = COMMAND.search(self.file.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        if found is None:
            return None
        word = re.sub(r"\\(.)", r"\1", found[1])
        return Path(word.replace("%%", "%").replace("$$", "$"))

    def text(self, unit: Unit) -> str:
        """Return the unit's file."""
        lines = "".join(
            f"Environment={_quoted(f'{name}={value}')}\n"
            for name, value in unit.environment.items()
        )
        command = " ".join(_quoted(word.replace("$", "$$")) for word in unit.command)
        return UNIT.format(description=DESCRIPTION, command=command, environment=lines)

    def _require_manager(self) -> None:
        if try_tool("systemctl", "--user", "show-environment").returncode:
            raise Refused(
                "There is no systemd for this user here, as in a container or after `su`. Log in "
                "as that user, or start `hearth serve` in another way."
            )


def _quoted(word: str) -> str:
    """Return a word as systemd reads it as one, without its specifiers."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'
