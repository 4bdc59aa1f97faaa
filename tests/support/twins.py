"""Two servers that differ only in what a grant leaves out.

Whatever a narrowed caller can tell apart between them is a leak.
"""

import asyncio
import dataclasses
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from app.agent.chat.turn_driver import drive_turn
from app.agent.turn.live_turn import Turn
from app.agent.turn.token_meter import FREE, Meter
from app.core.caller import AgentIdentity, Caller, Kind
from app.core.database.data_dir import DATABASE
from app.core.grant_scope import GrantScope
from app.core.schema import encode
from app.errors import AppError
from app.main import create_app
from app.network.grants.permission_object import NotesAccess, Permissions, TodoAccess, caller_for
from app.settings import Settings
from app.tools.approvals import tool_gate
from app.tools.approvals.call_origin import Origin
from tests.conftest import UNSYNCED, MovableClock, Served
from tests.support.agents import settled

WORDS = (
    "kettle",
    "garden",
    "meeting",
    "résumé",
    "tomato",
    "invoice",
    "东京",
    "plan",
    "kettles",
    "quiet",
)
CANARIES = ("kanarienvogel", "zeisig", "pirol", "stieglitz")
FOLDERS = ("Finkenordner", "Amselordner")
"""These stand only in what no grant reaches."""
OTHERS = (*CANARIES, "kettle", "garden", "tomato", "plan", "东京")


class Plan(NamedTuple):
    """A workspace to be made: the parent of each folder and whether the grant reaches it.

    The folder, reach, text and fate of each note.
    """

    folders: list[tuple[int | None, bool]]
    notes: list[tuple[int | None, bool, str, str, str]]
    more: int

    @classmethod
    def of(cls, chance: random.Random, scope: str) -> "Plan":
        """Draw one."""
        folders: list[tuple[int | None, bool]] = []
        for _ in range(chance.randint(1, 4)):
            parent = chance.choice([None, *range(len(folders))])
            folders.append(
                (
                    parent,
                    scope == "all"
                    or (
                        scope == "folders"
                        and (chance.random() < 0.5 or (parent is not None and folders[parent][1]))
                    ),
                )
            )
        only = chance.randint(0, 5)
        notes = []
        for number in range(6):
            folder = chance.choice([None, *range(len(folders))])
            reached = (
                scope == "all"
                or (scope == "note_only" and number == only)
                or (folder is not None and folders[folder][1])
            )
            fate = (
                chance.choice(["", "", "", "edited", "pinned", "trashed"]) if number != only else ""
            )
            notes.append(
                (
                    folder,
                    reached and fate != "trashed",
                    " ".join(chance.choices(WORDS, k=2)),
                    _text(chance, WORDS),
                    fate,
                )
            )
        return cls(folders, notes, chance.choice([0, 2, 12]))


EVERY_NAMESPACE = frozenset({"notes", "todos", "memory", "network", "messaging", "calendar", "web"})
SCOUT = AgentIdentity(1, "scout", "scout", "Scout", EVERY_NAMESPACE, asked_by_other=True)


class World(NamedTuple):
    """What was made for one owner.

    Who they are, what there is, and the caller that is narrowed to a part of it.
    """

    owner: Caller
    folders: list[int]
    notes: list[int]
    todos: list[int]
    caller: Caller

    @property
    def origin(self) -> Origin:
        """Where calls of the narrowed caller come from."""
        if self.caller.agent is not None:
            return Origin("managed_agent", agent_id=self.caller.agent.id)
        return (
            Origin("guest", share_token="token")
            if self.caller.kind == "guest"
            else Origin("rpc", peer="bob")
        )


