"""`hearth connect`: one entry more in a file that somebody else writes, and nothing else."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from app.__main__ import hearth
from app.commands.mcp import config_text, connect
from app.commands.mcp.clients import clients
from app.commands.mcp.config_text import Unreadable, with_entry_json, with_entry_toml
from app.settings import Settings

ENTRY = {"command": "/opt/hearth", "args": ["mcp", "--key", "4"]}
COMMENTED = """// mine
{
    // the first
    "mcpServers": {
        "other": { "command": "x", "args": ["a//b", "{"] }, // keep this
    },
    /* and this */ "theme": "dark",
}
"""


@pytest.fixture
def home(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any agent, and Hearth with one user."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in (
        "XDG_CONFIG_HOME",
        "APPDATA",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "GEMINI_CLI_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    assert run(data, "user", "add", "alice").exit_code == 0
    return home


def run(data: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(hearth, [*arguments, "--data", str(data)], input=answer)


def keys(data: Path) -> list[dict[str, object]]:
    found = json.loads(run(data, "key", "list", "--json").stdout)["keys"]
    assert isinstance(found, list)
    return found


def test_the_change_is_shown_and_made_with_a_backup_and_a_key_of_its_own(
    home: Path, data: Path
) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(COMMENTED, "utf-8")
    done = run(data, "connect", "cursor", "--yes")
    assert done.exit_code == 0, done.output
    assert '+        "hearth": {' in done.output
    held = config_text.read_json(file.read_text("utf-8"))
    (key,) = keys(data)
    assert held["mcpServers"]["hearth"]["args"][-2:] == ["--key", str(key["id"])]
    assert held["mcpServers"]["other"] == {"command": "x", "args": ["a//b", "{"]}
    assert (home / ".cursor" / "mcp.json.hearth-backup-1").read_text("utf-8") == COMMENTED
    assert key["name"] == "Cursor"
    assert "os.notes:write" in str(key["scopes"])
    assert "*" not in str(key["scopes"])
    assert "account:manage" not in str(key["scopes"])
    assert str(key["last4"]) not in done.output


def test_connecting_again_changes_nothing(home: Path, data: Path) -> None:
    assert run(data, "connect", "zed", "--yes").exit_code == 0
    file = home / ".config" / "zed" / "settings.json"
    before = file.read_text("utf-8")
    again = run(data, "connect", "zed", "--yes")
    assert "connected already" in again.output
    assert file.read_text("utf-8") == before
    assert len(keys(data)) == 1
    assert "connected" in run(data, "connect").output


def test_printing_writes_nothing_and_makes_no_key(home: Path, data: Path) -> None:
    done = run(data, "connect", "vscode", "--print")
    assert done.exit_code == 0
    assert '"servers"' in done.output
    assert keys(data) == []
    assert list(home.iterdir()) == []


def test_without_a_yes_nothing_is_written(home: Path, data: Path) -> None:
    done = run(data, "connect", "gemini", answer="y\n")
    assert done.exit_code == 1
    assert "--yes" in done.output
    assert keys(data) == []
    assert list(home.iterdir()) == []


def test_a_read_only_agent_gets_a_key_that_changes_nothing(home: Path, data: Path) -> None:
    assert run(data, "connect", "claude-code", "--read-only", "--yes").exit_code == 0
    (key,) = keys(data)
    assert {str(scope).partition(":")[2] for scope in key["scopes"]} == {"read"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ["[1, 2]", "{", '{"mcpServers": []}', '{"mcpServers": {"hearth": 3}}', "nonsense"]
)
def test_a_file_that_is_not_understood_is_left_alone(home: Path, data: Path, text: str) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    done = run(data, "connect", "cursor", "--yes")
    assert done.exit_code == 1
    assert "by hand" in done.output
    assert file.read_text("utf-8") == text
    assert keys(data) == []


def test_a_link_to_the_file_stays_a_link(home: Path, data: Path) -> None:
    kept = home / "dotfiles"
    kept.mkdir()
    (kept / "mcp.json").write_text("{}", "utf-8")
    (home / ".lmstudio").mkdir()
    (home / ".lmstudio" / "mcp.json").symlink_to(kept / "mcp.json")
    assert run(data, "connect", "lmstudio", "--yes").exit_code == 0
    assert (home / ".lmstudio" / "mcp.json").is_symlink()
    assert "hearth" in (kept / "mcp.json").read_text("utf-8")


def test_an_unknown_agent_is_named(home: Path, data: Path) -> None:
    done = run(data, "connect", "emacs\x1b[31m")
    assert done.exit_code == 2
    assert "claude-desktop" in done.output
    assert "\x1b" not in done.output


def test_open_webui_is_told_what_to_enter(home: Path, data: Path) -> None:
    assert "/mcp" in run(data, "connect", "open-webui").output


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", '{\n  "s": {\n    "hearth": {}\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "hearth": {}\n  }\n}'),
        ('{"s": {}}', '{"s": {\n  "hearth": {}\n}}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"s": {\n\t\t"hearth": {}\n\t}\n}\n'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "s": {\r\n    "hearth": {}\r\n  }\r\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "s": {\n    "hearth": {}\n  }\n}'),
        ('\ufeff{"s": {}}', '\ufeff{"s": {\n  "hearth": {}\n}}'),
        ("{ // nothing\n}", '{ // nothing\n  "s": {\n    "hearth": {}\n  }\n}'),
    ],
)
def test_an_entry_is_put_where_it_belongs_in_the_form_of_the_file(text: str, wanted: str) -> None:
    assert with_entry_json(text, "s", "hearth", {}) == wanted


def test_an_entry_that_is_there_keeps_what_its_user_has_added() -> None:
    text = '{"mcpServers": {"hearth": {"command": "old", "disabled": true}, "b": 1}} // end'
    made = with_entry_json(text, "mcpServers", "hearth", ENTRY)
    held = config_text.read_json(made)["mcpServers"]
    assert held == {"hearth": {**ENTRY, "disabled": True}, "b": 1}
    assert made.endswith(', "b": 1}} // end')


def test_toml_keeps_its_comments_and_its_other_tables() -> None:
    text = 'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "y"\n'
    once = with_entry_toml(text, "mcp_servers", "hearth", ENTRY)
    assert once.startswith(text)
    more = once.replace('"4"]', '"4"]\nenabled = false # for now\n\n[after]\nx = 1')
    again = with_entry_toml(more, "mcp_servers", "hearth", {**ENTRY, "command": "/new"})
    held = tomllib.loads(again)
    assert held["mcp_servers"]["hearth"] == {**ENTRY, "command": "/new", "enabled": False}
    assert "# for now" in again
    assert held["after"] == {"x": 1}


@pytest.mark.parametrize("text", ["a = ", 'mcp_servers = "x"', "mcp_servers = { hearth = { } }"])
def test_toml_that_cannot_take_the_entry_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        with_entry_toml(text, "mcp_servers", "hearth", ENTRY)


@pytest.mark.parametrize(
    ("platform", "environ", "agent", "path"),
    [
        ("linux", {"HOME": "/h"}, "claude-desktop", "/h/.config/Claude/claude_desktop_config.json"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "vscode", "/c/Code/User/mcp.json"),
        (
            "darwin",
            {"HOME": "/h"},
            "claude-desktop",
            "/h/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("darwin", {"HOME": "/h"}, "zed", "/h/.config/zed/settings.json"),
        ("win32", {"USERPROFILE": "/u", "APPDATA": "/u/R"}, "zed", "/u/R/Zed/settings.json"),
        ("win32", {"USERPROFILE": "/u"}, "vscode", "/u/AppData/Roaming/Code/User/mcp.json"),
        ("linux", {"HOME": "/h", "CODEX_HOME": "/x"}, "codex", "/x/config.toml"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "zed", "/c/zed/settings.json"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "c"}, "zed", "/h/.config/zed/settings.json"),
        ("darwin", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "zed", "/h/.config/zed/settings.json"),
        ("darwin", {"HOME": "/h"}, "vscode", "/h/Library/Application Support/Code/User/mcp.json"),
        (
            "win32",
            {"USERPROFILE": "/u", "APPDATA": "/u/R"},
            "claude-desktop",
            "/u/R/Claude/claude_desktop_config.json",
        ),
        ("linux", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/x"}, "claude-code", "/x/.claude.json"),
        ("darwin", {"HOME": "/h"}, "claude-code", "/h/.claude.json"),
        ("win32", {"USERPROFILE": "/u", "HOME": "/h"}, "claude-code", "/u/.claude.json"),
        ("win32", {"USERPROFILE": "/u"}, "codex", "/u/.codex/config.toml"),
        ("darwin", {"HOME": "/h"}, "codex", "/h/.codex/config.toml"),
        ("win32", {"USERPROFILE": "/u"}, "gemini", "/u/.gemini/settings.json"),
        ("linux", {"HOME": "/h", "GEMINI_CLI_HOME": "/x"}, "gemini", "/x/.gemini/settings.json"),
        ("win32", {"USERPROFILE": "/u"}, "cursor", "/u/.cursor/mcp.json"),
        ("darwin", {"HOME": "/h"}, "cursor", "/h/.cursor/mcp.json"),
        ("win32", {"USERPROFILE": "/u"}, "lmstudio", "/u/.lmstudio/mcp.json"),
        ("darwin", {"HOME": "/h"}, "lmstudio", "/h/.lmstudio/mcp.json"),
    ],
)
def test_each_system_keeps_them_elsewhere(
    platform: str, environ: dict[str, str], agent: str, path: str
) -> None:
    assert clients(platform, environ)[agent].path == Path(path)


def test_claude_desktop_for_windows_is_found_in_its_package(tmp_path: Path) -> None:
    local = tmp_path / "Local"
    environ = {"APPDATA": str(tmp_path / "R"), "LOCALAPPDATA": str(local)}
    found: list[Path] = []
    for folder in ("Other", "Packages/Claude_pzs8/LocalCache/Roaming", "Claude-Data/claude_pzs8"):
        (local / folder).mkdir(parents=True)
        found.append(clients("win32", environ)["claude-desktop"].path.parent)
    assert found == [
        tmp_path / "R/Claude",
        local / "Packages/Claude_pzs8/LocalCache/Roaming/Claude",
        local / "Claude-Data/claude_pzs8",
    ]
    assert clients("darwin", {**environ, "HOME": "/h"})["claude-desktop"].path.parts[1] == "h"


def test_lm_studio_is_where_it_notes_that_it_is(tmp_path: Path) -> None:
    def found() -> Path:
        return clients("darwin", {"HOME": str(tmp_path)})["lmstudio"].path.parent

    assert found() == tmp_path / ".lmstudio"
    (tmp_path / ".cache/lm-studio").mkdir(parents=True)
    assert found() == tmp_path / ".cache/lm-studio"
    (tmp_path / ".lmstudio-home-pointer").write_text("/elsewhere/lm\n", "utf-8")
    assert found() == Path("/elsewhere/lm")


FORMS = {
    "claude-desktop": '{"mcpServers": {}, "globalShortcut": ""}',
    "claude-code": '{"numStartups": 4, "projects": {"/a": {"mcpServers": {}}}}',
    "cursor": COMMENTED,
    "vscode": '{"servers": {"a": {"type": "http", "url": "https://a"}}, "inputs": []}',
    "codex": 'model = "x"\n\n[mcp_servers.a]\ncommand = "y"\n',
    "gemini": '{"security": {"auth": {}}}',
    "zed": '// Zed settings\n{\n  "theme": "One Dark", // mine\n}\n',
    "lmstudio": '{\n  "mcpServers": {}\n}',
}


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("agent", sorted(FORMS))
def test_each_agent_can_read_what_is_written_and_gets_back_what_it_had(
    agent: str, platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newline = "\r\n" if platform == "win32" else "\n"
    before = FORMS[agent].replace("\n", newline)
    program = tmp_path / ("Scripts/hearth.exe" if platform == "win32" else "bin/hearth")
    program.parent.mkdir()
    program.touch()
    here = SimpleNamespace(platform=platform, executable=str(program.parent / "python"))
    monkeypatch.setattr(connect, "sys", here)
    client = clients(platform, {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)})[agent]
    settings = Settings(data=tmp_path / "a folder")
    after = connect._with_entry(client, before, settings, "alice", "7")
    is_toml = client.path.suffix == ".toml"
    held = tomllib.loads(after) if is_toml else config_text.read_json(after)
    entry = held[{"zed": "context_servers", "vscode": "servers"}.get(agent) or client.section][
        "hearth"
    ]
    assert entry["command"] == str(program)
    assert entry["args"][1:] == ["--data", str(settings.data), "--user", "alice", "--key", "7"]
    assert entry.get("type") == ("stdio" if agent in ("vscode", "claude-code") else None)
    assert newline not in before or "\n" not in after.replace(newline, "")
    cut = config_text.without_entry_toml if is_toml else config_text.without_entry_json
    again = cut(after, client.section, "hearth")
    read = tomllib.loads if is_toml else config_text.read_json
    assert read(again) == {client.section: {}} | read(before)


@pytest.mark.parametrize("agent", ["cursor", "codex"])
def test_an_agent_is_taken_out_again_with_its_key(home: Path, data: Path, agent: str) -> None:
    text = COMMENTED if agent == "cursor" else 'a = 1\n\n[mcp_servers.b]\ncommand = "y" # b\n'
    file = clients("linux", {"HOME": str(home)})[agent].path
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    assert run(data, "connect", agent, "--yes").exit_code == 0
    shown = run(data, "connect", agent, "--remove", "--print")
    assert shown.exit_code == 0
    assert "hearth" in file.read_text("utf-8")
    done = run(data, "connect", agent, "--remove", "--yes")
    assert done.exit_code == 0, done.output
    assert file.read_text("utf-8") == text
    assert keys(data)[0]["revokedAt"]
    assert "is not connected" in run(data, "connect", agent, "--remove", "--yes").output


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"s": {"hearth": {}}}', '{"s": {}}'),
        ('{"s": {"hearth": {}, "b": 1}}', '{"s": { "b": 1}}'),
        ('{"s": {"b": 1, "hearth": {"x": [1]}}}', '{"s": {"b": 1}}'),
        ('{"s": {"b": 1, // b\n "hearth": {}\n}}', '{"s": {"b": 1 // b\n}}'),
        ('{"s": {\n  "hearth": {}, // h\n  "b": 1,\n}}', '{"s": { // h\n  "b": 1,\n}}'),
        ('{"s": {"b": 1}}', '{"s": {"b": 1}}'),
        ('{"t": 1}', '{"t": 1}'),
        ("", ""),
    ],
)
def test_an_entry_is_taken_out_alone(text: str, wanted: str) -> None:
    assert config_text.without_entry_json(text, "s", "hearth") == wanted
