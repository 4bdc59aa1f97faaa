"""The contract that holds for every operation.

Who may ask, what a refusal and a success look like, and which endpoints there are.
"""

import contextlib
import dataclasses
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from msgspec import convert, structs

from app.account import device_tokens, oauth_grants, oauth_tokens, users
from app.account.oauth.clients import Client as OAuthClient
from app.account.oauth.policy import GRANTABLE
from app.catalog import CATALOG
from app.core.caller import SCOPES, Caller, Kind, implied_scopes
from app.core.database.tx import Tx
from app.core.operation import Operation
from app.core.schema import schemas
from app.errors import AppError, Forbidden, InsufficientScope, NotFound
from app.interfaces.openapi import openapi_document
from app.main import create_app
from app.managed_agents.agent_callers import permitted_scopes
from app.network.grants import share_rows
from app.network.grants.permission_object import Permissions
from app.network.grants.share_terms import Terms
from app.settings import Settings
from app.tools.approvals import escalation_rows
from app.tools.approvals.call_origin import Origin
from tests.conftest import ORIGIN, UNSYNCED, Client, MovableClock, Served, open_settings
from tests.runtime.bodies import LAPTOP, SESSION
from tests.runtime.devices import registered, with_session
from tests.support import guests
from tests.support.hostile_mcp import hostile
from tests.support.looping import through
from tests.support.moving import finished
from tests.support.raw_records import KEY_ID, RawDevice, with_raw_memory
from tests.support.serving import ROOT

