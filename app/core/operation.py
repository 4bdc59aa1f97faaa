"""An operation is one thing a caller can ask for; every interface is a reader of the same catalogue of them."""

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, get_args, get_type_hints

import msgspec

from app.core.download import Download
from app.core.line_stream import Lines
from app.core.schema import Shape, camel

P = ParamSpec("P")
R = TypeVar("R")
Effect = Literal["read", "write"]
Since = Literal["service", "beyond"]
Risk = Literal["R", "W", "O", "X"]
"""What an agent's tool can do: read; change the workspace in a way that can be undone; reach others outside; or what cannot be taken back."""
Taint = Literal["guest", "agent", "mail", "calendar", "mcp", "web"]
"""Whose words a tool's result may hold, where they are not the user's own."""
NOTHING: Mapping[str, str] = {}
NET = "/net/"
"""Where those aliases lie that are routes of the contract in their own right; all others are older names."""
CAMEL_CATEGORIES = {"raw_memory": "rawMemory", "managed_agents": "managedAgents"}


class Plan(msgspec.Struct, frozen=True):
    """What an operation is about to do: its fields with nothing left to find out, and the one transaction that does it."""

    fields: Mapping[str, Any]
    step: Callable[..., Any]


class Operation(msgspec.Struct, Generic[P, R], frozen=True, dict=True):
    """A documented, typed function with what the interfaces must know of it. It stays callable as the function it was."""

    function: Callable[P, R]
    method: str
    path: str
    scopes: tuple[str, ...]
    category: str
    since: Since
    effect: Effect
    quick: bool
    status: int
    wrap: str | None
    bare: bool
    public: bool
    tool: bool | Mapping[str, str]
    also: tuple[str, ...]
    invalid_status: int
    refusal: Mapping[str, Any] | None
    idempotent: int
    body: str
    steady: tuple[str, ...] | None
    stoppable: bool
    risk: Risk | None
    approval: bool
    taint: Taint | Callable[[Any], Taint | None] | None
    plan: Callable[..., Coroutine[Any, Any, Plan]] | None
    raw: bool
    spooled: bool
    once: Callable[..., Callable[..., Any] | None] | None
    frees: bool
    guessable: bool
    refuses: Mapping[str, str]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @functools.cached_property
    def name(self) -> str:
        """Tool name, `operationId` and Python name in one."""
        return self.function.__name__

    @functools.cached_property
    def description(self) -> str:
        """The whole docstring: written once, for people and for models."""
        return inspect.getdoc(self.function) or ""

    @functools.cached_property
    def summary(self) -> str:
        """The docstring's first line, without its full stop."""
        return self.description.partition("\n")[0].rstrip(".")

    @functools.cached_property
    def shape(self) -> Shape:
        """What it accepts."""
        return Shape(self.function)

    @functools.cached_property
    def answer(self) -> Any:
        """The type of the record it gives back; where it may also stream, without the stream; bytes where it gives a file."""
        given = get_type_hints(self.function, include_extras=True).get("return")
        if given is Download:
            return bytes
        return next(part for part in get_args(given) if part is not Lines) if Lines in get_args(given) else given

    @functools.cached_property
    def streams(self) -> bool:
        """Whether it may answer line by line instead of with its record."""
        return Lines in get_args(get_type_hints(self.function, include_extras=True).get("return"))

    @functools.cached_property
    def downloads(self) -> bool:
        """Whether it answers with the bytes of a file."""
        return get_type_hints(self.function).get("return") is Download

    @functools.cached_property
    def waits(self) -> bool:
        """Whether it orchestrates (`async def`) instead of being one transaction."""
        return inspect.iscoroutinefunction(self.function)

    @functools.cached_property
    def risk_class(self) -> Risk:
        """What it can do as an agent's tool: as declared; a read in one transaction can only read, and of all else the worst is assumed."""
        return self.risk or ("R" if self.effect == "read" and not self.waits else "X")

    @functools.cached_property
    def path_names(self) -> tuple[str, ...]:
        """The names in the path, as on the wire, in order."""
        return tuple(segment[1:-1] for segment in self.path.split("/") if segment.startswith("{"))

    @functools.cached_property
    def in_query(self) -> bool:
        """Whether the fields that are not in the path come in the query."""
        return self.method in ("GET", "DELETE")


