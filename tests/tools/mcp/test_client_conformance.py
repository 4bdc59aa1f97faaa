"""The official conformance suite's scenarios for clients, of tools and of logins."""

import asyncio
import dataclasses
import os
import re
from pathlib import Path

import pytest

from app.settings import Settings
from app.tools.mcp import logins
from tests.conftest import Client, Served, open_settings
from tests.support.mcp_conformance_client import ConformanceClient
from wire import places

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(places.mcp_conformance() is None, reason="npm has not fetched the suite"),
]
SECONDS = 100
NOBODY_ASKED = (
    "servers get no answer of a person or a model in the middle of a call, and are told so before"
)
WITHOUT_A_PERSON = "an extension: Hearth signs in as its user, who visits a page, and not by itself"
BOUND_TOKENS = "an extension: tokens bound to a key (DPoP)"
EXTENSIONS = {
    "auth/client-credentials-jwt": WITHOUT_A_PERSON,
    "auth/client-credentials-basic": WITHOUT_A_PERSON,
    "auth/enterprise-managed-authorization": WITHOUT_A_PERSON,
    "auth/wif-jwt-bearer": WITHOUT_A_PERSON,
    "auth/dpop": BOUND_TOKENS,
    "auth/dpop-nonce": BOUND_TOKENS,
}
DOES_NOT_APPLY = {
    "2025-11-25": {**EXTENSIONS, "elicitation-sep1034-client-defaults": NOBODY_ASKED},
    "2026-07-28": {**EXTENSIONS, "sep-2322-client-request-state": NOBODY_ASKED},
}
"""The scenarios that Hearth does not pass, each with its reason."""
PASSES = {"2025-11-25": 18, "2026-07-28": 32}
"""How many do pass."""
KNOWN_AT = "https://conformance-test.local"


@pytest.fixture
def settings() -> Settings:
    """The suite expects a client whose document lies at one place."""
    return dataclasses.replace(
        open_settings(), public_url=KNOWN_AT, allowed_hosts=("conformance-test.local",)
    )


@pytest.mark.parametrize("revision", sorted(DOES_NOT_APPLY))
async def test_every_scenario_passes_that_applies(
    alice: Client, served: Served, revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins, "DOCUMENT", "/client-metadata.json")
    client = ConformanceClient(served, alice)
    async with client.command(tmp_path) as command:
        process = await asyncio.create_subprocess_exec(
            *(places.mcp_conformance() or []),
            *("client", "--requirements", revision, "--command", command),
            env={**os.environ, "NO_COLOR": "1"},
            cwd=tmp_path,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            said = (await asyncio.wait_for(process.communicate(), SECONDS))[0].decode()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert client.unforeseen == []
    summary = said.partition("=== SUITE SUMMARY ===")[2]
    lines = re.findall(r"^(✓|✗) ([\w/-]+): ", summary, re.MULTILINE)
    failed = {name for mark, name in lines if mark == "✗"}
    assert failed == set(DOES_NOT_APPLY[revision]), said[-4_000:]
    assert len(lines) - len(failed) == PASSES[revision], "the suite has other scenarios now"
