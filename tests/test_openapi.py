"""The OpenAPI document is valid, and the server does what it says under any request that the document allows or forbids."""

import dataclasses
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import jsonschema_rs
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.catalog import CATALOG
from app.interfaces.openapi import document
from app.main import create_app
from app.settings import Settings
from tests.conftest import UNSYNCED, Client, MovableClock

EXAMPLES = 4
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance]
DESCRIBED = document(CATALOG)
OPERATIONS = [result.ok() for result in schemathesis.openapi.from_dict(DESCRIBED).get_all_operations()]


@dataclasses.dataclass(frozen=True)
class Site:
    """A server that listens, and its door for the command line."""

    url: str
    http: httpx.Client
    """One for all tests: a client of one's own for each request would read the certificates of the system each time."""

    def command(self, name: str, /, **params: Any) -> Any:
        answer = self.http.post(f"{self.url}/control/{name}", json=params, headers={"Authorization": "Control token"})
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Site]:
    """A server in a thread of this process, with a user who has a folder, a note, a todo and a contact."""
    data = tmp_path_factory.mktemp("openapi")
    shutil.copy(migrated, data / migrated.name)
    app = create_app(Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False), data, clock=MovableClock(), control_token="token")
    with socket.create_server(("127.0.0.1", 0)) as listener, httpx.Client(trust_env=False) as http:
        server = uvicorn.Server(uvicorn.Config(app, ws="none", lifespan="on", log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        found = Site(f"http://127.0.0.1:{listener.getsockname()[1]}", http)
        for name in ("alice", "bob"):
            found.command("add_user", username=name)
            found.command("init_user", username=name)
        found.command("connect_users", username="alice", contact="bob")
        yield found
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def key(site: Site) -> Iterator[str]:
    """A fresh key, since the requests may revoke any other, and something for them to find."""
    issued = site.command("issue_key", username="alice", name="test")
    secret = str(issued["secret"])

    def ask(path: str, /, **body: Any) -> Any:
        answer = site.http.post(f"{site.url}/api/v1{path}", json=body, headers={"Authorization": f"Bearer {secret}"})
        assert answer.is_success, answer.text
        return answer.json()

    note = ask("/os/notes", title="A note", content="# Text")["result"]["note"]["id"]
    ask(f"/os/snapshots/{note}")
    ask("/os/folders", path="A/B")
    ask("/os/todos", title="A todo", steps=[{"title": "A step"}])
    ask("/briefing")
    yield secret
    site.command("end_key", id=issued["key"]["id"])


def test_the_document_is_valid_openapi() -> None:
    assert DESCRIBED["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(DESCRIBED).validate()
    for schema in DESCRIBED["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_every_reference_of_the_document_leads_somewhere() -> None:
    def references(value: Any) -> Iterator[str]:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from references(inner)
        if isinstance(value, dict) and "$ref" in value:
            yield value["$ref"]

    found = set(references(DESCRIBED))
    assert found <= {f"#/components/schemas/{name}" for name in DESCRIBED["components"]["schemas"]}
    assert found


@pytest.mark.anyio
async def test_the_document_is_served_without_a_credential(stranger: Client) -> None:
    assert (await stranger.get("/openapi.json")).json() == DESCRIBED


def takes_anything(operation: Any) -> bool:
    return bool(list(operation.iter_parameters()) or operation.body)


@pytest.mark.parametrize(
    ("operation", "mode"),
    [
        pytest.param(operation, mode, id=f"{operation.label} {mode.value}")
        for operation in OPERATIONS
        for mode in GenerationMode
        if mode is GenerationMode.POSITIVE or takes_anything(operation)
    ],
)
def test_any_request_is_answered_as_the_document_says(operation: Any, mode: GenerationMode, site: Site, key: str) -> None:
    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        response = case.call(base_url=f"{site.url}/api/v1", headers={"Authorization": f"Bearer {key}"})
        case.validate_response(response, checks=CHECKS)
        assert not 300 <= response.status_code < 400

    ask()
