"""The OpenAPI document is valid, and the server does what it says under any request that the
document allows or forbids.
"""

import contextlib
import dataclasses
import functools
import re
import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, get_args, get_type_hints

import httpx2 as httpx
import jsonschema_rs
import msgspec
import pytest
import requests
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.catalog import CATALOG
from app.core.accepted_schemas import iterate_records
from app.core.database.sqlite_setup import connect
from app.core.schema import Body, Most, Rule
from app.interfaces.openapi import openapi_document
from app.main import create_app
from app.settings import Settings
from tests.conftest import ORIGIN, UNSYNCED, Client, MovableClock

EXAMPLES = 2
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
DESCRIBED = openapi_document(CATALOG, ORIGIN)
LONGEST_TEXT = 255
"""The generator writes the most characters of a field into its pattern as a number of repetitions,
and with thousands of them compiling the patterns took two thirds of the time of these tests.
"""


def shorter(described: Any) -> Any:
    """Give what requests may hold, with texts that have a pattern cut down to LONGEST_TEXT: all
    that fits this fits the document too.
    """
    if isinstance(described, list):
        return [shorter(inner) for inner in described]
    if not isinstance(described, dict):
        return described
    found = {name: shorter(inner) for name, inner in described.items()}
    if isinstance(found.get("pattern"), str) and isinstance(found.get("maxLength"), int):
        found["maxLength"] = min(found["maxLength"], LONGEST_TEXT)
    return found


def generated_from() -> dict[str, Any]:
    """Give the document with shorter texts in requests; what is said of answers stays."""
    paths = {
        path: {
            method: {
                **entry,
                **{
                    part: shorter(entry[part])
                    for part in ("parameters", "requestBody")
                    if part in entry
                },
            }
            for method, entry in methods.items()
        }
        for path, methods in DESCRIBED["paths"].items()
    }
    return {**DESCRIBED, "paths": paths}


LABELS = {
    f"{method.upper()} {path}": entry
    for path, methods in DESCRIBED["paths"].items()
    for method, entry in methods.items()
}


@functools.cache
def operations() -> dict[str, Any]:
    """Give what makes requests to each operation, by label.

    It takes half a second, which only who tests it should.
    """
    found = schemathesis.openapi.from_dict(generated_from()).get_all_operations()
    return {result.ok().label: result.ok() for result in found}


