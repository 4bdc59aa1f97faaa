"""The official conformance suite, and the Inspector's command line.

Hearth's endpoint with the tools that the suite expects, and Hearth as it is.
"""

import asyncio
import json
import re
from pathlib import Path

import pytest

from app.interfaces.mcp.hearth_endpoint import HearthEndpoint
from tests.conftest import Served
from tests.interfaces.mcp.conftest import with_key
from tests.support.listening import listening
from tests.support.mcp_fixtures import fixtures
from wire import places

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(places.mcp_conformance() is None, reason="npm has not fetched the suite"),
]
SECONDS = 100
NO_REQUESTS = (
    "it wants the server to ask the client in the middle of a call, for which the handshake "
    "revisions need a session; Hearth keeps none, and asks nothing there"
)
NO_SESSION = "the handshake revisions subscribe within a session; over HTTP Hearth keeps none"
NO_TASKS = "an extension that Hearth does not offer: no tool of its own runs for minutes"
DOES_NOT_APPLY = {
    "2025-11-25": {
        "tools-call-sampling": NO_REQUESTS,
        "tools-call-elicitation": NO_REQUESTS,
        "elicitation-sep1034-defaults": NO_REQUESTS,
        "elicitation-sep1330-enums": NO_REQUESTS,
        "resources-subscribe": NO_SESSION,
        "resources-unsubscribe": NO_SESSION,
    },
    "2026-07-28": {
        "http-custom-header-server-validation": "no tool declares a header for a parameter",
        "tasks-lifecycle": NO_TASKS,
        "tasks-capability-negotiation": NO_TASKS,
        "tasks-wire-fields": NO_TASKS,
        "tasks-request-state-removal": NO_TASKS,
        "tasks-mrtr-input": NO_TASKS,
        "tasks-request-headers": NO_TASKS,
        "tasks-dispatch-and-envelope": NO_TASKS,
        "tasks-required-task-error": NO_TASKS,
        "tasks-mrtr-composition": NO_TASKS,
    },
}
"""The scenarios that Hearth does not pass, each with its reason."""
EVERYWHERE = {
    "completion-complete",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
}
AS_IT_IS = {
    "2025-11-25": {*EVERYWHERE, "server-initialize", "server-session-lifecycle", "ping"},
    "2026-07-28": {
        *EVERYWHERE,
        "sep-2164-resource-not-found",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
    },
}
"""The scenarios that need no tool, resource or prompt of the suite's own."""


async def node(command: list[str] | None, *arguments: str) -> tuple[int | None, str, str]:
    """Run a command of Node.js and give its exit code and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(command or []),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, out.decode(), err.decode()


async def outcomes(origin: str, *choice: str) -> dict[str, bool]:
    """Give for each scenario whether it passes."""
    _, out, err = await node(places.mcp_conformance(), "server", "--url", f"{origin}/mcp", *choice)
    lines = re.findall(r"^(✓|✗) ([\w-]+): ", out, re.MULTILINE)
    assert lines, out + err
    return {name: mark == "✓" for mark, name in lines}


@pytest.mark.parametrize("revision", sorted(DOES_NOT_APPLY))
async def test_every_scenario_passes_that_applies(
    served: Served, revision: str, tmp_path: Path
) -> None:
    await served.command("add_user", username="walter")
    server = fixtures()
    front = served.asgi.front
    front.mcp = HearthEndpoint(served.parts, front.credentials, server)
    async with listening(with_key(served.asgi, await served.key("walter"))) as origin:
        found = await outcomes(
            origin, "--requirements", revision, "--output-dir", str(tmp_path / "results")
        )
    assert len(found) > 30
    assert {name for name, passes in found.items() if not passes} == set(DOES_NOT_APPLY[revision])


@pytest.mark.parametrize("revision", sorted(AS_IT_IS))
async def test_hearth_as_it_is_passes_what_needs_no_tools_of_the_suite(
    shared_origin: str, revision: str
) -> None:
    found = await outcomes(shared_origin, "--requirements", revision)
    assert {name for name in AS_IT_IS[revision] if not found[name]} == set()


async def test_the_inspector_lists_calls_and_reads(shared_origin: str) -> None:
    async def inspect(method: str, *more: str) -> dict[str, object]:
        command = [*(places.mcp_inspector() or []), "--cli", f"{shared_origin}/mcp"]
        code, out, err = await node(command, "--method", method, *more)
        assert code == 0, out + err
        found = json.loads(out)
        assert isinstance(found, dict)
        return found

    listed = await inspect("tools/list", "--strict")
    assert "search_notes" in json.dumps(listed["tools"])
    made = await inspect(
        "tools/call", "--tool-name", "create_note", "--tool-arg", "title=Soup", "content=Leek."
    )
    assert made["isError"] is False
    note = made["structuredContent"]["note"]["id"]  # type: ignore[index]
    read = await inspect("resources/read", "--uri", f"hearth://notes/{note}")
    assert read["contents"][0]["text"] == "Leek."  # type: ignore[index]
    asked = await inspect(
        "prompts/get", "--prompt-name", "find_and_quote", "--prompt-args", "question=leek"
    )
    assert "Leek." in json.dumps(asked["messages"])
