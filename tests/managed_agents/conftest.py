"""What the tests of managed agents share."""

from typing import Any

from tests.conftest import Client, Served

READS = {"notesAccess": {"scope": "all"}, "todoAccess": {"read": True}}
WRITES = {
    "notesAccess": {"scope": "all", "access": "edit"},
    "todoAccess": {"read": True, "create": True},
}


async def agent(owner: Client, handle: str = "scout", **fields: Any) -> Any:
    """Make an agent and give its record."""
    body = {"handle": handle, "name": handle.title(), **fields}
    return (await owner.ok("POST", "/managed-agents", status=201, json=body))["agent"]


async def agent_key(served: Served, owner: Client, made: Any, **fields: Any) -> Client:
    """Give a client with a new key of an agent."""
    body = {"name": "program", **fields}
    path = f"/managed-agents/{made['id']}/keys"
    return served.client((await owner.ok("POST", path, status=201, json=body))["secret"])


async def ask(owner: Client, made: Any, message: str, **fields: Any) -> Any:
    """Talk with an agent and give its whole answer."""
    body = {"message": message, "stream": False, **fields}
    return await owner.ok("POST", f"/managed-agents/{made['id']}/chat", json=body)


async def send(client: Client, to: str, message: str, **fields: Any) -> Any:
    """Send a message and give what came of it."""
    return await client.ok("POST", "/agent/message", json={"to": to, "message": message, **fields})


async def change(owner: Client, made: Any, **fields: Any) -> Any:
    """Change an agent and give its record."""
    return (await owner.ok("PATCH", f"/managed-agents/{made['id']}", json=fields))["agent"]
