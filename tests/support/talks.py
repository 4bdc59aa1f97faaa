"""Talking with the agent, message by message."""

from typing import Any

from tests.conftest import Client


async def said(client: Client, message: str, conversation: int | None = None) -> Any:
    """Return what POST /chat answers to a message, in a new conversation or an earlier one."""
    more = {"conversationId": conversation} if conversation else {}
    fields = {"message": message, "stream": False, **more}
    return await client.ok("POST", "/chat", json=fields)


class Talk:
    """One conversation that goes on."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._conversation: int | None = None

    async def say(self, message: str) -> str:
        """Return what the agent answers."""
        answer = await said(self._client, message, self._conversation)
        self._conversation = answer["conversationId"]
        return str(answer["response"])
