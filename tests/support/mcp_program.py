"""A small MCP server that is a program: it starts ten times as fast as one with the official SDK.

`python -m tests.support.mcp_program`; mcp_server.py is the genuine one.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def environment() -> str:
    """Tell the names of the variables."""
    return " ".join(sorted(os.environ))


def crash() -> str:
    """End the whole server."""
    sys.stderr.write("now it is all over\n")
    sys.stderr.flush()
    os._exit(3)


def hang() -> str:
    """Never answer."""
    time.sleep(3_600)
    return "late"


def slow(steps: int) -> str:
    """Take its time."""
    time.sleep(0.05 * steps)
    return "done"


def huge(size: int) -> str:
    """Give a very long text."""
    return "x" * size


def fork() -> int:
    """Start a process that would outlive the server."""
    return subprocess.Popen(["sleep", "3600"]).pid


TOOLS: dict[str, Callable[..., Any]] = {
    tool.__name__: tool for tool in (add, environment, crash, hang, slow, huge, fork)
}
LISTED = [
    {"name": name, "description": tool.__doc__, "inputSchema": {"type": "object"}}
    for name, tool in TOOLS.items()
]


def answer(asked: dict[str, Any]) -> None:
    """Answer one request."""
    method, params = asked["method"], asked.get("params", {})
    if method == "server/discover":
        told: dict[str, Any] = {"capabilities": {"tools": {}}, "supportedVersions": ["2026-07-28"]}
    elif method == "tools/list":
        told = {"tools": LISTED}
    else:
        found = TOOLS[params["name"]](**params["arguments"])
        told = {
            "content": [{"type": "text", "text": f"{found}"}],
            "structuredContent": {"result": found},
        }
    result = {"resultType": "complete", "cacheScope": "private", "ttlMs": 0, **told}
    line = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result})
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Serve over standard input and output, each request in a thread of its own."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            threading.Thread(target=answer, args=(asked,), daemon=True).start()


if __name__ == "__main__":
    main()
