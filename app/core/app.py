"""The running application: what it holds, and the one door to every operation."""

import asyncio
import contextlib
import dataclasses
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

from app.core import idempotency
from app.core.caller import Caller
from app.core.database.backup_status import BackupState
from app.core.database.disk_reserve import freeing
from app.core.database.events import Events
from app.core.database.store import Store
from app.core.database.tx import Clock, Tx
from app.core.embedder import NO_EMBEDDER, Embedder
from app.core.hooks import Hooks
from app.core.limits import Rates
from app.core.operation import Catalog, Operation
from app.core.process.background_tasks import Tasks
from app.core.process.caches import ByteCache
from app.core.process.running_work import RunningWork
from app.core.rewriter import Rewriter
from app.core.secret_files import Seal
from app.errors import (
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    StorageFull,
    Unavailable,
    Unprocessable,
)
from app.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")
# one less than there are readers (database/readers.py), so that a short read always finds one
MOST_LONG_READS = 2
# each may take a GiB of memory (process/subprocess_reader.py)
MOST_CHILDREN = 2
NOT_FREEING = contextlib.nullcontext()
Params = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


@dataclasses.dataclass
class App:
    """The parts that an operation which orchestrates may use, and `call`, by which everything is
    asked.
    """

    settings: Settings
    catalog: Catalog
    store: Store
    clock: Clock
    events: Events
    rates: Rates
    safekeeping: BackupState
    seal: Seal
    memory: ByteCache = dataclasses.field(default_factory=ByteCache)
    tasks: Tasks = dataclasses.field(default_factory=Tasks)
    works: RunningWork = dataclasses.field(default_factory=RunningWork)
    long_reads: asyncio.Semaphore = dataclasses.field(
        default_factory=lambda: asyncio.Semaphore(MOST_LONG_READS)
    )
    children: asyncio.Semaphore = dataclasses.field(
        default_factory=lambda: asyncio.Semaphore(MOST_CHILDREN)
    )
    """Held while a process of its own reads what somebody sent.

    See core/process/subprocess_reader.py.
    """
    embedder: Embedder = NO_EMBEDDER
    rewriter: Rewriter | None = None
    hooks: Hooks = dataclasses.field(default_factory=Hooks)
    gathered: list[Callable[[], Awaitable[None]]] = dataclasses.field(default_factory=list)
    """Each writes what requests have left in memory; see `write_gathered`."""
    parts: list[object] = dataclasses.field(default_factory=list)
    """What features keep beside their operations, of types that the core cannot name."""

    def part(self, kind: type[R]) -> R:
        """Return the part of that class, of which main has made one."""
        return next(part for part in self.parts if isinstance(part, kind))

    async def call(
        self, caller: Caller | None, name: str, params: Params, *, once: str | None = None
    ) -> Any:
        """Run the operation called `name` and give its record.

        Rights and fields are checked here and nowhere else.

        `params` are the request's fields in wire spelling, or a function that reads them, so
        that a refused caller's body is never parsed. `once` is an idempotency key: the same
        caller with the same key and fields gets the first answer again.
        """
        found = self.catalog.operations.get(name)
        if found is None:
            raise NotFound(f"There is no operation called {name}.")
        return await self.run(caller, found, params, once=once)

    async def run(
        self,
        caller: Caller | None,
        found: Operation[..., Any],
        params: Params,
        *,
        once: str | None = None,
    ) -> Any:
        """Do what `call` does for an operation that is at hand."""
        if caller is not None:
            # the grant is asked for once more within the transaction; this refuses before a body
            # is read
            caller = self.renew_caller(caller)
        self.authorize(caller, found)
        given = params() if callable(params) else params
        gated = None if caller is None else self._gated(caller, found, given)
        if once is not None and found.http.idempotent and caller is not None:
            return await idempotency.run_once(self, found, caller, given, key=once, gated=gated)
        if gated is not None:
            return await gated()
        return await self.perform(found, caller, self.check_arguments(found, given))

    def _gated(
        self, caller: Caller, found: Operation[..., Any], given: Mapping[str, Any]
    ) -> Callable[[], Awaitable[Any]] | None:
        """Return what does a change that has to pass a gate; None for all others."""
        gate = self.hooks.gates.get(caller.kind)
        if gate is None or found.effect != "write" or found.tool is None:
            return None
        return functools.partial(gate, self, caller, found, given)

    def renew_caller(self, caller: Caller) -> Caller:
        """Return a caller as the grant behind it is now; raise GrantRevoked when that is gone."""
        return caller if caller.renew is None else self.quick(caller.renew_grant)

    def authorize(self, caller: Caller | None, found: Operation[..., Any]) -> None:
        """Raise unless `caller` may ask for this operation at all."""
        if found.method == "COMMAND":
            # told as if it did not exist, so that nobody learns what the operator may do
            if caller is None or caller.kind != "operator":
                raise NotFound(f"There is no operation called {found.name}.")
        elif caller is not None:
            caller.require_reach(found.name)
            caller.require(found.scopes)
            if found.session and caller.kind != "session":
                raise Forbidden(
                    "Only a person who is signed in at this server may do this.",
                    reason="session_required",
                )
        elif not found.public:
            raise Forbidden("This needs a credential.")

    def check_arguments(
        self, found: Operation[..., Any], params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Check the fields and give the function's arguments."""
        try:
            return found.fields.check(params)
        except Invalid as error:
            raise self.refusal_as_declared(found, error) from None

    async def perform(
        self, found: Operation[..., Any], caller: Caller | None, arguments: dict[str, Any]
    ) -> Any:
        """Run the function with checked arguments, in the way its declaration asks for."""
        try:
            with freeing() if found.frees else NOT_FREEING:
                if found.waits:
                    return await found.function(self, caller, **arguments)
                function = (
                    found.function
                    if caller is None or caller.renew is None
                    # the grant may have been taken back since `renew_caller` looked
                    else functools.partial(_run_with_renewed_caller, found)
                )
                if found.quick:
                    return self.store.quick(function, caller, **arguments)
                if found.effect == "read":
                    return await self.store.read(function, caller, **arguments)
                return await self.store.write(function, caller, **arguments)
        except Invalid as error:
            raise self.refusal_as_declared(found, error) from None

    def refusal_as_declared(
        self, found: Operation[..., Any], error: Invalid
    ) -> Invalid | Unprocessable:
        """Return the refusal of a bad field with the status that the operation declares for it."""
        if found.http.invalid_status == Unprocessable.status and not isinstance(error, Malformed):
            return Unprocessable(error.message, **error.details)
        return error

    async def read(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run one database step of an orchestrating operation."""
        return await self.store.read(function, *args, **kwargs)

    async def write_gathered(self) -> None:
        """Write what requests have left in memory, so that a read finds it.

        What cannot be written now stays there, and keeps nobody from reading.
        """
        done = await asyncio.gather(*(write() for write in self.gathered), return_exceptions=True)
        for failure in done:
            if failure is not None and not isinstance(failure, StorageFull | Unavailable):
                raise failure

    async def read_in_slices(self, step: Callable[[Tx], bool]) -> None:
        """Call `step` on a reader, again and again until it says that it is done.

        For what may take long: between two slices others have their turn, and a cancelled
        asker's work ends. Some readers stay free of it.
        """
        done = False
        while not done:
            async with self.long_reads:
                done = await self.store.read(step)

    def quick(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run one step that reads by key or by a bounded page, right here; see `Store.quick`."""
        return self.store.quick(function, *args, **kwargs)

    def glance(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run one step that reads a single row by key, right here; see `Store.glance`."""
        return self.store.glance(function, *args, **kwargs)

    async def write(
        self, function: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run one writing step of an orchestrating operation, as one transaction."""
        return await self.store.write(function, *args, **kwargs)


def _run_with_renewed_caller(
    found: Operation[..., Any], tx: Tx, caller: Caller, **arguments: Any
) -> Any:
    """Run the function for a caller as its grant is in this very transaction."""
    return found.function(tx, caller.with_grant_now(tx, found.name), **arguments)