class Twins:
    """Both servers, driven step by step from code that does not wait."""

    def __init__(self, runner: asyncio.Runner, servers: list[Served]) -> None:
        self.runner = runner
        self.servers = servers
        self.users = 0

    def both(self, chance: random.Random, reach: GrantScope, kind: Kind = "peer") -> list[World]:
        """Make one random workspace on both, alike in all that such a reach comes to, and
        otherwise as different as can be.
        """
        self.users += 1
        plan, seed = Plan.of(chance, reach.notes), chance.getrandbits(32)
        return [
            self.runner.run(_made(server, f"owner{self.users}", plan, reach, seed, which, kind))
            for which, server in enumerate(self.servers)
        ]

    def ask(
        self, worlds: list[World], name: str, params: dict[str, Any], *, as_tool: bool
    ) -> list[str]:
        """Give what the narrowed caller is told on either server."""
        return [
            self.runner.run(_told(*pair, name, params, as_tool=as_tool))
            for pair in zip(self.servers, worlds, strict=True)
        ]

    def say(self, worlds: list[World], message: str) -> list[str]:
        """Give what comes of a message to the agent on either server."""
        return [
            self.runner.run(_answered(*pair, message))
            for pair in zip(self.servers, worlds, strict=True)
        ]

    def hide(self, worlds: list[World]) -> None:
        """Put the folder Vault, with a note that holds a secret, into the first of two
        workspaces; into the other something else in its place.
        """
        for server, world, names, secret in zip(
            self.servers,
            worlds,
            (("Vault", "Vault code"), ("Amselordner 9", "pirol")),
            CANARIES,
            strict=False,
        ):
            folder = self.runner.run(
                server.parts.call(world.owner, "create_folder", {"name": names[0]})
            ).folder.id
            fields = {
                "title": names[1],
                "content": f"the vault code is {secret}\nkettle",
                "folderId": folder,
                "tags": ["secret"],
            }
            self.runner.run(server.parts.call(world.owner, "create_note", fields))

    def state(self, world: World, *, which: int = 0) -> str:
        """Give all that an owner has, as the database holds it."""
        tables = {
            **dict.fromkeys(
                ("notes", "folders", "todos", "trash", "contact_grants", "conversations"),
                "owner_id",
            ),
            **dict.fromkeys(
                ("keys", "contacts", "folder_shares", "precedents", "escalations"), "user_id"
            ),
        }
        return self.servers[which].parts.quick(
            lambda tx: str(
                {
                    table: [
                        tuple(row)
                        for row in tx.all(
                            f"SELECT * FROM {table} WHERE {column} = :me ORDER BY 1, 2",
                            me=world.owner.user,
                        )
                    ]
                    for table, column in tables.items()
                }
            )
        )