SERVED = """
POST   /init                                 workspace  os.notes:write                     service
GET    /os                                   workspace  any                                service
GET    /identity                             workspace  any                                service
GET    /os/status                            workspace  os.status:read                     service
POST   /accumulate                           workspace  os.notes:write                     service
POST   /os/attachments                       workspace  os.notes:write                     beyond
GET    /os/attachments                       workspace  os.notes:read                      beyond
GET    /os/attachments/{id}                  workspace  os.notes:read                      beyond
DELETE /os/attachments/{id}                  workspace  os.notes:write                     beyond
GET    /os/trash                             workspace  os.notes:read|os.todos:read        beyond
DELETE /os/trash                             workspace  os.notes:write|os.todos:write      beyond
POST   /os/trash/{kind}/{id}/restore         workspace  os.notes:write|os.todos:write      beyond
DELETE /os/trash/{kind}/{id}                 workspace  os.notes:write|os.todos:write      beyond
POST   /import                               workspace  os.notes:write|os.todos:write      beyond
GET    /import/{id}                          workspace  os.notes:write|os.todos:write      beyond
DELETE /import/{id}                          workspace  os.notes:write|os.todos:write      beyond
GET    /export                               workspace  os.notes:read|os.todos:read        beyond
GET    /export/{id}                          workspace  os.notes:read|os.todos:read        beyond
GET    /export/{id}/archive                  workspace  os.notes:read|os.todos:read        beyond
DELETE /export/{id}                          workspace  os.notes:read|os.todos:read        beyond
GET    /account/settings                     account    account:manage                     beyond
PATCH  /account/settings                     account    account:manage                     beyond
GET    /account/keys                         account    account:manage                     beyond
POST   /account/keys                         account    account:manage                     beyond
POST   /account/keys/{id}/rotate             account    account:manage                     beyond
DELETE /account/keys/{id}                    account    account:manage                     beyond
GET    /account/grants                       account    account:manage                     beyond
DELETE /account/grants/{id}                  account    account:manage                     beyond
GET    /os/team                             team       os.team:read                       service
POST   /os/team/invite                      team       os.team:write                      service
DELETE /os/team/invites/{id}                team       os.team:write                      beyond
POST   /os/team/invites/{token}/accept      team       os.team:write                      beyond
PATCH  /os/team/members/{username}          team       os.team:write                      beyond
DELETE /os/team/members/{username}          team       os.team:write                      beyond
GET    /network/explain                     network    os.network:read                    beyond
GET    /network                              network    os.network:read                    service
GET    /os/network                           network    os.network:read                    service
GET    /os/network/conversations             network    os.network:read                    service
GET    /os/network/conversations/{sessionId} network    os.network:read                    service
POST   /os/share                             sharing    os.share:write                     service
GET    /os/share/list                        sharing    os.share:read                      beyond
GET    /os/share/{linkId}                    sharing    os.share:read                      beyond
PATCH  /os/share/{linkId}                    sharing    os.share:write                     beyond
DELETE /os/share/{linkId}                    sharing    os.share:write                     beyond
GET    /local-agent/guest-messages           runtime    runtime:connect                    beyond
POST   /local-agent/guest-messages           runtime    runtime:connect                    beyond
POST   /local-agent/guest-messages/reply     runtime    runtime:connect                    beyond
POST   /local-agent/endpoints                runtime    runtime:connect                    beyond
GET    /local-agent/endpoints                runtime    runtime:connect                    beyond
POST   /local-agent/endpoints/{id}/heartbeat runtime    runtime:connect                    beyond
DELETE /local-agent/endpoints/{id}           runtime    runtime:connect                    beyond
POST   /local-agent/sessions                 runtime    runtime:connect                    beyond
PATCH  /local-agent/sessions/{handle}        runtime    runtime:connect                    beyond
PUT    /local-agent/default-route            runtime    runtime:connect                    beyond
GET    /local-agent/default-route            runtime    runtime:connect                    beyond
DELETE /local-agent/default-route            runtime    runtime:connect                    beyond
GET    /local-agent/whoami                   runtime    runtime:connect                    beyond
GET    /local-agent/resolve-person           runtime    runtime:connect                    beyond
GET    /local-agent/pair-status              runtime    runtime:connect                    beyond
GET    /local-agent/team-agents              runtime    runtime:connect                    beyond
POST   /local-agent/device-code/start        runtime    none                               beyond
POST   /local-agent/device-code/poll         runtime    none                               beyond
POST   /local-agent/device-code/decide       runtime    session                            beyond
POST   /local-agent/grants                   runtime    runtime:connect                    beyond
GET    /local-agent/grants                   runtime    runtime:connect                    beyond
POST   /local-agent/grants/{id}/accept       runtime    runtime:connect                    beyond
POST   /local-agent/grants/{id}/decline      runtime    runtime:connect                    beyond
POST   /local-agent/grants/{id}/revoke       runtime    runtime:connect                    beyond
POST   /local-agent/target-offers            runtime    runtime:connect                    beyond
POST   /local-agent/target-offers/{id}/revoke runtime   runtime:connect                    beyond
POST   /local-agent/messages                 runtime    runtime:connect                    beyond
GET    /local-agent/messages/{id}            runtime    runtime:connect                    beyond
POST   /local-agent/messages/{id}/ack        runtime    runtime:connect                    beyond
POST   /local-agent/injections/validate      runtime    runtime:connect                    beyond
POST   /local-agent/tool-approvals           runtime    runtime:connect                    beyond
GET    /local-agent/tool-approvals/{id}      runtime    runtime:connect                    beyond
GET    /local-agent/trusted-tool-policies    runtime    runtime:connect                    beyond
POST   /local-agent/trusted-tool-policies    runtime    escalations:decide                 beyond
DELETE /local-agent/trusted-tool-policies/{id} runtime  escalations:decide                 beyond
POST   /local-agent/trusted-tool-policies/{id}/ack runtime runtime:connect                 beyond
POST   /local-agent/trusted-tool-policies/{id}/usage runtime runtime:connect               beyond
POST   /local-agent/delegations              runtime    runtime:connect                    beyond
GET    /local-realtime/stream                runtime    runtime:connect                    beyond
GET    /local-realtime/poll                  runtime    runtime:connect                    beyond
POST   /raw-memory/devices                   rawMemory  raw.memory:write                   beyond
GET    /raw-memory/devices                   rawMemory  raw.memory:read                    beyond
DELETE /raw-memory/devices/{deviceId}        rawMemory  raw.memory:write                   beyond
POST   /raw-memory/enrolments                rawMemory  none                               beyond
POST   /raw-memory/enrolments/poll           rawMemory  none                               beyond
POST   /raw-memory/enrolments/{id}/decide    rawMemory  session                            beyond
GET    /raw-memory/keys                      rawMemory  raw.memory:read                    beyond
PUT    /raw-memory/keys                      rawMemory  raw.memory:write                   beyond
POST   /raw-memory/records                   rawMemory  raw.memory:write                   beyond
GET    /raw-memory/records                   rawMemory  raw.memory:read                    beyond
DELETE /raw-memory/records                   rawMemory  raw.memory:write                   beyond
GET    /raw-memory/records/{recordId}        rawMemory  raw.memory:read                    beyond
DELETE /raw-memory/records/{recordId}        rawMemory  raw.memory:write                   beyond
GET    /raw-memory/usage                     rawMemory  raw.memory:read                    beyond
GET    /openapi.json                         account    none                               beyond
GET    /os/folders                           folders    os.notes:read                      service
POST   /os/folders                           folders    os.notes:write                     service
PATCH  /os/folders/{id}                      folders    os.notes:write                     beyond
DELETE /os/folders/{id}                      folders    os.notes:write                     beyond
GET    /os/folders/{id}/share                folders    os.notes:read                      beyond
POST   /os/folders/{id}/share                folders    net.contacts:manage                beyond
DELETE /os/folders/{id}/share/{username}     folders    net.contacts:manage                beyond
GET    /os/notes                             notes      os.notes:read                      service
POST   /os/notes                             notes      os.notes:write                     service
GET    /os/notes/{id}                        notes      os.notes:read                      service
PATCH  /os/notes/{id}                        notes      os.notes:write                     service
DELETE /os/notes/{id}                        notes      os.notes:write                     beyond
POST   /os/notes/{id}/copy                   notes      os.notes:write                     service
POST   /os/notes/{id}/move                   notes      os.notes:write                     service
POST   /os/notes/{id}/pin                    notes      os.notes:write                     service
POST   /os/notes/search                      notes      os.notes:read                      service
POST   /os/notes/grep                        notes      os.notes:read                      service
POST   /os/notes/replace                     notes      os.notes:write                     beyond
POST   /os/notes/replace/{undoId}/undo       notes      os.notes:write                     beyond
GET    /os/search                            notes      os.notes:read                      beyond
GET    /os/notes/{id}/related                notes      os.notes:read                      beyond
GET    /os/notes/{id}/links                  notes      os.notes:read                      beyond
POST   /os/notes/{id}/links/rewrite          notes      os.notes:write                     beyond
GET    /os/find                              workspace  os.notes:read                      beyond
GET    /notes/summary                        notes      os.notes:read                      service
GET    /os/snapshots/{noteId}                snapshots  os.snapshots:read                  service
POST   /os/snapshots/{noteId}                snapshots  os.snapshots:write                 service
GET    /os/snapshots/{noteId}/seq/{seq}      snapshots  os.snapshots:read                  service
GET    /os/snapshots/{noteId}/{versionId}    snapshots  os.snapshots:read                  service
POST   /os/snapshots/{noteId}/restore        snapshots  os.snapshots:write                 service
GET    /os/snapshots/{noteId}/diff           snapshots  os.snapshots:read                  beyond
GET    /os/todos                             todos      os.todos:read                      service
POST   /os/todos                             todos      os.todos:write                     service
GET    /os/todos/{id}                        todos      os.todos:read                      beyond
PATCH  /os/todos/{id}                        todos      os.todos:write                     service
DELETE /os/todos/{id}                        todos      os.todos:write                     beyond
POST   /os/todos/{id}/complete               todos      os.todos:write                     service
POST   /os/todos/quick                       todos      os.todos:write                     beyond
POST   /os/todos/replan                      todos      os.todos:write                     service
GET    /tools                                tools      any                                service
POST   /tools                                tools      any                                service
GET    /tools/integrations                   tools      tools:read                         service
POST   /tools/integrations                   tools      tools:manage                       beyond
DELETE /tools/integrations/{id}              tools      tools:manage                       service
GET    /tools/mcp                            tools      tools:read                         service
POST   /tools/mcp                            tools      tools:manage                       service
GET    /tools/mcp/{id}                       tools      tools:read                         service
PATCH  /tools/mcp/{id}                       tools      tools:manage                       service
DELETE /tools/mcp/{id}                       tools      tools:manage                       service
POST   /tools/mcp/{id}/authorize             tools      tools:manage                       service
POST   /tools/mcp/{id}/refresh               tools      tools:manage                       service
POST   /tools/mcp/{id}/disconnect            tools      tools:manage                       service
GET    /tools/namespaces                     tools      any                                service
PUT    /tools/namespaces                     tools      tools:manage                       service
POST   /briefing                             agent      agent.chat:run                     service
POST   /briefing/strategies                  agent      agent.chat:run                     service
POST   /briefing/matrix                      agent      agent.chat:run                     service
GET    /briefings                            agent      agent.chat:read                    service
GET    /briefings/{id}                       agent      agent.chat:read                    beyond
POST   /os/memory/search                     memory     os.memory:read                     service
POST   /chat                                 agent      agent.chat:run                     service
GET    /chat/models                          agent      agent.chat:run                     beyond
GET    /conversations                        agent      agent.chat:read                    service
GET    /conversations/{id}                   agent      agent.chat:read                    beyond
DELETE /conversations/{id}                   agent      agent.chat:run                     beyond
POST   /conversations/{id}/read              agent      agent.chat:read                    beyond
GET    /heartbeat/policy                     heartbeat  os.heartbeat:read                  service
POST   /heartbeat/policy                     heartbeat  os.heartbeat:run                   service
GET    /heartbeat/schedule                   heartbeat  os.heartbeat:read                  beyond
PUT    /heartbeat/schedule                   heartbeat  os.heartbeat:run                   beyond
GET    /heartbeat/status                     heartbeat  os.heartbeat:read                  service
POST   /heartbeat/run                        heartbeat  os.heartbeat:run                   service
GET    /heartbeat/runs                       heartbeat  os.heartbeat:read                  service
GET    /heartbeat/runs/{id}                  heartbeat  os.heartbeat:read                  service
POST   /heartbeat/runs/{id}/undo             heartbeat  os.heartbeat:run                   beyond
POST   /heartbeat/actions/{id}/execute       heartbeat  os.heartbeat:run                   beyond
GET    /heartbeat/instructions               heartbeat  os.heartbeat:read                  service
PUT    /heartbeat/instructions               heartbeat  os.heartbeat:run                   service
GET    /escalations                          escalations escalations:read                  beyond
GET    /escalations/{id}                     escalations escalations:read                  beyond
POST   /escalations/{id}/decision            escalations escalations:decide                beyond
GET    /escalations/precedents               escalations escalations:read                  beyond
DELETE /escalations/precedents/{id}          escalations escalations:decide                beyond
GET    /metering/usage                       metering   metering:read                      beyond
GET    /metering/invoice                     metering   metering:read                      beyond
POST   /metering/invoice/simulate            metering   metering:read                      beyond
GET    /metering/caps                        metering   metering:read                      beyond
POST   /metering/caps                        metering   metering:manage                    beyond
PATCH  /metering/caps/{id}                   metering   metering:manage                    beyond
DELETE /metering/caps/{id}                   metering   metering:manage                    beyond
POST   /agent/message                        messaging  agent.message:send                 service
POST   /network/groups                       messaging  net.contacts:manage                beyond
GET    /network/groups                       messaging  os.network:read                    beyond
GET    /network/groups/{conversationId}      messaging  os.network:read                    beyond
PATCH  /network/groups/{conversationId}      messaging  net.contacts:manage                beyond
POST   /network/groups/{conversationId}/members messaging net.contacts:manage              beyond
DELETE /network/groups/{conversationId}/members/{username} messaging net.contacts:manage   beyond
POST /network/request network net.contacts:manage|agent.message:send beyond
GET    /network/requests                     network    os.network:read                    beyond
DELETE /network/requests/{requestId}         network    net.contacts:manage                beyond
POST   /network/accept                       network    net.contacts:manage                beyond
POST /network/connect network net.contacts:manage|agent.message:send beyond
GET    /network/contacts                     network    os.network:read                    beyond
DELETE /network/contacts/{userId}            network    net.contacts:manage                beyond
GET    /network/contacts/{userId}/permissions network   os.network:read                    beyond
PUT    /network/contacts/{userId}/permissions network   net.contacts:manage                beyond
GET    /webhooks                             webhooks   webhooks:manage                    beyond
POST   /webhooks                             webhooks   webhooks:manage                    beyond
GET    /webhooks/event-types                 webhooks   webhooks:manage                    beyond
GET    /webhooks/{id}                        webhooks   webhooks:manage                    beyond
PATCH  /webhooks/{id}                        webhooks   webhooks:manage                    beyond
DELETE /webhooks/{id}                        webhooks   webhooks:manage                    beyond
POST   /webhooks/{id}/rotate-secret          webhooks   webhooks:manage                    beyond
POST   /webhooks/{id}/test                   webhooks   webhooks:manage                    beyond
GET    /webhooks/{id}/deliveries             webhooks   webhooks:manage                    beyond
POST   /webhooks/{id}/deliveries/{deliveryId}/retry webhooks webhooks:manage               beyond
GET    /managed-agents                       managedAgents agents:read                     beyond
POST   /managed-agents                       managedAgents agents:manage                   beyond
GET    /managed-agents/{id}                  managedAgents agents:read                     beyond
PATCH  /managed-agents/{id}                  managedAgents agents:manage                   beyond
DELETE /managed-agents/{id}                  managedAgents agents:manage                   beyond
GET    /managed-agents/{id}/keys             managedAgents agents:manage                   beyond
POST   /managed-agents/{id}/keys             managedAgents agents:manage                   beyond
DELETE /managed-agents/{id}/keys/{keyId}     managedAgents agents:manage                   beyond
POST   /managed-agents/{id}/chat             managedAgents agent.chat:run                  beyond
"""
"""Method, path, category, scope ("|": either suffices; "any": any credential; "none": no
credential; "session": a person who is signed in) and origin, as the contract has them.
"""

