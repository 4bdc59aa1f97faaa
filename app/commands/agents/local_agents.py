"""What the commands about managed agents share: whose they are, and which one is meant."""

from collections.abc import Callable
from typing import Any

from app.commands.ask.ask_as_user import LocalClient
from app.commands.ask.ask_operation import ask
from app.commands.terminal.command_group import Refused
from app.commands.terminal.terminal_safe import on_one_line
from app.commands.user import choose_username
from app.settings import Settings

MOST = 200
Command = Callable[..., Any]
Agent = dict[str, Any]


class Owner:
    """The user whose agents a command is about, asked as one who sits at the machine.

    A handle is one user's alone, so it says whose the agent is where no user is named.
    """

    def __init__(self, settings: Settings, user: str | None, handle: str | None = None) -> None:
        self.settings = settings
        if user is None and handle is not None:
            user = ask(self.settings, "agent_owner", handle=handle)["username"]
        self.username = choose_username(self.settings, user)
        self.client = LocalClient(self.settings, self.username)

    def agents(self) -> dict[str, Any]:
        """Return all agents as the endpoint tells of them."""
        return self.client.ask("list_managed_agents", limit=MOST)

    def agent(self, handle: str) -> Agent:
        """Return the agent of that handle; raise Refused."""
        wanted = handle.strip().lower()
        for found in self.agents()["agents"]:
            if found["handle"] == wanted:
                agent: Agent = found
                return agent
        raise Refused(
            f"There is no agent called “{on_one_line(handle, 64)}”. "
            "`hearth agent list` shows yours."
        )

    def change(self, agent: Agent, **fields: Any) -> Agent:
        """Change some fields of an agent and return it."""
        changed: Agent = self.client.ask("change_managed_agent", id=agent["id"], **fields)["agent"]
        return changed

    def folder(self, path: str) -> int:
        """Return the folder of that path; raise Refused."""
        listed = self.client.ask("list_folders")["folders"]
        number: int | None = None
        for name in path.strip("/").split("/"):
            wanted = (number, name.strip().casefold())
            number = next(
                (
                    int(one["id"])
                    for one in listed
                    if (one["parentId"], one["name"].casefold()) == wanted
                ),
                None,
            )
            if number is None:
                raise Refused(f"There is no folder called {on_one_line(path, 120)}.")
        return number or 0

    def wake(self, agent: Agent) -> dict[str, Any]:
        """Return when an agent wakes by the clock, and for what."""
        found: dict[str, Any] = ask(
            self.settings, "agent_wake", username=self.username, handle=agent["handle"]
        )
        return found
