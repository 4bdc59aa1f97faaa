"""What clients want to hear of: looked at again after the store's events, told when it changed."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection

from mcp.shared.subscriptions import (
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from app.core.app import App
from app.core.schema import encode
from app.errors import AppError
from app.interfaces.mcp import resources
from app.interfaces.mcp.asked import Asked, invalid

LOOK_SECONDS = 0.25
"""So long after a change is looked, once for all that has changed meanwhile."""
MOST_WATCHES = 1000
MOST_WATCHES_OF_ONE = 200
MOST_RESOURCES = 200
MOST_WAITING = 500
CREDENTIALS_CHANGED = ("keys.changed", "users.changed", "sessions.changed", "grants.changed")
WORKSPACE_CHANGED = ("note.changed", "notes.changed", "workspace.changed")
TOOLS_CHANGED = ("namespaces.changed", "tools.changed")


class Watch:
    """What one client wants to hear of, and what of it has not been told yet.

    What its caller may no longer read is told as changed once, and then no more.
    """

    def __init__(self, who: Asked) -> None:
        self._who = who
        self._seen: dict[str, object] = {}
        self._list = self._tools = False
        self._listed: object = None
        self._offered: object = None
        self._news: asyncio.Queue[ServerEvent | None] = asyncio.Queue(MOST_WAITING)

    @property
    def user(self) -> int:
        """Whose watch it is."""
        return self._who.me.user

    async def follow(self, *, list_: bool, tools: bool) -> None:
        """Watch the list of resources too, or that of tools, as they are now."""
        if list_ and not self._list:
            self._list, self._listed = True, await _listed(self._who)
        if tools and not self._tools:
            self._tools, self._offered = True, await _offered(self._who)

    async def add(self, uri: str) -> None:
        """Watch one resource more; raise NotFound, or what else speaks against reading it."""
        if len(self._seen) >= MOST_RESOURCES and uri not in self._seen:
            raise invalid(f"One client can watch {MOST_RESOURCES} resources.")
        await resources.read(self._who, uri)
        self._seen[uri] = await resources.fingerprint(self._who, uri)

    def drop(self, uri: str) -> None:
        """Watch a resource no more."""
        self._seen.pop(uri, None)

    async def news(self) -> AsyncIterator[ServerEvent]:
        """Yield what changes, until the caller's credential ends."""
        while (event := await self._news.get()) is not None:
            yield event

    async def look(self) -> None:
        """Look what has changed since, and leave word of it."""
        for uri, before in list(self._seen.items()):
            now = await _now(self._who, uri)
            if now != before and uri in self._seen:
                self._seen[uri] = now
                self._tell(ResourceUpdated(uri=uri))
        if self._list and (listed := await _listed(self._who)) != self._listed:
            self._listed = listed
            self._tell(ResourcesListChanged())
        if self._tools and (offered := await _offered(self._who)) != self._offered:
            self._offered = offered
            self._tell(ToolsListChanged())

    def check(self) -> None:
        """End when the credential behind it has ended, or rights of it."""
        now = self._who.still()
        if now is None or now.rights != self._who.me.rights:
            self.end()

    def end(self) -> None:
        """Let `news` end, also of a client that takes none of it."""
        if self._news.full():
            self._news.get_nowait()
        self._news.put_nowait(None)

    def _tell(self, event: ServerEvent) -> None:
        if self._news.qsize() >= MOST_WAITING - 1:
            self.end()
        else:
            self._news.put_nowait(event)


class Watches:
    """All watches of the running application."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._watches: set[Watch] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self.closing: set[Callable[[], None]] = set()
        """What else is to be called when the server ends."""
        self.checks: set[Callable[[], None]] = set()
        """What else is to be called when credentials have changed."""
        for event in (*WORKSPACE_CHANGED, *TOOLS_CHANGED):
            app.events.on(event, lambda _: self._look_soon())
        app.events.on("server.ending", lambda _: self.close())
        for event in CREDENTIALS_CHANGED:
            app.events.on(event, lambda _: self._check())

    @contextlib.asynccontextmanager
    async def watch(self, who: Asked, *, list_: bool, tools: bool) -> AsyncIterator[Watch]:
        """Give a watch that is looked at while the block runs."""
        own = sum(one.user == who.me.user for one in self._watches)
        if len(self._watches) >= MOST_WATCHES or own >= MOST_WATCHES_OF_ONE:
            raise invalid("Too many clients are watching already; end one of them first.")
        watch = Watch(who)
        await watch.follow(list_=list_, tools=tools)
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)

    def close(self) -> None:
        """End every watch, since the server ends."""
        for close in list(self.closing):
            close()
        for watch in self._watches:
            watch.end()

    def _check(self) -> None:
        for check in [*self.checks, *(watch.check for watch in self._watches)]:
            check()

    def _look_soon(self) -> None:
        if self._watches and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._begin)

    def _begin(self) -> None:
        self._timer = None
        if self._looking is not None and not self._looking.done():
            self._look_soon()
        else:
            self._looking = self._app.tasks.start(self._look())

    async def _look(self) -> None:
        for watch in list(self._watches):
            if watch in self._watches:
                with contextlib.suppress(AppError):
                    await watch.look()


async def readable(watch: Watch, uris: Collection[str]) -> list[str]:
    """Add resources to a watch and return those that may be read."""
    if len(uris) > MOST_RESOURCES:
        raise invalid(f"One client can watch {MOST_RESOURCES} resources.")
    added = []
    for uri in uris:
        with contextlib.suppress(AppError):
            await watch.add(uri)
            added.append(uri)
    return added


async def _now(who: Asked, uri: str) -> object:
    try:
        return await resources.fingerprint(who, uri)
    except AppError as error:
        return error.code


async def _listed(who: Asked) -> object:
    if not who.may("list_notes"):
        return None
    notes = await who.call("list_notes", recursive=True, limit=resources.PAGE)
    folders = (await who.call("list_folders")).folders
    return (
        notes.total_notes,
        frozenset((one.id, one.title) for one in notes.notes),
        frozenset((one.id, one.name) for one in folders),
    )


async def _offered(who: Asked) -> object:
    return encode((await who.call("list_tools")).tools)