ALIASES = {
    "GET /context/status": "GET /os/status",
    "GET /context/folders": "GET /os/folders",
    "POST /context/folders": "POST /os/folders",
    "POST /share/create": "POST /os/share",
    "GET /share/list": "GET /os/share/list",
    "PATCH /share/{linkId}": "PATCH /os/share/{linkId}",
    "DELETE /share/{linkId}": "DELETE /os/share/{linkId}",
}
SERVICE_ENDPOINTS = 63

IMPLIED = {
    "agent.chat:run": {"agent.message:send"},
    "agent.chat:read": {"agent.message:send"},
    "tools:read": {"tools:manage"},
    "agents:read": {"agents:manage"},
    "escalations:read": {"escalations:decide"},
    "metering:read": {"metering:manage"},
}
"""Which scopes suffice in place of another."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One endpoint as the contract describes it."""

    method: str
    path: str
    category: str
    scopes: tuple[str, ...]
    public: bool
    session: bool
    since: str

    @property
    def route(self) -> str:
        return f"{self.method} {self.path}"


def row(line: str) -> Row:
    method, path, category, scope, since = line.split()
    return Row(
        method,
        path,
        category,
        () if scope in ("any", "none", "session") else tuple(scope.split("|")),
        scope == "none",
        scope == "session",
        since,
    )


ROWS = [row(line) for line in SERVED.strip().splitlines()]
OPERATIONS = [found for found in CATALOG.operations.values() if found.path]
COMMANDS = [found for found in CATALOG.operations.values() if found.method == "COMMAND"]
BY_ROUTE = {f"{method} {path}": found for method, path, found in CATALOG.routes()}

each_row = through("wanted", [(each.route, each) for each in ROWS])
each_operation = through("found", [(each.name, each) for each in OPERATIONS])
each_guarded = through("found", [(each.name, each) for each in OPERATIONS if not each.public])
each_for_keys = through("found", [(each.name, each) for each in OPERATIONS if not each.session])
each_for_sessions = through("found", [(each.name, each) for each in OPERATIONS if each.session])
each_scoped = through("found", [(each.name, each) for each in OPERATIONS if each.scopes])
each_command = through("found", [(each.name, each) for each in COMMANDS])
each_with_body = through(
    "found",
    [
        (each.name, each)
        for each in OPERATIONS
        if not (each.in_query or each.http.takes_file or each.session)
    ],
)


