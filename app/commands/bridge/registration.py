"""Make this machine a device of somebody's, by a code that they approve or by a key of theirs."""

import asyncio
import platform
import re
from collections.abc import Callable
from typing import Any

import click
import msgspec

from app.commands.bridge.client import Answered, Client, NotReached, Pauses, TokenEnded
from app.commands.bridge.home import Device, Home
from app.commands.terminal.command_group import Refused
from app.core import random_tokens

VERSION = "1"
RUNTIME = "claude-code"
"""The wire knows two names of runtimes; what this bridge runs is its own matter."""
CAPABILITIES = ["startSession", "liveInject", "replyEvents"]
LABEL = "hearth bridge"
POLL_SECONDS = 2.0


def fresh_device(home: Home, server: str, name: str | None) -> Device:
    """Return the device to pair: the one of this folder again, or a new one; raise Refused."""
    known = home.find_device()
    if known is not None and known.server != server:
        raise Refused(
            f"{home.folder} is paired with {known.server}. End that with `hearth bridge unpair`, "
            "or choose another folder with --home."
        )
    called = (name or (known.name if known else "") or platform.node() or "device")[:100]
    if known is not None:
        return msgspec.structs.replace(known, name=called)
    short = re.sub(r"[^a-z0-9]+", "-", called.lower()).strip("-")[:40]
    return Device(server, f"{short or 'device'}-{random_tokens.new_bytes(6).hex()}", called)


async def pair_by_key(home: Home, device: Device, key: str) -> Device:
    """Register the device by a key of its owner's, which is not kept; raise Answered."""
    async with Client(device.server, key) as client:
        return await _register(home, device, client)


async def pair_by_code(home: Home, device: Device, tell: Callable[[str], None]) -> Device:
    """Let the owner approve this device on a page; raise Refused when they do not."""
    async with Client(device.server) as client:
        body = {**_describe(device), "label": device.name}
        begun = await client.ask("POST", "local-agent/device-code/start", body)
        tell(
            f"To pair {device.name}, visit this address, sign in, and check that the code is "
            f"{begun['userCode']}:\n  {begun['approvalUrl']}\nWaiting for your decision…"
        )
        token = await _decision(client, begun["pollToken"])
    paired = msgspec.structs.replace(device, token=token)
    home.save(paired)  # first of all: it is told only once
    async with Client(device.server, token) as client:
        found = await client.ask("GET", "local-agent/endpoints")
        own = [one for one in found["endpoints"] if one["deviceId"] == device.device_id]
        if not own:
            return await _register(home, paired, client)
        return await _complete(home, paired, client, own[0]["endpointId"])


async def begin_session(home: Home, device: Device, client: Client, folder: str | None) -> Device:
    """Return the device with a session that is open at the server, the one before if it is."""
    state: dict[str, Any] = {"state": "idle", "allowInbound": True}
    if folder is not None:
        state["workspaceBoundary"] = folder
    if device.session_handle:
        try:
            await client.ask("PATCH", f"local-agent/sessions/{device.session_handle}", state)
        except TokenEnded:
            raise
        except Answered:
            pass  # closed, or of a database that was restored since
        else:
            return device
    begun = {
        **state,
        "endpointId": device.endpoint_id,
        "label": device.name or LABEL,
        "deliveryMode": "managed_stream",
        "capabilities": {"liveInject": True, "midTurnSteer": False, "replyEvents": True},
        "allowMidTurnSteer": False,
    }
    made = await client.ask("POST", "local-agent/sessions", begun)
    opened = msgspec.structs.replace(device, session_handle=made["sessionHandle"])
    home.save(opened)
    return opened


def ask_server(device: Device, method: str, path: str, **query: str) -> Any:
    """Return what the server answers the device; raise Refused with its sentence."""

    async def ask() -> Any:
        async with Client(device.server, device.token) as client:
            return await client.ask(method, path, **query)

    return run(ask())


def run(work: Any) -> Any:
    """Run what asks a server, and raise Refused with what it says against it."""
    try:
        return asyncio.run(work)
    except TokenEnded as ended:
        raise Refused(token_ended(ended)) from None
    except Answered as refusal:
        raise Refused(str(refusal)) from None
    except NotReached as trouble:
        raise Refused(f"{trouble}.") from None
    except KeyboardInterrupt:
        raise click.Abort from None


def token_ended(refusal: TokenEnded) -> str:
    """Return what to do when the server does not know the credential."""
    return (
        f"The server does not take this credential ({refusal.code}): the device was removed, or "
        "paired anew elsewhere. Pair it again with `hearth bridge pair`."
    )


async def _decision(client: Client, poll_token: str) -> str:
    pauses = Pauses()
    while True:
        try:
            found = await client.ask(
                "POST", "local-agent/device-code/poll", {"pollToken": poll_token}
            )
        except NotReached as trouble:
            await asyncio.sleep(max(pauses.next(), trouble.wait))
            continue
        match found["status"]:
            case "approved":
                return str(found["deviceToken"])
            case "pending":
                await asyncio.sleep(POLL_SECONDS)
            case "denied":
                raise Refused("The device was denied.")
            case _:
                raise Refused("The code has expired. Run the command again.")


async def _register(home: Home, device: Device, client: Client) -> Device:
    made = await client.ask("POST", "local-agent/endpoints", _describe(device))
    paired = msgspec.structs.replace(device, token=made["deviceToken"])
    home.save(paired)
    async with Client(device.server, paired.token) as own:
        return await _complete(home, paired, own, made["endpoint"]["endpointId"])


async def _complete(home: Home, device: Device, client: Client, endpoint: str) -> Device:
    who = await client.ask("GET", "local-agent/whoami")
    if device.user_id not in ("", who["principalId"]):
        home.journal.unlink(missing_ok=True)  # another person's messages
        device = msgspec.structs.replace(device, session_handle="")
    paired = msgspec.structs.replace(
        device, endpoint_id=endpoint, user_id=who["principalId"], username=who["username"]
    )
    home.save(paired)
    return paired


def _describe(device: Device) -> dict[str, Any]:
    return {
        "deviceId": device.device_id,
        "runtime": RUNTIME,
        "bridgeVersion": VERSION,
        "adapterVersion": f"{LABEL} {VERSION}",
        "capabilities": CAPABILITIES,
    }
