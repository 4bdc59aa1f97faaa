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
    desktop = _claude_desktop(platform, environ, home) or programs / "Claude"
    code = Path(environ.get("CLAUDE_CONFIG_DIR") or home)
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    gemini = Path(environ.get("GEMINI_CLI_HOME") or home)
    zed = home / ".config/zed" if platform == "darwin" else programs / "zed"
    if platform == "win32":
        zed = programs / "Zed"
    found = {
        "claude-desktop": Client("Claude Desktop", desktop / "claude_desktop_config.json"),
        "claude-code": Client("Claude Code", code / ".claude.json", beside=stdio),
        "cursor": Client("Cursor", home / ".cursor/mcp.json"),
        "vscode": Client("VS Code", programs / "Code/User/mcp.json", "servers", beside=stdio),
        "codex": Client("Codex", codex / "config.toml", "mcp_servers", "toml"),
        "gemini": Client("Gemini CLI", gemini / ".gemini/settings.json"),
        "zed": Client(
            "Zed", zed / "settings.json", "context_servers", after="It connects at once."
        ),
        "lmstudio": Client(
            "LM Studio", _lm_studio(home) / "mcp.json", after="It connects at once."
        ),
    }
    return found


def _programs(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Return the directory in which programs keep their settings."""
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData/Roaming")
    if platform == "darwin":
        return home / "Library/Application Support"
    chosen = Path(environ.get("XDG_CONFIG_HOME") or "")
    return chosen if chosen.is_absolute() else home / ".config"


def _claude_desktop(platform: str, environ: Mapping[str, str], home: Path) -> Path | None:
    """Return where Claude Desktop for Windows keeps its settings as a packaged program.

    Newer packages keep them beside all others, older ones among what is theirs alone.
    """
    if platform != "win32":
        return None
    local = Path(environ.get("LOCALAPPDATA") or home / "AppData/Local")
    newer = sorted(local.glob("Claude-Data/[Cc]laude_*"))
    older = sorted(local.glob("Packages/Claude_*/LocalCache/Roaming"))
    return next(iter([*newer, *(path / "Claude" for path in older)]), None)


def _lm_studio(home: Path) -> Path:
    """Return the directory of LM Studio: the one that it notes, else an old or the usual one."""
    try:
        noted = (home / ".lmstudio-home-pointer").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        noted = ""
    old = home / ".cache/lm-studio"
    return Path(noted) if noted else old if old.is_dir() else home / ".lmstudio"