@contextmanager
def twins(place: Path, migrated: Path) -> Iterator[Twins]:
    """Open two servers on fresh databases."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        for name in ("one", "other"):
            (place / name).mkdir()
            shutil.copy(migrated, place / name / DATABASE)
        servers = [runner.run(_opened(stack, place / name)) for name in ("one", "other")]
        try:
            yield Twins(runner, servers)
        finally:
            runner.run(stack.aclose())


async def _opened(stack: AsyncExitStack, place: Path) -> Served:
    asgi = create_app(
        Settings(durability=UNSYNCED, rate_limit=0, failed_limit=0, access_log=False),
        place,
        clock=MovableClock(),
    )
    await stack.enter_async_context(asgi.router.lifespan_context(asgi))
    return Served(asgi, asgi.state.parts)


async def _made(
    served: Served, username: str, plan: Plan, reach: GrantScope, seed: int, which: int, kind: Kind
) -> World:
    """Make the workspace; `which` decides what stands in all that is not reached, `kind` is that
    of the narrowed caller.
    """
    parts, other = served.parts, random.Random(seed + which)
    owner, filler = [await _person(served, name) for name in (username, f"{username}-2")]
    folders: list[int] = []
    for number, (parent, reached) in enumerate(plan.folders):
        name = f"Folder {number}" if reached else f"{FOLDERS[which]} {number}"
        above = {} if parent is None else {"parentId": folders[parent]}
        folders.append(
            (await parts.call(owner, "create_folder", {"name": name, **above})).folder.id
        )
    notes: list[int] = []
    for folder, reached, title, text, fate in plan.notes:
        fields = (
            {"title": title, "content": text, "tags": [text.split()[0]]}
            if reached
            else _hidden(other)
        )
        place = {} if folder is None else {"folderId": folders[folder]}
        notes.append((await parts.call(owner, "create_note", {**fields, **place})).note.id)
        await _befall(served, owner, notes[-1], fate)
    for _ in range(
        plan.more
    ):  # on one of them it is outside of the grant, on the other it is somebody else's
        await parts.call(
            (owner if which and reach.notes != "all" else filler), "create_note", _hidden(other)
        )
    await parts.call(
        owner,
        "create_share_link",
        {"scope": "all", "label": other.choice(CANARIES), "linkPolicy": _hidden(other)["content"]},
    )
    todos = [_hidden(other)["title"] if not reach.todos_read else "kettle" for _ in range(2)]
    made = [(await parts.call(owner, "create_todo", {"title": title})).todo.id for title in todos]
    return World(
        owner, folders, notes, made, _narrowed(served, owner, plan, reach, folders, notes, kind)
    )


def _narrowed(
    served: Served,
    owner: Caller,
    plan: Plan,
    reach: GrantScope,
    folders: list[int],
    notes: list[int],
    kind: Kind,
) -> Caller:
    """Give the caller that reaches what the plan says."""
    granted = [folders[number] for number, (_, reached) in enumerate(plan.folders) if reached]
    only = next((notes[number] for number, note in enumerate(plan.notes) if note[1]), None)
    alone = reach.notes == "note_only"
    permissions = Permissions(
        agent_access=True,
        notes_access=NotesAccess(
            "none" if alone else reach.notes,
            granted if reach.notes == "folders" else [],
            reach.access,
        ),  # type: ignore[arg-type]
        todo_access=TodoAccess(reach.todos_read, reach.todos_create),
    )
    row = served.parts.quick(
        lambda tx: tx.require_row(
            "SELECT id, uuid, username FROM users WHERE id = :id", id=owner.user
        )
    )
    return dataclasses.replace(
        served.parts.quick(
            caller_for,
            row,
            permissions,
            kind=kind,
            name="bob",
            credential=1,
            note_id=only if alone else None,
        ),
        user_id=owner.user_id,
        agent=None if kind != "managed_agent" else SCOUT,
    )


async def _person(served: Served, username: str) -> Caller:
    user = (await served.command("add_user", username=username)).user
    await served.parts.write(
        lambda tx: tx.run(
            "UPDATE users SET uuid = :same WHERE uuid = :uuid",
            same=f"uuid-{username}",
            uuid=user.user_id,
        )
    )
    row = served.parts.quick(
        lambda tx: tx.require_row(
            "SELECT id, uuid, username FROM users WHERE username = :name", name=username
        )
    )
    owner = Caller(row["id"], row["uuid"], row["username"], "session", credential=1)
    await served.parts.call(owner, "init", {})
    return owner


async def _befall(served: Served, owner: Caller, note: int, fate: str) -> None:
    match fate:
        case "edited":
            await served.parts.call(owner, "change_note", {"id": note, "tags": ["green"]})
        case "pinned":
            await served.parts.call(owner, "pin_note", {"id": note, "pinned": True})
        case "trashed":
            await served.parts.call(owner, "delete_note", {"id": note})


async def _told(
    served: Served, world: World, name: str, params: dict[str, Any], *, as_tool: bool
) -> str:
    """Give the answer or the refusal, whole."""
    try:
        if as_tool:
            done: Any = (
                await tool_gate.use_tool(
                    served.parts, world.caller, name, params, origin=world.origin
                )
            ).result
        else:
            done = await served.parts.call(world.caller, name, params)
    except AppError as error:
        return f"{error.status} {error.code} {error.message} {error.details}"
    finally:
        await settled(served)
    return encode(done).decode()


async def _answered(served: Served, world: World, message: str) -> str:
    """Give all that a turn of the owner's agent lets its asker see.

    The text, the tools, the quotes and every event.
    """
    events: list[Any] = []
    now = served.parts.clock()
    turn = Turn(served.parts, world.caller, now.isoformat(timespec="minutes"), "UTC", events.append)
    turn.origin = world.origin
    meter = Meter(
        served.parts,
        world.caller,
        feature="guest" if world.caller.kind == "guest" else "rpc",
        model=FREE,
        held=None,
    )
    ended = await drive_turn(turn, None, message, (), meter=meter, now=now)
    await settled(served)
    quotes = encode(turn.quotes.citations).decode()
    calls = [(call.tool, call.arguments, call.outcome) for call in turn.calls]
    told = sorted(
        str(event) for event in events if event["type"] != "text-delta"
    )  # calls of one step end in any order
    return str(
        (
            turn.text,
            turn.tools_used,
            calls,
            quotes,
            told,
            ended.error,
            ended.prompt_tokens,
            ended.completion_tokens,
        )
    )


def _text(chance: random.Random, words: Sequence[str]) -> str:
    return "\n".join(
        " ".join(chance.choices(words, k=chance.randint(1, 6))) for _ in range(chance.randint(1, 3))
    )


def _hidden(chance: random.Random) -> dict[str, Any]:
    """Give a note that no narrowed caller may know of.

    Some of its words stand in the others too.
    """
    text = f"{chance.choice(CANARIES)} {_text(chance, OTHERS)}"
    return {
        "title": f"{chance.choice(CANARIES)} {chance.choice(OTHERS)}",
        "content": text,
        "tags": [chance.choice(CANARIES)],
    }