def place_of(table: str) -> str:
    """Give the file and line where a table of this module begins."""
    file = Path(__file__)
    lines = file.read_text("utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if re.match(rf"{table}\b.*=", line))
    return f"{file.relative_to(ROOT)}:{number}"


def described_row(found: Operation[..., Any]) -> str:
    """Give the line of SERVED that an operation wants."""
    scope = "|".join(found.scopes) or (found.asks_for or ("none" if found.public else "any"))
    return f"{found.method:<6} {found.path:<37} {found.category:<10} {scope:<34} beyond"


@each_row
def test_an_endpoint_of_the_contract_is_served_as_it_says(wanted: Row) -> None:
    found = BY_ROUTE.get(wanted.route)
    assert found is not None, (
        f"{place_of('SERVED')} has a line for {wanted.route}, which nothing serves. Does "
        "app/catalog.py name its module?"
    )
    served = Row(
        found.method,
        found.path,
        found.category,
        found.scopes,
        found.public,
        found.session,
        wanted.since,
    )
    assert served == wanted


def test_nothing_is_served_that_the_contract_does_not_have() -> None:
    older = {
        route for route in BY_ROUTE if " /net/" not in route
    }  # tests/network/test_net.py has the others
    rows = [
        described_row(BY_ROUTE[route])
        for route in sorted(older - {each.route for each in ROWS} - set(ALIASES))
    ]
    assert not rows, "\n".join([f"{place_of('SERVED')} lacks:", *rows])


@pytest.mark.parametrize(("alias", "route"), ALIASES.items())
def test_an_older_name_is_the_same_operation(alias: str, route: str) -> None:
    assert BY_ROUTE[alias] is BY_ROUTE[route]


def test_the_tables_hold_every_endpoint_of_the_service_document_once() -> None:
    now = {each.route for each in ROWS if each.since == "service"}
    assert (
        len(now - {"POST /os/share"}) == SERVICE_ENDPOINTS
    )  # which the service document only names
    assert len({each.route for each in ROWS}) == len(ROWS)


@each_operation
def test_an_operation_says_what_it_does(found: Operation[..., Any]) -> None:
    first = found.description.partition("\n")[0]
    assert first.endswith(".")
    assert first[0].isupper()
    assert 10 < len(first) <= 150
    assert found.name == found.name.lower()


@each_operation
def test_the_index_lists_every_operation_once(
    found: Operation[..., Any], index: dict[str, Any]
) -> None:
    listed = [
        (category, one)
        for category, rows in index["byCategory"].items()
        for one in rows
        if (one["method"], one["path"]) == (found.method, found.path)
    ]
    scope = found.asks_for
    wanted = {
        "method": found.method,
        "path": found.path,
        "scope": scope,
        "summary": found.summary,
        "maturity": "ga",
    }
    assert listed == ([] if found.name == "openapi" else [(found.category, wanted)])


def test_the_index_counts_its_rows(index: dict[str, Any]) -> None:
    assert index["totalEndpoints"] == sum(len(rows) for rows in index["byCategory"].values())


@each_operation
def test_request_and_answer_have_valid_schemas(found: Operation[..., Any]) -> None:
    each, named = schemas([found.fields.record, found.answer], "#/$defs/")
    for schema in each:
        jsonschema_rs.meta.validate(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": named}
        )


@each_operation
def test_the_document_describes_every_operation(found: Operation[..., Any]) -> None:
    described = openapi_document(CATALOG, ORIGIN)
    entry = described["paths"][found.path][found.method.lower()]
    assert (entry["operationId"], entry["summary"], entry["tags"]) == (
        found.name,
        found.summary,
        [found.category],
    )
    assert entry.get("x-scopes", []) == list(found.scopes)
    security = entry.get("security", described["security"])
    keys, granted = security[:2], [one["oauth2"] for one in security[2:]]
    assert keys == ([] if found.public else [{"bearer": []}, {"apiKey": []}])
    sufficient = [[one] for one in GRANTABLE if {*found.scopes} & implied_scopes((one,))]
    assert sorted(granted) == sorted(sufficient if found.scopes else [] if found.public else [[]])
    assert {one["name"] for one in entry["parameters"] if one["in"] == "path"} == set(
        found.path_names
    )
    assert str(found.http.status) in entry["responses"]
    assert {"400", "404", "429", "500"} <= set(entry["responses"])
    assert ({"401", "403"} <= set(entry["responses"])) is not found.public


@each_for_keys
def test_a_scope_alone_opens_exactly_what_declares_or_is_implied_by_it(
    found: Operation[..., Any], quiet: Any
) -> None:
    opened = {scope for scope in SCOPES if opens(quiet, scope, found)}
    enough = {scope for needed in found.scopes for scope in (needed, *IMPLIED.get(needed, ()))}
    assert opened == (enough or set(SCOPES))


def opens(parts: Any, scope: str, found: Operation[..., Any], caller: Caller | None = None) -> bool:
    try:
        parts.authorize(
            caller or Caller(user=1, user_id="u", username="u", kind="key", scopes=(scope,)), found
        )
    except InsufficientScope as refused:
        return refused.details != {"scope": found.scopes[0]}
    return True


@each_for_keys
def test_an_oauth_token_of_one_scope_opens_what_a_key_with_it_does_save_the_account(
    found: Operation[..., Any], place: Served, quiet: Any, tokens: dict[str, str]
) -> None:
    ring = place.asgi.front.credentials.ring
    for scope, token in tokens.items():
        caller = ring.find_caller(token)
        assert (caller.kind, caller.scopes) == ("oauth", (scope,))
        account = "account:manage" in found.scopes and scope == "account:manage"
        assert opens(quiet, scope, found, caller) == (opens(quiet, scope, found) and not account)


@each_for_keys
def test_a_device_token_opens_what_its_scopes_open_and_nothing_else(
    found: Operation[..., Any], place: Served, quiet: Any, device_tokens_: dict[str, str]
) -> None:
    ring = place.asgi.front.credentials.ring
    for scope, token in device_tokens_.items():
        caller = ring.find_caller(token)
        assert (caller.kind, caller.scopes, caller.bound_device) == ("device", (scope,), scope)
        assert opens(quiet, scope, found, caller) == opens(quiet, scope, found)


@pytest.mark.anyio
@each_scoped
async def test_a_device_token_without_the_scope_is_answered_403(
    found: Operation[..., Any], place: Served, device_tokens_: dict[str, str]
) -> None:
    async with place.client() as client:
        for scope, token in device_tokens_.items():
            if scope not in found.scopes:
                response = await client.request(
                    *example(found), headers={"Authorization": f"Bearer {token}"}
                )
                assert_refusal(response, 403, "insufficient_scope")


@pytest.mark.anyio
@each_scoped
async def test_an_oauth_token_of_every_other_scope_is_answered_403(
    found: Operation[..., Any], place: Served, tokens: dict[str, str]
) -> None:
    async with place.client() as client:
        for scope, token in tokens.items():
            if scope == "account:manage" or not opens(place.parts, scope, found):
                response = await client.request(
                    *example(found), headers={"Authorization": f"Bearer {token}"}
                )
                assert_refusal(response, 403, "insufficient_scope")
                assert response.headers["www-authenticate"] == (
                    f'Bearer error="insufficient_scope", scope="{found.scopes[0]}", '
                    + CHALLENGE.removeprefix("Bearer ")
                )


AGENTS_MAY = frozenset(
    "identity os_index list_tools call_tool send_message create_note create_todo diff_snapshots "
    "get_note_content get_todo grep_notes list_folders list_notes list_snapshots read_snapshot "
    "read_version restore_snapshot save_snapshot search_notes search_todos".split()
)
"""What a managed agent may ask for that is permitted all that can be."""


@pytest.fixture(scope="module")
async def agent_secret(place: Served, whole_key: str) -> str:
    """A key with every scope that an agent of carol's can have."""
    permissions = {
        "agentAccess": True,
        "notesAccess": {"scope": "all", "access": "edit"},
        "calendarAccess": {"read": "full", "write": True},
        "emailAccess": {"read": True},
        "todoAccess": {"read": True, "create": True},
        "toolAccess": {"allowedTools": ["web_search", "read_url", "far__tool"]},
    }
    async with place.client(whole_key) as carol:
        body = {"handle": "helper", "name": "Helper", "permissions": permissions}
        made = await carol.ok("POST", "/managed-agents", status=201, json=body)
        scopes = [scope for scope in SCOPES if scope in permitted_scopes(permissions_of(made))]
        path = f"/managed-agents/{made['agent']['id']}/keys"
        body = {"name": "all", "scopes": scopes}
        return str((await carol.ok("POST", path, status=201, json=body))["secret"])


def permissions_of(made: Any) -> Permissions:
    return convert(made["agent"]["permissions"], Permissions)


@pytest.mark.anyio
@each_guarded
async def test_an_agents_key_opens_what_can_be_permitted_and_else_is_answered_403(
    found: Operation[..., Any], place: Served, agent_secret: str
) -> None:
    caller = place.parts.renew_caller(place.asgi.front.credentials.ring.find_caller(agent_secret))
    assert caller.kind == "managed_agent"
    if found.name in AGENTS_MAY:
        place.parts.authorize(caller, found)
        return
    async with place.client(agent_secret) as client:
        response = await client.request(*example(found))
        assert response.status_code == 403, response.text
        assert response.json()["error"] in ("forbidden", "insufficient_scope")


@each_for_keys
def test_without_any_scope_only_what_asks_for_none_is_open(
    found: Operation[..., Any], quiet: Any
) -> None:
    caller = Caller(user=1, user_id="u", username="u", kind="key", scopes=())
    if found.scopes:
        with pytest.raises(InsufficientScope):
            quiet.authorize(caller, found)
    else:
        quiet.authorize(caller, found)


@each_for_sessions
def test_what_a_person_decides_is_open_to_their_session_alone(
    found: Operation[..., Any], quiet: Any
) -> None:
    for kind in get_args(Kind):
        caller = Caller(user=1, user_id="u", username="u", kind=kind)
        if kind == "session":
            quiet.authorize(caller, found)
        else:
            with pytest.raises(Forbidden):
                quiet.authorize(caller, found)


@each_guarded
def test_without_a_caller_nothing_is_open_that_is_not_public(
    found: Operation[..., Any], quiet: Any
) -> None:
    with pytest.raises(AppError):
        quiet.authorize(None, found)


@each_command
def test_what_only_the_command_line_may_ask_does_not_exist_for_anyone_else(
    found: Operation[..., Any], quiet: Any
) -> None:
    for caller in (
        None,
        Caller(user=1, user_id="u", username="u", kind="key"),
        Caller(user=1, user_id="u", username="u", kind="session"),
    ):
        with pytest.raises(NotFound):
            quiet.authorize(caller, found)


class Frugal(Served):
    """A server that gives the same key again for the same scopes, since a user has at most so
    many.
    """

    async def key(self, username: str, scopes: list[str] | None = None, **more: Any) -> str:
        made: dict[tuple[str, ...], str] = self.__dict__.setdefault("made", {})
        wanted = (username, *(scopes or ()))
        if wanted not in made:
            made[wanted] = await super().key(username, scopes, **more)
        return made[wanted]


@pytest.fixture(scope="module")
async def place(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> AsyncIterator[Served]:
    """One server for the tests that change nothing in it."""
    data = tmp_path_factory.mktemp("contract")
    shutil.copy(migrated, data / migrated.name)
    clock = MovableClock()
    asgi = create_app(
        Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False),
        data,
        clock=clock,
    )
    async with asgi.router.lifespan_context(asgi):
        served = Frugal(asgi, asgi.state.parts)
        await served.command("add_user", username="carol")
        yield served


@pytest.fixture(scope="module")
def quiet(place: Served) -> Any:
    """The running App, to be asked only for rights."""
    return place.parts


@pytest.fixture(scope="module")
async def whole_key(place: Served) -> str:
    """One key with every scope: a user has only so many."""
    return await place.key("carol")


@pytest.fixture(scope="module")
async def tokens(place: Served) -> dict[str, str]:
    """An OAuth access token of each scope alone; of the one that is never granted, too."""

    def issue(tx: Tx) -> dict[str, str]:
        user = users.require_user(tx, "carol")["id"]
        client = OAuthClient("app", "An application", ())
        made = {}
        for scope in SCOPES:
            grant = oauth_grants.begin(
                tx, user, client, (scope,), code=scope.encode(), ends_at="9999"
            )
            made[scope] = oauth_tokens.issue(tx, grant, (scope,), refreshing=None).access
        return made

    return await place.parts.write(issue)


@pytest.fixture(scope="module")
async def device_tokens_(place: Served) -> dict[str, str]:
    """A device token of each scope that one can have, each of its own device."""

    def issue(tx: Tx) -> dict[str, str]:
        user = users.require_user(tx, "carol")["id"]
        return {
            scope: device_tokens.issue(tx, user, scope, "trial", name=scope, scopes=(scope,))
            for scope in (*device_tokens.RUNTIME, *device_tokens.RAW_MEMORY)
        }

    return await place.parts.write(issue)


@pytest.fixture(scope="module")
async def index(place: Served, whole_key: str) -> Any:
    async with place.client(whole_key) as client:
        return (await client.get("/os")).json()


@pytest.fixture(scope="module")
async def dead_keys(place: Served) -> dict[str, str]:
    """Credentials that must open nothing, by what is wrong with them."""
    alive = await place.key("carol")
    keys = {
        "wrong": "hearth_sk_" + "0" * 40,
        "empty": "",
        "truncated": alive[:-1],
        "lengthened": alive + "0",
        "in capitals": alive.upper(),
        "a prefix": "hearth_sk_",
    }
    for name in ("revoked", "expired"):
        made = await place.command("issue_key", username="carol", name=name, expiresIn="1h")
        keys[name] = made.secret
        if name == "revoked":
            await place.command("end_key", id=made.key.id)
    place.parts.clock.forward(hours=2)
    return keys


def example(found: Operation[..., Any]) -> tuple[str, str]:
    """A method and a path with something in every place."""
    return found.method, found.path.format_map(
        {"kind": "note", "username": "bob", "token": "none", "handle": "rs_none"}
        | {name: "1" for name in found.path_names if name.endswith(("d", "q"))}
    )


def assert_refusal(response: Any, status: int, code: str) -> Any:
    body = response.json()
    assert (response.status_code, body["error"]) == (status, code)
    assert body["success"] is False
    assert body["message"].endswith(".")
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-request-id"]
    return body


CHALLENGE = f'Bearer resource_metadata="{ORIGIN}/.well-known/oauth-protected-resource/api/v1"'


@pytest.mark.anyio
@each_guarded
async def test_without_a_credential_every_operation_answers_401(
    found: Operation[..., Any], place: Served
) -> None:
    async with place.client() as client:
        response = await client.request(*example(found))
        body = assert_refusal(response, 401, "unauthorized")
    assert set(body) == {"success", "error", "message"}
    assert response.headers["www-authenticate"] == CHALLENGE


@pytest.mark.anyio
@each_guarded
async def test_a_credential_that_does_not_hold_opens_no_operation(
    found: Operation[..., Any], place: Served, dead_keys: dict[str, str]
) -> None:
    async with place.client() as client:
        for name, key in dead_keys.items():
            for header in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
                response = await client.request(*example(found), headers=header)
                assert_refusal(response, 401, "unauthorized")
                assert (
                    response.headers["www-authenticate"] == CHALLENGE + ', error="invalid_token"'
                ), name


@pytest.mark.anyio
@each_scoped
async def test_with_another_scope_every_operation_answers_403_and_names_the_one_that_is_missing(
    found: Operation[..., Any], place: Served
) -> None:
    others = [
        scope
        for scope in SCOPES
        if scope not in found.scopes
        and not any(scope in IMPLIED.get(needed, ()) for needed in found.scopes)
    ]
    async with place.client(await place.key("carol", others)) as client:
        response = await client.request(*example(found))
        body = assert_refusal(response, 403, "insufficient_scope")
    assert body["scope"] == found.scopes[0]
    assert found.scopes[0] in body["message"]


@pytest.mark.anyio
@each_with_body
async def test_a_body_that_is_no_json_object_is_refused_everywhere(
    found: Operation[..., Any], place: Served, whole_key: str
) -> None:
    async with place.client(whole_key) as client:
        for body in (b"{", b"[]", b"nul"):
            assert_refusal(
                await client.request(*example(found), content=body), 400, "invalid_request"
            )


READS_TOO = {
    "replace_in_notes": ("os.notes:read",),
    "execute_heartbeat_action": ("os.todos:write",),
    "create_agent_key": ("agent.message:send",),
}
"""What shows something of what it writes, or does what another right allows, and so asks for a
second scope.
"""


class Ref(str):
    """A thing that the fixture `ready` has made, by its name."""


TO_BOB = {"kind": "person_default_runtime", "principalId": "bob"}
TRUSTING = {"accessPreset": "read-project", "scope": "persistent"}
NOTE, FOLDER, TODO, BINNED = Ref("note"), Ref("folder"), Ref("todo"), Ref("binned")
CALLS: dict[str, dict[str, Any]] = {
    "init": {},
    "os_index": {},
    "status": {},
    "identity": {},
    "accumulate": {
        "files": [{"path": "a/b.md", "content": "x"}, {"path": "../c", "content": "y"}],
        "texts": [{"title": "T", "content": "t"}],
    },
    "list_managed_agents": {"status": "active", "limit": 5},
    "create_managed_agent": {
        "handle": "scout",
        "name": "Scout",
        "persona": "Be brief.",
        "namespaces": ["notes"],
        "permissions": {"notesAccess": {"scope": "folders", "folderIds": [FOLDER]}},
        "visibility": "contacts",
        "budget": {"monthlyTokens": 1000, "perReplyTokens": 500},
    },
    "read_managed_agent": {"id": Ref("agent")},
    "change_managed_agent": {"id": Ref("agent"), "status": "paused", "model": None},
    "delete_managed_agent": {"id": Ref("agent")},
    "list_agent_keys": {"id": Ref("agent")},
    "create_agent_key": {"id": Ref("agent"), "name": "bridge", "expiresIn": "1h"},
    "revoke_agent_key": {"id": Ref("agent"), "keyId": Ref("agent_key")},
    "chat_with_agent": {"id": Ref("agent"), "message": "Hello", "stream": False},
    "list_trash": {"kind": "note", "limit": 5},
    "restore_from_trash": {"kind": "note", "id": BINNED},
    "purge_from_trash": {"kind": "note", "id": BINNED},
    "empty_trash": {},
    "read_settings": {},
    "change_settings": {
        "name": "Alice A.",
        "agentName": "Al",
        "email": "a@example.org",
        "timezone": "Europe/Berlin",
    },
    "list_keys": {},
    "create_key": {"name": "phone", "scopes": ["account:manage"], "expiresIn": "7d"},
    "rotate_key": {"id": Ref("key"), "graceSeconds": 60},
    "revoke_key": {"id": Ref("key")},
    "explain": {"caller": "me", "operation": "GET /os/notes", "args": '{"limit": 1}'},
    "read_team": {},
    "invite_to_team": {"email": "carl@example.org", "role": "admin"},
    "revoke_invite": {"id": Ref("invite")},
    "accept_invite": {"token": Ref("invite_token")},
    "change_member": {"username": "bob", "role": "admin"},
    "remove_member": {"username": "bob"},
    "list_grants": {},
    "revoke_grant": {"id": Ref("grant")},
    "openapi": {},
    "list_folders": {"parentId": "root"},
    "create_folder": {"path": "x/y/z"},
    "change_folder": {"id": FOLDER, "name": "Renamed", "icon": "📁"},
    "delete_folder": {"id": FOLDER},
    "list_folder_shares": {"id": FOLDER},
    "share_folder": {"id": FOLDER, "username": "bob", "role": "editor"},
    "unshare_folder": {"id": FOLDER, "username": "bob"},
    "list_notes": {"recursive": "true", "limit": 1000},
    "create_note": {"title": "New", "content": "# text", "tags": ["a"], "folderId": FOLDER},
    "get_note_content": {"id": NOTE},
    "change_note": {"id": NOTE, "content": "<p>other</p>", "title": "Other"},
    "delete_note": {"id": NOTE},
    "copy_note": {"id": NOTE, "folderId": None},
    "move_note": {"id": NOTE, "folderId": FOLDER},
    "pin_note": {"id": NOTE, "pinned": True},
    "search_notes": {"query": "text"},
    "memory_search": {"query": "text"},
    "search_status": {},
    "related_notes": {"id": NOTE},
    "grep_notes": {"pattern": "t.xt", "mode": "regex", "contextBefore": 1},
    "get_note_links": {"id": NOTE, "limit": 10},
    "rewrite_links": {"id": NOTE, "from": "An older title"},
    "find_by_name": {"q": "new", "kinds": "note,folder"},
    "replace_in_notes": {
        "pattern": "t(.)xt",
        "mode": "regex",
        "replacement": "$1",
        "preview": False,
    },
    "undo_replace": {"undoId": Ref("undo")},
    "list_snapshots": {"noteId": NOTE},
    "save_snapshot": {"noteId": NOTE, "label": "before"},
    "read_snapshot": {"noteId": NOTE, "seq": 1},
    "read_version": {"noteId": NOTE, "versionId": Ref("version")},
    "restore_snapshot": {"noteId": NOTE, "seq": 1},
    "diff_snapshots": {"noteId": NOTE, "from": "1"},
    "search_todos": {"includeSteps": "true"},
    "create_todo": {
        "title": "Do it",
        "dueDate": "2026-11-22",
        "priority": 2,
        "steps": [{"title": "first"}],
    },
    "get_todo": {"id": TODO},
    "edit_todo": {"id": TODO, "title": "Do it well", "dueDate": None},
    "delete_todo": {"id": TODO},
    "complete_todo": {"id": TODO},
    "quick_add_todo": {"text": "Water the beds tomorrow"},
    "replan_todos": {"dryRun": True},
    "list_tools": {},
    "call_tool": {"tool": "create_todo", "params": {"title": "Do it"}},
    "list_namespaces": {},
    "switch_namespaces": {"disable": ["todos"]},
    "summarize_notes": {"limit": 3},
    "briefing": {
        "timeDuration": "last 3 days",
        "emails": [
            {
                "id": 7,
                "summary": "Contract",
                "sender": "Ann <ann@example.org>",
                "needsReply": True,
                "priority": "high",
                "date": "2026-11-21",
            }
        ],
        "calendarEvents": [
            {"summary": "Review", "start": "2026-11-21T10:00:00Z", "end": "2026-11-21T11:00:00Z"}
        ],
    },
    "briefing_strategies": {"todoSummary": "<ul><li>Pay the rent today</li></ul>"},
    "briefing_matrix": {"todoSummary": "<ul><li>Pay the rent today</li></ul>", "explain": True},
    "list_briefings": {"limit": 100},
    "get_briefing": {"id": Ref("briefing")},
    "list_mcp_servers": {},
    "add_mcp_server": {"name": "More", "serverUrl": Ref("mcp_url")},
    "get_mcp_server": {"id": Ref("mcp_server")},
    "edit_mcp_server": {"id": Ref("mcp_server"), "name": "Renamed"},
    "remove_mcp_server": {"id": Ref("mcp_server")},
    "authorize_mcp_server": {"id": Ref("mcp_server")},
    "refresh_mcp_server": {"id": Ref("mcp_server")},
    "disconnect_mcp_server": {"id": Ref("mcp_server")},
    "list_integrations": {},
    "add_integration": {
        "kind": "ics",
        "name": "Home",
        "content": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:t\r\nEND:VCALENDAR\r\n",
    },
    "remove_integration": {"id": Ref("integration")},
    "upload_attachment": {"name": "a.txt"},
    "list_attachments": {},
    "start_import": {"name": "a.md"},
    "import_job": {"id": Ref("import")},
    "cancel_import": {"id": Ref("import")},
    "export_workspace": {},
    "export_job": {"id": Ref("export")},
    "download_export": {"id": Ref("export")},
    "cancel_export": {"id": Ref("export")},
    "download_attachment": {"id": Ref("attachment")},
    "delete_attachment": {"id": Ref("attachment")},
    "chat": {"message": "What is there?", "stream": False},
    "list_models": {},
    "list_conversations": {},
    "read_conversation": {"id": Ref("conversation")},
    "delete_conversation": {"id": Ref("conversation")},
    "mark_read": {"id": Ref("conversation")},
    "list_escalations": {"status": "all"},
    "read_escalation": {"id": Ref("escalation")},
    "decide_escalation": {"id": Ref("escalation"), "decision": "continue", "note": "yes"},
    "list_precedents": {},
    "delete_precedent": {"id": Ref("precedent")},
    "read_usage": {"month": "2026-11"},
    "read_invoice": {},
    "simulate_invoice": {
        "activeDevices": 3,
        "tokens": 1_000_000,
        "prices": {"tokenPriceMicros": 2},
    },
    "read_heartbeat_policy": {},
    "choose_heartbeat_policy": {"tier": "ACTIONS"},
    "read_heartbeat_schedule": {},
    "change_heartbeat_schedule": {
        "enabled": True,
        "activeHours": {"start": "08:00", "end": "18:00"},
        "weekdays": [1, 2, 3],
    },
    "read_heartbeat_status": {},
    "run_heartbeat": {"dryRun": True},
    "list_heartbeat_runs": {},
    "read_heartbeat_run": {"id": Ref("run")},
    "undo_heartbeat_run": {"id": Ref("run")},
    "execute_heartbeat_action": {"id": Ref("proposal")},
    "read_heartbeat_instructions": {},
    "replace_heartbeat_instructions": {"content": "- overdue todos"},
    "list_caps": {},
    "create_cap": {
        "subject": "account",
        "metric": "tokens",
        "period": "month",
        "limit": 1_000_000,
        "warnPercent": 90,
    },
    "change_cap": {"id": 1, "limit": 10},
    "delete_cap": {"id": 1},
    "send_message": {"to": "bob", "message": "Hello"},
    "create_group": {"name": "Team", "members": ["bob"]},
    "list_groups": {},
    "read_group": {"conversationId": Ref("group")},
    "rename_group": {"conversationId": Ref("group"), "name": "Other"},
    "add_group_members": {"conversationId": Ref("group"), "username": "bob"},
    "remove_group_member": {"conversationId": Ref("group"), "username": "bob"},
    "request_contact": {"to": "carol_coo", "note": "Hello"},
    "list_requests": {},
    "cancel_request": {"requestId": Ref("outgoing")},
    "answer_request": {
        "requestId": Ref("incoming"),
        "type": "agent",
        "action": "accept",
        "permissions": {"todoAccess": {"read": True}},
    },
    "connect_by_link": {"shareToken": Ref("open_link")},
    "list_contacts": {"q": "bo", "limit": 5},
    "create_share_link": {
        "scope": "folders",
        "folderIds": [FOLDER],
        "label": "Friends",
        "todos": {"read": True, "create": True},
        "expiresIn": "7d",
    },
    "list_share_links": {"status": "all", "limit": 50},
    "read_share_link": {"linkId": Ref("link")},
    "change_share_link": {
        "linkId": Ref("link"),
        "notesAccess": "edit",
        "access": "read_calendar",
        "identity": {"loadUser": False},
    },
    "revoke_share_link": {"linkId": Ref("link"), "purge": True},
    "read_network": {},
    "read_whole_network": {},
    "list_guest_conversations": {"limit": 1000},
    "read_guest_conversation": {"sessionId": Ref("guest_session")},
    "list_guest_messages": {"since": 0},
    "sync_guest_messages": {"decisions": [{"clientEventId": "e1", "decision": "answer"}, {}]},
    "reply_to_guest": {"sessionId": Ref("guest_session"), "content": "Hello."},
    "remove_contact": {"userId": "bob"},
    "read_permissions": {"userId": "bob"},
    "change_permissions": {
        "userId": "bob",
        "permissions": {
            "agentAccess": True,
            "notesAccess": {"scope": "folders", "folderIds": [FOLDER]},
        },
    },
    "register_endpoint": LAPTOP,
    "list_endpoints": {},
    "beat_endpoint": {"id": Ref("endpoint")},
    "remove_endpoint": {"id": Ref("endpoint")},
    "begin_runtime_session": {**SESSION, "endpointId": Ref("endpoint")},
    "change_runtime_session": {"handle": Ref("runtime_session"), "state": "busy"},
    "put_default_route": {"endpointId": Ref("endpoint"), "sessionHandle": Ref("runtime_session")},
    "read_default_route": {},
    "remove_default_route": {},
    "who_am_i": {},
    "resolve_person": {"q": "@bob"},
    "read_pair_status": {"principalId": "bob"},
    "list_team_agents": {},
    "start_device_code": LAPTOP,
    "poll_device_code": {"pollToken": Ref("poll_token")},
    "decide_device_code": {"userCode": Ref("user_code"), "decision": "approve"},
    "stream_events": {"endpointId": Ref("endpoint")},
    "poll_events": {"endpointId": Ref("endpoint")},
    "request_grant": {
        "target": TO_BOB,
        "replyEndpointId": Ref("endpoint"),
        "replySessionHandle": Ref("runtime_session"),
    },
    "list_runtime_grants": {},
    "accept_grant": {"id": Ref("asked_grant")},
    "decline_grant": {"id": Ref("asked_grant")},
    "revoke_runtime_grant": {"id": Ref("runtime_grant")},
    "offer_session": {
        "endpointId": Ref("endpoint"),
        "sessionHandle": Ref("runtime_session"),
        "audiencePrincipalId": "bob",
    },
    "revoke_offer": {"id": Ref("offer")},
    "send_runtime_message": {
        "communicationSessionId": Ref("runtime_grant"),
        "clientMessageId": "m1",
        "kind": "text",
        "payload": {"text": "Hello"},
        "replyTo": Ref("runtime_message"),
    },
    "read_runtime_message": {"id": Ref("runtime_message")},
    "acknowledge_message": {"id": Ref("runtime_message"), "phase": "device_ack", "attemptId": "a1"},
    "validate_injection": {
        "messageId": Ref("runtime_message"),
        "communicationSessionId": Ref("runtime_grant"),
        "endpointId": Ref("endpoint"),
    },
    "ask_tool_approval": {
        "communicationSessionId": Ref("runtime_grant"),
        "sessionHandle": Ref("runtime_session"),
        "messageId": Ref("runtime_message"),
        "toolName": "Write",
        "toolInputSummary": "notes.md",
    },
    "read_tool_approval": {"id": Ref("approval")},
    "list_trusted_policies": {},
    "trust_tools": {"peerPrincipalId": "bob", **TRUSTING},
    "revoke_trusted_policy": {"id": Ref("tool_policy")},
    "acknowledge_trusted_policy": {
        "id": Ref("tool_policy"),
        "revision": 1,
        "canonicalFolder": "/home/ann",
    },
    "report_policy_usage": {
        "id": Ref("tool_policy"),
        "revision": 1,
        "uses": [{"sequence": 1, "usedAt": "2026-11-21T09:30:00.000Z"}],
    },
    "delegate_task": {
        "target": TO_BOB,
        "task": "Look at the log.",
        "sessionHandle": Ref("runtime_session"),
        "clientMessageId": "delegate:1",
    },
    "add_raw_device": RawDevice().public,
    "list_raw_devices": {},
    "revoke_raw_device": {"deviceId": Ref("raw_device")},
    "begin_enrolment": RawDevice().public,
    "poll_enrolment": {"pollToken": Ref("raw_poll")},
    "decide_enrolment": {"id": Ref("raw_enrolment"), "decision": "approve"},
    "get_account_keys": {},
    "put_account_keys": {"accountKeyId": KEY_ID, "ifGeneration": 1, "wraps": [Ref("raw_wrap")]},
    "upload_records": {"records": [Ref("raw_unsent")]},
    "list_records": {},
    "read_record": {"recordId": Ref("raw_record")},
    "delete_record": {"recordId": Ref("raw_record")},
    "delete_session_records": {"sessionRef": "a session"},
    "raw_memory_usage": {},
    "list_webhooks": {},
    "add_webhook": {"url": "https://example.com/hook", "events": ["grant.revoked"]},
    "list_webhook_event_types": {},
    "get_webhook": {"id": Ref("webhook")},
    "change_webhook": {"id": Ref("webhook"), "description": "To nobody"},
    "remove_webhook": {"id": Ref("webhook")},
    "rotate_webhook_secret": {"id": Ref("webhook")},
    "test_webhook": {"id": Ref("webhook")},
    "list_webhook_deliveries": {"id": Ref("webhook"), "status": "failed", "limit": 1000},
    "retry_webhook_delivery": {"id": Ref("webhook"), "deliveryId": Ref("delivery")},
}
"""For each operation a call that succeeds."""


@dataclasses.dataclass(frozen=True)
class Stock:
    """A closed data directory that holds what the calls ask for, the names of these things, and
    the keys of its users.
    """

    data: Path
    made: dict[str, Any]
    keys: dict[str, str]


@pytest.fixture(scope="module")
async def stock(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> Stock:
    """What the calls ask for, made once; each test gets a copy."""
    data = tmp_path_factory.mktemp("stock") / "data"
    data.mkdir()
    shutil.copy(migrated, data / migrated.name)
    async with running(data) as served:
        alice, bob = await served.person("alice"), await served.person("bob")
        made = await stocked(alice, bob, served)
        return Stock(
            data,
            made,
            {
                client.username: client.headers["Authorization"].removeprefix("Bearer ")
                for client in (alice, bob)
            },
        )


@contextlib.asynccontextmanager
async def running(data: Path) -> AsyncIterator[Served]:
    asgi = create_app(open_settings(), data, clock=MovableClock(), control_token="control-token")
    async with asgi.router.lifespan_context(asgi):
        yield Served(asgi, asgi.state.parts)


@dataclasses.dataclass(frozen=True)
class Ready:
    """A server of the test's own over a copy of the stock."""

    served: Served
    alice: Client
    made: dict[str, Any]


@contextlib.asynccontextmanager
async def mcp_server(client: Client, *, wanted: bool) -> AsyncIterator[dict[str, Any]]:
    """Give the address and the id of an MCP server that wants a login, where one is wanted."""
    if not wanted:
        yield {}
        return
    async with hostile() as made:
        made.wants_login()
        body = {"name": "Far", "serverUrl": made.url}
        added = await client.ok("POST", "/tools/mcp", status=201, json=body)
        yield {"mcp_url": made.url, "mcp_server": added["server"]["id"]}


@pytest.fixture(scope="module")
async def reading(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Ready]:
    """One server over a copy of the stock for all calls that only read."""
    data = tmp_path_factory.mktemp("reading") / "data"
    shutil.copytree(stock.data, data)
    async with (
        running(data) as served,
        served.client(stock.keys["alice"]) as alice,
        served.client(stock.keys["bob"]) as bob,
    ):
        yield Ready(served, alice, {**stock.made, **await teamed(alice, bob)})


@pytest.fixture
async def ready(
    stock: Stock, reading: Ready, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Ready]:
    found = request.node.callspec.params["found"]
    if found.method == "GET" and not re.search("mcp|import|export", found.name):
        yield reading
        return
    data = tmp_path / "data"
    shutil.copytree(stock.data, data)
    async with (
        running(data) as served,
        served.client(stock.keys["alice"]) as alice,
        served.client(stock.keys["bob"]) as bob,
        mcp_server(alice, wanted="mcp" in request.node.name) as remote,
    ):
        made = {
            **stock.made,
            **remote,
            **(
                await moved(alice, "import", "export")
                if re.search("import|export", request.node.name)
                else {}
            ),
            **await (invited(bob) if "accept_invite" in request.node.name else teamed(alice, bob)),
        }
        yield Ready(served, alice, made)


async def stocked(alice: Client, bob: Client, served: Served) -> dict[str, Any]:
    """A folder shared with a contact, a note with a snapshot, a note in the trash, a todo, a
    key, a grant and more.
    """
    await served.command("connect_users", username="alice", contact="bob")
    folder = await alice.folder("Shared")
    await alice.ok(
        "POST", f"/os/folders/{folder}/share", json={"username": "bob", "role": "viewer"}
    )
    note, binned = await alice.note("One", "some text"), await alice.note("Two")
    await alice.ok("DELETE", f"/os/notes/{binned['id']}")
    await alice.ok("POST", f"/os/snapshots/{note['id']}", json={})
    version = (await alice.ok("GET", f"/os/snapshots/{note['id']}"))["snapshots"][0]["versionId"]
    key = (
        await served.command("issue_key", username="alice", name="spare", scopes=["account:manage"])
    ).key.id
    grant = await served.parts.write(
        lambda tx: (
            tx.run(
                "INSERT INTO oauth_grants (user_id, client_id, client_name, scopes, "
                "created_at) VALUES (1, 'c', 'C', '[]', '')"
            ).lastrowid
        )
    )
    undo = (
        await alice.ok(
            "POST",
            "/os/notes/replace",
            json={"pattern": "One", "replacement": "two", "preview": False},
        )
    )["undo"]
    chat = await alice.ok("POST", "/chat", json={"message": "Hello", "stream": False})
    waiting = [await served.parts.write(raised, title) for title in ("first", "second")]
    await served.command(
        "settle_escalation", username="alice", id=waiting[0], decision="continue", remember="tool"
    )
    work = await alice.ok(
        "POST", "/tools/integrations", status=201, json={**CALLS["add_integration"], "name": "Work"}
    )
    await alice.ok("POST", "/os/todos", status=201, json={"title": "Late", "dueDate": "2026-11-01"})
    await alice.ok(
        "PUT",
        "/heartbeat/instructions",
        json={"content": "- overdue todos\n- every day: create a todo “Air the room”\n"},
    )
    run = (await alice.ok("POST", "/heartbeat/run", json={}))["result"]["runId"]
    actions = (await alice.ok("GET", f"/heartbeat/runs/{run}"))["actions"]
    hook = {"url": "http://127.0.0.1:9/nobody-listens", "events": ["webhook.test"]}
    webhook = (await alice.ok("POST", "/webhooks", status=201, json=hook))["webhook"]["id"]
    delivery = (await alice.ok("POST", f"/webhooks/{webhook}/test"))["delivery"]["id"]
    team = await alice.ok(
        "POST", "/network/groups", status=201, json={"name": "Team", "members": ["bob"]}
    )
    await served.command("add_user", username="carol")
    await alice.ok("POST", "/network/request", json={"to": "carol"})
    incoming = (await bob.ok("POST", "/network/request", json={"to": "alice_coo"}))["requestId"]
    agent = await alice.ok(
        "POST", "/managed-agents", status=201, json={"handle": "helper", "name": "Helper"}
    )
    number = agent["agent"]["id"]
    agent_key = await alice.ok(
        "POST", f"/managed-agents/{number}/keys", status=201, json={"name": "spare"}
    )
    made = {
        "agent": number,
        "agent_key": agent_key["key"]["id"],
        "group": team["group"]["conversationId"],
        **await visited(alice),
        "open_link": (await served.parts.write(opened)).token,
        "outgoing": (await alice.ok("GET", "/network/requests"))["outgoing"][0]["requestId"],
        "incoming": incoming,
        "run": run,
        "webhook": webhook,
        "delivery": delivery,
        "proposal": next(one["id"] for one in actions if one["status"] == "proposed"),
        "escalation": waiting[1],
        "precedent": (await alice.ok("GET", "/escalations/precedents"))["precedents"][0]["id"],
        "conversation": chat["conversationId"],
        "integration": work["integration"]["id"],
        "attachment": (
            await alice.ok("POST", "/os/attachments?name=a.txt", status=201, content=b"text")
        )["attachment"]["id"],
        "folder": folder,
        "note": note["id"],
        "binned": binned["id"],
        "version": version,
        "key": key,
        "grant": grant,
        "undo": undo,
        "session": (await served.command("sign_in", key=await served.key("alice"))).secret,
        **await with_device(alice),
        **await with_raw_memory(alice),
    }
    made |= await with_grants(alice, bob, made)
    if "briefing" in CATALOG.operations:
        made["briefing"] = (await alice.ok("POST", "/briefing", json={}))["briefingId"]
    if "create_todo" in CATALOG.operations:
        made["todo"] = (await alice.ok("POST", "/os/todos", status=201, json={"title": "T"}))[
            "result"
        ]["todo"]["id"]
    return made


def opened(tx: Tx) -> share_rows.Link:
    """A share link of carol's."""
    return share_rows.add(
        tx,
        3,
        label="",
        target="agent",
        answered_by="agent",
        require_sign_in=True,
        note_id=None,
        terms=Terms("all"),
        expires_at=None,
    )


async def visited(owner: Client) -> dict[str, Any]:
    """A share link that a guest has come by, whom a machine of its owner's answers."""
    made = await guests.link(owner, answeredBy="local")
    await guests.ask(owner, made, "hello")
    sessions = await owner.ok("GET", "/os/network/conversations")
    return {"link": str(made["id"]), "guest_session": sessions["conversations"][0]["sessionId"]}


async def moved(owner: Client, *kinds: str) -> dict[str, Any]:
    """Jobs of these kinds that are done."""
    jobs = {}
    for kind in kinds:
        begun = await (
            owner.ok("GET", "/export")
            if kind == "export"
            else owner.ok("POST", "/import?name=a.md", status=202, content=b"text")
        )
        jobs[kind] = (await finished(owner, f"/{kind}/{begun['job']['id']}"))["id"]
    return jobs


async def invited(other: Client) -> dict[str, Any]:
    """An invite of another's to their team."""
    return {
        "invite_token": (await other.ok("POST", "/os/team/invite"))["inviteUrl"].rpartition("/")[2]
    }


async def teamed(owner: Client, other: Client) -> dict[str, Any]:
    """A team of two with an invite that waits."""
    await other.ok("POST", f"/os/team/invites/{(await invited(owner))['invite_token']}/accept")
    return {"invite": (await owner.ok("POST", "/os/team/invite"))["invite"]["id"]}


async def with_device(alice: Client) -> dict[str, Any]:
    """A device with a session that is the default route, and one that asks to be let in."""
    made = await registered(alice)
    endpoint = made["endpoint"]["endpointId"]
    session = (await with_session(alice, made))["sessionHandle"]
    route = {"endpointId": endpoint, "sessionHandle": session}
    await alice.ok("PUT", "/local-agent/default-route", json=route)
    code = await alice.ok("POST", "/local-agent/device-code/start", json=LAPTOP)
    return {
        "endpoint": endpoint,
        "runtime_session": session,
        "user_code": code["userCode"],
        "poll_token": code["pollToken"],
    }


async def with_grants(alice: Client, bob: Client, made: dict[str, Any]) -> dict[str, Any]:
    """A grant of alice's with a message from bob and what he asked to do, a request of his for a
    session that he was offered, and what alice lets him do.
    """
    theirs = await registered(bob)
    session = (await with_session(bob, theirs))["sessionHandle"]
    endpoint = theirs["endpoint"]["endpointId"]
    route = {"endpointId": endpoint, "sessionHandle": session}
    await bob.ok("PUT", "/local-agent/default-route", json=route)
    offered = {"endpointId": made["endpoint"], "audiencePrincipalId": "bob"}
    offered["sessionHandle"] = (
        await alice.ok(
            "POST", "/local-agent/sessions", json={**SESSION, "endpointId": made["endpoint"]}
        )
    )["sessionHandle"]
    offer = (await alice.ok("POST", "/local-agent/target-offers", json=offered))["targetOfferId"]
    grants = []
    for kind in (
        {"kind": "person_default_runtime"},
        {"kind": "runtime_session", "targetOfferId": offer},
    ):
        body = {
            "target": {"principalId": "alice", **kind},
            "replyEndpointId": endpoint,
            "replySessionHandle": session,
        }
        asked = await bob.ok("POST", "/local-agent/grants", json=body)
        grants.append(asked["commSessionId"])
    await alice.ok("POST", f"/local-agent/grants/{grants[0]}/accept")
    under = {"communicationSessionId": grants[0]}
    sent = await bob.ok(
        "POST",
        "/local-agent/messages",
        json={**under, "clientMessageId": "b1", "kind": "text", "payload": {"text": "Hello"}},
    )
    wish = {"toolName": "Bash", "toolInputSummary": "ls", "sessionHandle": made["runtime_session"]}
    approval = await alice.ok("POST", "/local-agent/tool-approvals", json={**under, **wish})
    policy = {"peerPrincipalId": "bob", **TRUSTING, "canonicalFolder": "/home/other"}
    trusted = await alice.ok("POST", "/local-agent/trusted-tool-policies", status=201, json=policy)
    return {
        "runtime_grant": grants[0],
        "asked_grant": grants[1],
        "offer": offer,
        "runtime_message": sent["messageId"],
        "approval": approval["approvalId"],
        "tool_policy": trusted["policyId"],
    }


def raised(tx: Tx, title: str) -> int:
    """A todo that the first user's heartbeat would add."""
    row = tx.require_row("SELECT id, uuid, username FROM users ORDER BY id")
    me = Caller(
        user=row["id"],
        user_id=row["uuid"],
        username=row["username"],
        kind="heartbeat",
        scopes=("os.todos:write",),
    )
    return escalation_rows.raise_(
        tx,
        me,
        kind="tool_call",
        origin=Origin("heartbeat", run_id=1, tier="ACTIONS"),
        tool="create_todo",
        arguments={"title": title},
        summary=title,
        reason="It asks first.",
    )


def filled(value: Any, ready: dict[str, Any]) -> Any:
    """Give a value with the things that it names in their places."""
    if isinstance(value, dict):
        return {name: filled(each, ready) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, ready) for each in value]
    return ready[value] if isinstance(value, Ref) else value


def without_call(found: Operation[..., Any]) -> str:
    """Say which line the calls lack for an operation."""
    fields = [one.encode_name for one in structs.fields(found.fields.record) if one.required]
    example = ", ".join(f'"{name}": …' for name in fields)
    return f'{place_of("CALLS")} lacks a call that succeeds:\n    "{found.name}": {{{example}}},'


async def call(client: Client, found: Operation[..., Any], ready: dict[str, Any]) -> Any:
    assert found.name in CALLS, without_call(found)
    given = filled(CALLS[found.name], ready)
    path = found.path.format_map(given)
    others = {name: value for name, value in given.items() if name not in found.path_names}
    if found.session:
        request = client.build_request(found.method, path, json=others)
        del request.headers["Authorization"]
        request.headers["Cookie"] = f"hearth_session={ready['session']}"
        request.headers["Origin"] = ORIGIN
        return await client.send(request)
    if found.http.takes_file:
        return await client.request(
            found.method, path, params=others, content=b"the bytes of a file"
        )
    return await client.request(
        found.method,
        path,
        params=others if found.in_query else None,
        json=None if found.in_query else others,
    )


def test_every_operation_has_a_call_that_succeeds() -> None:
    lacking = [without_call(found) for found in OPERATIONS if found.name not in CALLS]
    assert not lacking, "\n".join(lacking)
    gone = set(CALLS) - {found.name for found in OPERATIONS}
    assert not gone, f"{place_of('CALLS')} has calls of what is not there: {sorted(gone)}"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "found",
    [
        pytest.param(each, id=each.name)
        for each in OPERATIONS
        if not (each.downloads or each.tells_events)
    ],
)
async def test_a_call_that_succeeds_answers_in_the_one_envelope_and_as_its_schema_says(
    found: Operation[..., Any], ready: Ready
) -> None:
    response = await call(ready.alice, found, ready.made)
    assert response.status_code == found.http.status, response.text
    if found.http.status == 204:
        assert response.content == b""
        assert "content-length" not in response.headers
        assert response.headers["x-request-id"]
        return
    described = openapi_document(CATALOG, ORIGIN)
    schema = described["paths"][found.path][found.method.lower()]["responses"][
        str(found.http.status)
    ]["content"]["application/json"]["schema"]
    jsonschema_rs.validate({**schema, "components": described["components"]}, response.json())
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert found.http.bare or response.content.startswith(b'{"success":true')
    assert response.headers["x-request-id"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "found",
    [
        pytest.param(each, id=each.name)
        for each in OPERATIONS
        if each.scopes and not each.tells_events
    ],
)
async def test_each_declared_scope_alone_is_enough_for_the_whole_call(
    found: Operation[..., Any], ready: Ready
) -> None:
    key = await ready.served.key("alice", [found.scopes[0], *READS_TOO.get(found.name, ())])
    made = dict(ready.made)
    async with ready.served.client(key) as client:
        if found.path.startswith(
            ("/import/", "/export/")
        ):  # a job shows itself only to what may do as much as the one that began it
            made |= await moved(client, found.path.split("/")[1])
        response = await call(client, found, made)
    assert response.status_code == found.http.status, response.text