@dataclasses.dataclass(frozen=True)
class Site:
    """A server that listens, and its door for the command line."""

    url: str
    http: httpx.Client
    """One for all tests: a client of one's own for each request would read the certificates of
    the system each time.
    """
    session: requests.Session
    """The same for the generated requests. It keeps no cookies, since they would sign the next one
    in.
    """
    database: sqlite3.Connection
    """A connection that only reads."""

    def command(self, name: str, /, **params: Any) -> Any:
        answer = self.http.post(
            f"{self.url}/control/{name}", json=params, headers={"Authorization": "Control token"}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Site]:
    """A server in a thread of this process, with a user who has a folder, a note, a todo and a
    contact.
    """
    data = tmp_path_factory.mktemp("openapi")
    shutil.copy(migrated, data / migrated.name)
    app = create_app(
        Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False),
        data,
        clock=MovableClock(),
        control_token="token",
    )
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        httpx.Client(trust_env=False) as http,
        requests.Session() as session,
        contextlib.closing(connect(data / migrated.name, writes=False)) as database,
    ):
        session.trust_env = False
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        server = uvicorn.Server(uvicorn.Config(app, ws="none", lifespan="on", log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        found = Site(url, http, session, database)
        for name in ("alice", "bob"):
            found.command("add_user", username=name)
            found.command("init_user", username=name)
        found.command("connect_users", username="alice", contact="bob")
        yield found
        server.should_exit = True
        thread.join(10)


FURNITURE = {
    "keys": "id, digest, scopes, expires_at, revoked_at, old_digest",
    **dict.fromkeys(("users", "folders", "notes", "snapshots", "todos", "briefings", "trash"), "*"),
}
"""What the requests are made with and what they can find: tables and columns."""


class Furnished:
    """A key, and something to find; both are made anew once a request has changed any of it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._issued: dict[str, Any] | None = None
        self._rows: dict[str, list[Any]] = {}

    def key(self) -> str:
        """Return a key that opens everything, with all there that is to be found."""
        if self._issued is None or self._read() != self._rows:
            self.end()
            self._issued = self._site.command("issue_key", username="alice", name="test")
            self._make()
            self._rows = self._read()
        return str(self._issued["secret"])

    def end(self) -> None:
        """End the key, where there is one."""
        if self._issued is not None:
            self._site.command("end_key", id=self._issued["key"]["id"])

    def _make(self) -> None:
        note = self._ask("/os/notes", title="A note", content="# Text")["result"]["note"]["id"]
        self._ask(f"/os/snapshots/{note}")
        self._ask("/os/folders", path="A/B")
        self._ask("/os/todos", title="A todo", steps=[{"title": "A step"}])
        self._ask("/briefing")

    def _ask(self, path: str, /, **body: Any) -> Any:
        assert self._issued is not None
        answer = self._site.http.post(
            f"{self._site.url}/api/v1{path}",
            json=body,
            headers={"Authorization": f"Bearer {self._issued['secret']}"},
        )
        assert answer.is_success, answer.text
        return answer.json()

    def _read(self) -> dict[str, list[Any]]:
        return {
            table: self._site.database.execute(f"SELECT {columns} FROM {table}").fetchall()
            for table, columns in FURNITURE.items()
        }


@pytest.fixture(scope="module")
def furnished(site: Site) -> Iterator[Furnished]:
    """A key for all requests, since they may revoke any, and something for them to find."""
    found = Furnished(site)
    yield found
    found.end()


def test_the_document_is_valid_openapi() -> None:
    assert DESCRIBED["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(DESCRIBED).validate()
    for schema in DESCRIBED["components"]["schemas"].values():
        jsonschema_rs.meta.validate(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        )


def test_every_reference_of_the_document_leads_somewhere() -> None:
    def references(value: Any) -> Iterator[str]:
        for inner in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            yield from references(inner)
        if isinstance(value, dict) and "$ref" in value:
            yield value["$ref"]

    found = set(references(DESCRIBED))
    assert found <= {f"#/components/schemas/{name}" for name in DESCRIBED["components"]["schemas"]}
    assert found


@pytest.mark.anyio
async def test_the_document_is_served_without_a_credential(stranger: Client) -> None:
    assert (await stranger.get("/openapi.json")).json() == DESCRIBED


def optional_fields() -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every field of a JSON body that may be left out, those of records in it too, with its
    schema.
    """
    for path, methods in DESCRIBED["paths"].items():
        for method, entry in methods.items():
            body = (
                entry.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema")
            )
            if body is not None:
                yield from optional_in(f"{method} {path}", body)


def optional_in(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for field, inner in schema.get("properties", {}).items():
        if field not in schema.get("required", ()):
            yield f"{name} {field}", inner
        for part in (inner, inner.get("items", {}), *inner.get("anyOf", ())):
            yield from optional_in(f"{name} {field}", part)


def test_null_stands_for_every_field_that_may_be_left_out_of_a_body() -> None:
    fields = dict(optional_fields())
    assert len(fields) > 150
    # of one record with all of them, since each check anew would read the whole document
    check = jsonschema_rs.validator_for(
        {"properties": fields, "components": DESCRIBED["components"]}
    )
    refused = [error.instance_path[0] for error in check.iter_errors(dict.fromkeys(fields))]
    assert refused == []


def test_the_document_says_what_every_rule_of_a_field_lets_through() -> None:
    unsaid = [
        f"{type(rule).__name__} of {record.__name__}"
        for found in CATALOG.operations.values()
        for record in iterate_records(found.fields.record)
        for hint in get_type_hints(record, include_extras=True).values()
        for rule in rules(hint)
        if not isinstance(rule, Most) and (not rule.accepts or not issubclass(record, Body))
    ]
    assert unsaid == []


def rules(hint: Any) -> Iterator[Rule]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return
    for part in get_args(hint):
        if isinstance(part, Rule):
            yield part
        else:
            yield from rules(part)


@pytest.mark.parametrize(
    ("path", "field", "fits", "fails"),
    [
        ("/os/notes", "title", ["A", "x" * 255, " a "], ["", " ", "x" * 256, "a\nb", "\u200b"]),
        ("/os/notes", "tags", [[], ["a", "b c"], None], [["#a"], ['a"b'], [""], ["x"] * 51]),
        (
            "/os/todos",
            "dueDate",
            ["2024-02-29", "2026-12-31T23:59", "2026-01-01T00:00:00.5Z"],
            ["2026-02-29", "2026-04-31", "soon", "2026-01-01T24:00"],
        ),
        (
            "/os/team/invite",
            "email",
            ["a@b.example", "jürgen@straße.example", "用户@例子.example"],
            ["a", "a b@c", "a@b@c", "a\u200b@c", "a@b\u202e", "a@b\n"],
        ),
        ("/os/todos", "priority", [0, 10, 3.0, None], [11, -1, 2.5]),
        ("/os/todos", "userTimezone", ["Europe/Berlin", None], ["Mars/Base", ""]),
        ("/account/keys", "scopes", [["*"], ["os.notes:read"], None], [[], ["all"]]),
        ("/metering/invoice/simulate", "month", ["2026-11", None], ["2026-13", "11-2026"]),
    ],
)
def test_limits_and_forms_of_fields_stand_in_the_document(
    path: str, field: str, fits: list[Any], fails: list[Any]
) -> None:
    body = DESCRIBED["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    check = jsonschema_rs.validator_for(
        {**body["properties"][field], "components": DESCRIBED["components"]}
    )
    assert [value for value in fits if not check.is_valid(value)] == []
    assert [value for value in fails if check.is_valid(value)] == []


@pytest.mark.parametrize("path", ["/import", "/os/attachments"])
def test_the_document_says_that_a_file_is_not_sent_as_a_form(path: str) -> None:
    assert "Content-Type" in refused_beyond(f"POST {path}")


def refused_beyond(label: str) -> set[str]:
    """Give the fields for which the document says that an operation may refuse what fits its
    schema.
    """
    method, _, path = label.partition(" ")
    answers = DESCRIBED["paths"][path][method.lower()]["responses"].values()
    return {
        field
        for answer in answers
        for field in re.findall(r"^- `([^`]+)`: ", answer["description"], re.MULTILINE)
    }


def assert_no_refusal_beyond_the_document(label: str, response: Any) -> None:
    if response.status_code in (400, 422):
        field = str(response.json().get("field"))
        told = {field, re.split(r"[.\[]", field)[0], "*"}
        assert refused_beyond(label) & told, response.json()["message"]


def takes_anything(described: dict[str, Any]) -> bool:
    """Say whether a request has anything that can be wrong, be it its credential alone."""
    security = described.get("security", DESCRIBED["security"])
    return bool(described.get("parameters") or described.get("requestBody") or security)


def test_every_operation_of_the_document_is_asked() -> None:
    assert set(operations()) == set(LABELS)


@pytest.mark.parametrize(
    ("label", "mode"),
    [
        pytest.param(label, mode, id=f"{label} {mode.value}")
        for label, described in LABELS.items()
        for mode in GenerationMode
        if mode is GenerationMode.POSITIVE or takes_anything(described)
    ],
)
def test_any_request_is_answered_as_the_document_says(
    label: str, mode: GenerationMode, site: Site, furnished: Furnished
) -> None:
    key = furnished.key()
    generated = operations()[label].as_strategy(generation_mode=mode)

    # not `derandomize`, which reads the source of this function anew for each operation
    @seed(0)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=generated)
    def ask(case: Any) -> None:
        response = case.call(
            base_url=f"{site.url}/api/v1",
            session=site.session,
            headers={"Authorization": f"Bearer {key}"},
            allow_redirects=False,
        )
        case.validate_response(response, checks=CHECKS)
        if mode is GenerationMode.POSITIVE:
            assert_no_refusal_beyond_the_document(label, response)
        assert not 300 <= response.status_code < 400

    ask()
