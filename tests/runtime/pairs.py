"""Two people with a device each, as tests of delegation use them."""

import contextlib
import dataclasses
from collections.abc import AsyncIterator
from typing import Any

from tests.conftest import Client, Served
from tests.runtime.devices import device, registered, with_session

REALTIME = "/local-realtime/poll"


@dataclasses.dataclass
class Side:
    """A person: their key, the token of their device, and where that is reached."""

    owner: Client
    device: Client
    endpoint: str
    session: str
    principal: str
    cursor: str = "0"

    async def poll(self, *types: str) -> list[Any]:
        """Give the events since the last look, of these types where some are named."""
        path = f"{REALTIME}?endpointId={self.endpoint}&cursor={self.cursor}"
        found = (await self.device.get(path)).json()
        if found:
            self.cursor = found[-1]["cursor"]
        return [event for event in found if not types or event["type"] in types]

    async def beat(self) -> None:
        await self.device.post(f"/local-agent/endpoints/{self.endpoint}/heartbeat", json={})

    async def set_session(self, **values: Any) -> None:
        await self.device.ok("PATCH", f"/local-agent/sessions/{self.session}", json=values)

    async def more_session(self, **values: Any) -> str:
        made = {"endpoint": {"endpointId": self.endpoint}}
        return str((await with_session(self.device, made, **values))["sessionHandle"])


@dataclasses.dataclass
class Pair:
    """Alice, who asks, and Bob, whose runtime is asked in."""

    served: Served
    alice: Side
    bob: Side

    def target(self) -> dict[str, str]:
        return {"kind": "person_default_runtime", "principalId": self.bob.principal}

    def request(self, **more: Any) -> dict[str, Any]:
        return {
            "target": self.target(),
            "replyEndpointId": self.alice.endpoint,
            "replySessionHandle": self.alice.session,
            **more,
        }

    async def asked(self, **more: Any) -> str:
        """Let Alice ask for a grant, and give its id."""
        body = self.request(**more)
        return str(
            (await self.alice.device.ok("POST", "/local-agent/grants", json=body))["commSessionId"]
        )

    async def granted(self, **more: Any) -> str:
        """Let Bob accept a grant, and give its id."""
        id_ = await self.asked(**more)
        await self.bob.device.ok("POST", f"/local-agent/grants/{id_}/accept")
        return id_

    async def status(self, id_: str) -> str:
        rows = (await self.alice.device.get("/local-agent/grants")).json()
        return str(next(row["status"] for row in rows if row["commSessionId"] == id_))


def message(grant: str, client: str = "m1", **more: Any) -> dict[str, Any]:
    """Give the body of a message."""
    return {
        "communicationSessionId": grant,
        "clientMessageId": client,
        "kind": "text",
        "payload": {"text": "Hello"},
        **more,
    }


async def send(side: Side, grant: str, client: str = "m1", **more: Any) -> str:
    """Send a message and give its id."""
    body = message(grant, client, **more)
    return str((await side.device.ok("POST", "/local-agent/messages", json=body))["messageId"])


async def acknowledge(side: Side, id_: str, phase: str, attempt: str = "a1", **more: Any) -> str:
    """Acknowledge a message, and give what was recorded."""
    body = {"phase": phase, "attemptId": attempt, **more}
    answer = await side.device.ok("POST", f"/local-agent/messages/{id_}/ack", json=body)
    return str(answer["recorded"])


async def delivery(side: Side, id_: str) -> Any:
    """Give how far a message has got."""
    return (await side.device.ok("GET", f"/local-agent/messages/{id_}"))["delivery"]


@contextlib.asynccontextmanager
async def sides(served: Served, owner: Client, name: str) -> AsyncIterator[Side]:
    """Give a person with a device whose session is their default route."""
    made = await registered(
        owner,
        deviceId=f"{name}-laptop",
        capabilities=[
            "listSessions",
            "startSession",
            "liveInject",
            f"bridge-instance:bridge_{name:0>16}",
        ],
    )
    async with device(served, made) as token:
        session = (await with_session(token, made, workspaceBoundary="/home/ann"))["sessionHandle"]
        endpoint = made["endpoint"]["endpointId"]
        route = {"endpointId": endpoint, "sessionHandle": session}
        await token.ok("PUT", "/local-agent/default-route", json=route)
        yield Side(owner, token, endpoint, session, made["endpoint"]["principalId"])
