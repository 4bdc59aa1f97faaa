"""An operation is one thing a caller can ask for.

Every interface is a reader of the same catalogue of them.
"""

import functools
import inspect
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, get_args, get_type_hints

import msgspec

from app.core.download import Download
from app.core.line_stream import EventStream, Lines
from app.core.schema import Fields, camel_case

P = ParamSpec("P")
R = TypeVar("R")
Effect = Literal["read", "write"]
Risk = Literal["R", "W", "O", "X"]
"""What an agent's tool can do.

Read; change the workspace in a way that can be undone; reach others outside; or what cannot be
taken back.
"""
Taint = Literal["guest", "agent", "mail", "calendar", "mcp", "web"]
"""Whose words a tool's result may hold, where they are not the user's own."""
NOTHING: Mapping[str, str] = {}
MINUTE, HOUR = 60, 3600
"""Seconds, for `every`."""
NET = "/net/"
"""Where those aliases lie that are routes of the contract in their own right.

All others are older names.
"""


class Plan(msgspec.Struct, frozen=True):
    """What an operation is about to do.

    Its fields with nothing left to find out, and the one transaction that does it.
    """

    fields: Mapping[str, Any]
    step: Callable[..., Any]


class Http(msgspec.Struct, frozen=True, kw_only=True):
    """What HTTP must know of an operation beside its route.

    `status` of success; `wrap`: the key under which the answer stands; `bare`: without the
    envelope of success. `body`: the setting that limits its size in bytes; `raw`: the body is a
    file, which comes as the fields `content` and `content_type`, all others in the query;
    `spooled`: the same for a file that may be larger than the memory: `content` is the name of a
    temporary file, the operation's then, and deleted when it is refused. `invalid_status`: 422
    where the contract calls bad fields unprocessable; `refusal`: bad fields are told in a 200
    body with these fields beside them; `refuses`: what no schema can say of its fields, by field
    when a request is refused for it. `steady`: a read whose answer depends on the request and
    the database alone, unless one of these query fields is given, which make it depend on the
    time too. `stoppable`: it may run long and is cancelled when its client leaves. `guessable`:
    a link or an invite opens it, so what is not found counts against the address that asked.
    `per_address`: the name of the limit of rate (see `Rates`) that each address has for it.
    `idempotent`: seconds for which an Idempotency-Key is remembered; `once`: for an idempotent
    `async def`, gives the one transaction that a request comes to, so that its reply is kept
    with its effect, or None.
    """

    status: int = 200
    wrap: str | None = None
    bare: bool = False
    body: str = "max_body"
    raw: bool = False
    spooled: bool = False
    invalid_status: int = 400
    refusal: Mapping[str, Any] | None = None
    refuses: Mapping[str, str] = NOTHING
    steady: tuple[str, ...] | None = None
    stoppable: bool = False
    guessable: bool = False
    per_address: str | None = None
    idempotent: int = 0
    once: Callable[..., Callable[..., Any] | None] | None = None

    @property
    def takes_file(self) -> bool:
        """Whether the body is a file."""
        return self.raw or self.spooled


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What agents' tools must know of an operation that they may be offered.

    `names`: the fields that the tool spells otherwise. `risk`: what it can do; not declared, the
    worst is assumed. `approval`: a person is asked each time. `taint`: whose words its result
    may hold, or a function that says it of a result. `overwrites`: it replaces what was written,
    which only a snapshot or an earlier answer still has. `plan`: for an `async def` that ends in
    one write, gives that write, so that other writes can go with it. `namespace`: where the tool
    stands, if not with those of its category.
    """

    names: Mapping[str, str] = NOTHING
    risk: Risk | None = None
    approval: bool = False
    taint: Taint | Callable[[Any], Taint | None] | None = None
    overwrites: bool = False
    plan: Callable[..., Coroutine[Any, Any, Plan]] | None = None
    namespace: str = ""


# `dict`: the cached properties need a place of their own
class Operation(msgspec.Struct, Generic[P, R], frozen=True, dict=True):
    """A documented, typed function with what the interfaces must know of it.

    It stays callable as the function it was.
    """

    function: Callable[P, R]
    method: str
    path: str
    scopes: tuple[str, ...]
    category: str
    effect: Effect
    quick: bool
    public: bool
    session: bool
    also: tuple[str, ...]
    frees: bool
    every: int | None
    http: Http
    tool: Tool | None

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
        """The docstring's first sentence, without its full stop."""
        return (
            " ".join(self.description.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")
        )

    @functools.cached_property
    def fields(self) -> Fields:
        """What it accepts."""
        return Fields(self.function)

    @functools.cached_property
    def answer(self) -> Any:
        """The type of the record it gives back; where it may also stream, without the stream.

        Bytes where it gives a file, or a stream of events.
        """
        given = get_type_hints(self.function, include_extras=True).get("return")
        if given in (Download, EventStream):
            return bytes
        return (
            next(part for part in get_args(given) if part is not Lines)
            if Lines in get_args(given)
            else given
        )

    @functools.cached_property
    def streams(self) -> bool:
        """Whether it may answer line by line instead of with its record."""
        return Lines in get_args(get_type_hints(self.function, include_extras=True).get("return"))

    @functools.cached_property
    def downloads(self) -> bool:
        """Whether it answers with the bytes of a file."""
        return get_type_hints(self.function).get("return") is Download

    @functools.cached_property
    def tells_events(self) -> bool:
        """Whether its answer stays open and tells what happens."""
        return get_type_hints(self.function).get("return") is EventStream

    @functools.cached_property
    def waits(self) -> bool:
        """Whether it orchestrates (`async def`) instead of being one transaction."""
        return inspect.iscoroutinefunction(self.function)

    @functools.cached_property
    def risk_class(self) -> Risk:
        """What it can do as an agent's tool.

        As declared; a read in one transaction can only read, and of all else the worst is
        assumed.
        """
        declared = self.tool and self.tool.risk
        return declared or ("R" if self.effect == "read" and not self.waits else "X")

    @property
    def asks_for(self) -> str | None:
        """What lists say that a caller needs: scopes, or a session; None where anyone may ask."""
        return " or ".join(self.scopes) or ("session" if self.session else None)

    @functools.cached_property
    def path_names(self) -> tuple[str, ...]:
        """The names in the path, as on the wire, in order."""
        return tuple(segment[1:-1] for segment in self.path.split("/") if segment.startswith("{"))

    @functools.cached_property
    def in_query(self) -> bool:
        """Whether the fields that are not in the path come in the query."""
        return self.method in ("GET", "DELETE")


PLAIN = Http()


def operation(
    route: str,
    *,
    scope: str | tuple[str, ...] | None = None,
    category: str | None = None,
    effect: Effect | None = None,
    quick: bool = False,
    public: bool = False,
    session: bool = False,
    also: tuple[str, ...] = (),
    frees: bool = False,
    every: int | None = None,
    http: Http = PLAIN,
    tool: Tool | None = None,
) -> Callable[[Callable[P, R]], Operation[P, R]]:
    """Make a function an operation.

    Its keyword-only parameters are its request, its return annotation its answer.

    A `def` gets a `Tx` and is one transaction, an `async def` gets the `App` and orchestrates;
    both get the `Caller` second. `route` is "METHOD /path", "COMMAND" for what only the command
    line may ask, "TOOL" for what only agents' tools do, or "PAGE" for what only the pages of the
    home ask. `scope`: one scope, or several of which one suffices; None asks for a credential only,
    `public` not even that. `session`: only a person who is signed in may ask. `category`: where
    it stands in `GET /os`; else its package's CATEGORY. `quick`: a read of tens of microseconds,
    run on the loop. `also`: aliases. `frees`: it makes room, as every DELETE does,
    so it may use the last of a full disk. `every`: for a COMMAND without fields, the seconds
    after which the server's clock runs it again. `http` and `tool`: what those interfaces must
    know of it; without `tool` no agent is offered it.
    """
    method, _, path = route.partition(" ")

    def declare(function: Callable[P, R]) -> Operation[P, R]:
        return Operation(
            function=function,
            method=method,
            path=path,
            scopes=(scope,) if isinstance(scope, str) else scope or (),
            category=category or _category(function),
            effect=effect or ("read" if method == "GET" else "write"),
            quick=quick,
            public=public,
            session=session,
            also=also,
            frees=frees or method == "DELETE",
            every=every,
            http=http,
            tool=tool,
        )

    return declare


def _category(function: Callable[..., Any]) -> str:
    """Return the CATEGORY of the package that a function lies in, or of the nearest one above
    it.
    """
    package = function.__module__
    while package:
        package = package.rpartition(".")[0]
        if (found := getattr(sys.modules.get(package), "CATEGORY", None)) is not None:
            return str(found)
    return function.__module__.rpartition(".")[2]


class ListedRoute(msgspec.Struct, frozen=True):
    """A route of the contract and the operation that answers it.

    `name` is its own, also where several routes lead to one operation.
    """

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
                # a module may import an operation of another to call it; its own module lists it
                if isinstance(found, Operation) and found.function.__module__ == module.__name__:
                    self._add(found)

    def _add(self, found: Operation[..., Any]) -> None:
        if found.name in self.operations:
            raise ValueError(f"two operations are called {found.name}")
        # in these categories are what every credential may ask, such as /os and /identity
        if found.method != "COMMAND" and not (
            found.scopes
            or found.public
            or found.session
            or found.category in ("workspace", "account", "tools")
        ):
            raise ValueError(f"{found.name} has no rule: give it a scope or make it public")
        # not the fields: making all of them would be a tenth of the start
        named = inspect.signature(found.function).parameters
        if found.every is not None and (found.method != "COMMAND" or len(named) > 2):
            raise ValueError(f"{found.name} has `every`, so it must be a COMMAND without fields")
        if missing := set(found.path_names) - {camel_case(name) for name in named}:
            raise ValueError(f"{found.name} has no parameter for {missing}")
        self.operations[found.name] = found

    def listed(self) -> Iterator[ListedRoute]:
        """Yield every route that the service tells of, with its category.

        Each operation's own and its net aliases, but no older names.
        """
        for found in self.operations.values():
            if found.path:
                yield ListedRoute(found.method, found.path, found.category, found.name, found)
            for method, _, path in (route.partition(" ") for route in found.also):
                if path.startswith(NET):
                    yield ListedRoute(method, path, "net", f"net_{found.name}", found)

    def routes(self) -> list[tuple[str, str, Operation[..., Any]]]:
        """Return (method, path, operation) for all that is served over HTTP, aliases included."""
        rows = []
        for found in self.operations.values():
            for route in (f"{found.method} {found.path}", *found.also) if found.path else ():
                method, _, path = route.partition(" ")
                rows.append((method, path, found))
        return rows