def operation(
    route: str,
    *,
    scope: str | tuple[str, ...] | None = None,
    category: str | None = None,
    since: Since = "service",
    effect: Effect | None = None,
    quick: bool = False,
    status: int = 200,
    wrap: str | None = None,
    bare: bool = False,
    public: bool = False,
    tool: bool | Mapping[str, str] = False,
    also: tuple[str, ...] = (),
    invalid_status: int = 400,
    refusal: Mapping[str, Any] | None = None,
    idempotent: int = 0,
    body: str = "max_body",
    steady: tuple[str, ...] | None = None,
    stoppable: bool = False,
    risk: Risk | None = None,
    approval: bool = False,
    taint: Taint | Callable[[Any], Taint | None] | None = None,
    plan: Callable[..., Coroutine[Any, Any, Plan]] | None = None,
    raw: bool = False,
    spooled: bool = False,
    once: Callable[..., Callable[..., Any] | None] | None = None,
    frees: bool = False,
    guessable: bool = False,
    refuses: Mapping[str, str] = NOTHING,
) -> Callable[[Callable[P, R]], Operation[P, R]]:
    """Make a function an operation; its keyword-only parameters are its request, its return annotation its answer.

    A `def` gets a `Tx` and is one transaction, an `async def` gets the `App` and orchestrates; both get the `Caller` second.
    `route` is "METHOD /path", "COMMAND" for what only the command line may ask, or "TOOL" for what only agents' tools do. `scope`: one scope, or
    several of which one suffices; None asks for a credential only, `public` not even that. `quick`: a read of tens of microseconds, run on the loop.
    `wrap`: the key under which the answer stands; `bare`: no success envelope. `also`: aliases. `invalid_status`: 422 where the contract calls bad
    fields unprocessable. `refusal`: bad fields are told in a 200 body with these fields beside them. `idempotent`: seconds for which an
    Idempotency-Key is remembered. `body`: the setting that limits its size in bytes. `steady`: a read whose answer depends on the request and the
    database alone, unless one of these query fields is given, which make it depend on the time too. `tool`: agents may be offered it; a mapping
    names the fields that the tool spells otherwise. `stoppable`: it may run long and is cancelled when its client leaves.
    Of a tool: `risk`, what it can do (see Risk; not declared, the worst is assumed); `approval`: a person is asked each time; `taint`: whose words
    its result may hold, or a function that says it of a result; `plan`: for an `async def` that ends in one write, gives that write (a `Plan`), so
    that other writes can go with it.

    `raw`: the request body is a file; it comes as the fields `content` and `content_type`, all others in the query.
    `spooled`: the same for a file that may be larger than the memory: `content` is the name of the file in the spool, the operation's then,
    and deleted when it is refused. `once`: for an idempotent
    `async def`, gives the one transaction that a request comes to, so that its reply is kept with its effect; None for one that comes to more.
    `frees`: it makes room, as every DELETE does, so it may use the last of a full disk. `guessable`: a link or an invite opens it, so what is not
    found counts against the address that asked.
    `frees`: it makes room, as every DELETE does, so it may use the last of a full disk.
    `refuses`: what no schema can say of its fields, for the document: by field when a request is refused for it.
    """
    method, _, path = route.partition(" ")

    def declare(function: Callable[P, R]) -> Operation[P, R]:
        module = function.__module__.rsplit(".", 1)[-1]
        return Operation(
            function=function,
            method=method,
            path=path,
            scopes=(scope,) if isinstance(scope, str) else scope or (),
            category=category or module,
            since=since,
            effect=effect or ("read" if method == "GET" else "write"),
            quick=quick,
            status=status,
            wrap=wrap,
            bare=bare,
            public=public,
            tool=tool,
            also=also,
            invalid_status=invalid_status,
            refusal=refusal,
            idempotent=idempotent,
            body=body,
            steady=steady,
            stoppable=stoppable,
            risk=risk,
            approval=approval,
            taint=taint,
            plan=plan,
            raw=raw or spooled,
            spooled=spooled,
            once=once,
            frees=frees or method == "DELETE",
            guessable=guessable,
            refuses=refuses,
        )

    return declare


class Listed(msgspec.Struct, frozen=True):
    """A route of the contract and the operation that answers it; `name` is its own, also where several routes lead to one operation."""

    method: str
    path: str
    category: str
    name: str
    operation: Operation[..., Any]


class Catalog:
    """Every operation of the service, by name, in the order of its modules."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self.operations: dict[str, Operation[..., Any]] = {}
        for module in modules:
            for found in vars(module).values():
                if isinstance(found, Operation) and found.function.__module__ == module.__name__:
                    self._add(found)

    def _add(self, found: Operation[..., Any]) -> None:
        if found.name in self.operations:
            raise ValueError(f"two operations are called {found.name}")
        if found.method != "COMMAND" and not (found.scopes or found.public or found.category in ("workspace", "account", "tools")):
            raise ValueError(f"{found.name} has no rule: give it a scope or make it public")
        named = inspect.signature(found.function).parameters  # not the shape: making all of them would be a tenth of the start
        if missing := set(found.path_names) - {camel(name) for name in named}:
            raise ValueError(f"{found.name} has no parameter for {missing}")
        self.operations[found.name] = found

    def listed(self) -> Iterator["Listed"]:
        """Give every route that the service tells of, with its category: each operation's own and its net aliases, but no older names."""
        for found in self.operations.values():
            if found.path:
                yield Listed(found.method, found.path, found.category, found.name, found)
            for method, _, path in (route.partition(" ") for route in found.also):
                if path.startswith(NET):
                    yield Listed(method, path, "net", f"net_{found.name}", found)

    def routes(self) -> list[tuple[str, str, Operation[..., Any]]]:
        """Give (method, path, operation) for all that is served over HTTP, aliases included."""
        rows = []
        for found in self.operations.values():
            for route in (f"{found.method} {found.path}", *found.also) if found.path else ():
                method, _, path = route.partition(" ")
                rows.append((method, path, found))
        return rows
