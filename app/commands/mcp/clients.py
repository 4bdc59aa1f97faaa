"""The desktop agents that `hearth connect` knows: where each keeps its servers, in what form."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

Format = Literal["json", "toml"]


class Client(NamedTuple):
    """A desktop agent.

    `section` is where its servers stand in its configuration, `beside` what an entry needs besides
    the command.
    """

    title: str
    path: Path
    section: str = "mcpServers"
    format: Format = "json"
    beside: Mapping[str, Any] = {}
    after: str = "Restart it to connect."


def clients(
    platform: str = sys.platform, environ: Mapping[str, str] = os.environ
) -> dict[str, Client]:
    """Return the agents by the names that the command line has for them."""
    home = Path(environ.get("USERPROFILE" if platform == "win32" else "HOME") or Path.home())
    programs = _programs(platform, environ, home)
    stdio = {"type": "stdio"}
    zed = programs / "Zed" if platform == "win32" else home / ".config" / "zed"
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    found = {
        "claude-desktop": Client("Claude Desktop", programs / "Claude/claude_desktop_config.json"),
        "claude-code": Client("Claude Code", home / ".claude.json", beside=stdio),
        "cursor": Client("Cursor", home / ".cursor/mcp.json"),
        "vscode": Client("VS Code", programs / "Code/User/mcp.json", "servers", beside=stdio),
        "codex": Client("Codex", codex / "config.toml", "mcp_servers", "toml"),
        "gemini": Client("Gemini CLI", home / ".gemini/settings.json"),
        "zed": Client(
            "Zed", zed / "settings.json", "context_servers", after="It connects at once."
        ),
        "lmstudio": Client("LM Studio", home / ".lmstudio/mcp.json", after="It connects at once."),
    }
    return found


def _programs(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Return the directory in which programs keep their settings."""
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData/Roaming")
    if platform == "darwin":
        return home / "Library/Application Support"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
