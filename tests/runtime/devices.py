"""Devices as tests use them."""

from typing import Any

from tests.conftest import Client, Served

LAPTOP = {
    "runtime": "codex",
    "bridgeVersion": "1.2.3",
    "adapterVersion": "0.4",
    "capabilities": ["listSessions", "bridge-instance:bridge_0123456789abcdef"],
    "deviceId": "laptop",
}
SESSION = {
    "label": "hearth",
    "state": "idle",
    "deliveryMode": "managed_stream",
    "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
    "allowInbound": True,
    "allowMidTurnSteer": False,
}


async def registered(client: Client, **more: Any) -> Any:
    """Register an endpoint and give the answer, with the token."""
    return await client.ok("POST", "/local-agent/endpoints", json=LAPTOP | more)


async def with_session(client: Client, made: Any, **more: Any) -> Any:
    """Begin a session at an endpoint and give it."""
    body = {**SESSION, "endpointId": made["endpoint"]["endpointId"], **more}
    return await client.ok("POST", "/local-agent/sessions", json=body)


def device(served: Served, made: Any) -> Client:
    """Give the client that comes with the token of an endpoint's device."""
    return served.client(made["deviceToken"])
