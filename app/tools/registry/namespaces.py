"""Namespaces of tools: which groups of tools a credential is offered and may call."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import Invalid
from app.tools.mcp import tool_rows
from app.tools.registry import registry

OFF_AT_FIRST = frozenset({"web"})
CHANGED = "namespaces.changed"
"""Published when somebody has switched tools on or off."""
Names = Annotated[list[str], Meta(max_length=200)]
Enabled = Callable[[str], bool]


class Namespace(Record):
    namespace: str
    sources: list[str]
    tool_count: int
    enabled: bool


class Summary(Record):
    total: int
    enabled: int
    disabled: int


class Namespaces(Record):
    namespaces: list[Namespace]
    summary: Summary


@operation("GET /tools/namespaces")
async def list_namespaces(app: App, me: Caller) -> Namespaces:
    """List the namespaces of tools and which are on for this credential."""
    on = app.quick(enabled_check, me)
    return _list_namespaces(app, me, on)


@operation(
    "PUT /tools/namespaces",
    scope="tools:manage",
    http=Http(
        refuses={
            "enable": "nothing is named, or no such namespace",
            "disable": "enable names the same, or there is no such namespace",
            "namespaces": "it stands beside the others, or names what is no namespace",
        }
    ),
)
async def switch_namespaces(
    app: App,
    me: Caller,
    *,
    enable: Names | None = None,
    disable: Names | None = None,
    namespaces: dict[str, bool] | None = None,
) -> Namespaces:
    """Switch namespaces on and off, for this credential alone.

    With a web session, for every credential that has no choice of its own.

    Either `enable` and `disable`, or `namespaces` with true or false for each name.
    """
    wanted = _wanted_switches(enable, disable, namespaces)
    known = _count_tools(app, me)
    if unknown := [name for name in wanted if name not in known]:
        raise Invalid(
            f"There is no namespace called {unknown[0][:80]}; there are {', '.join(known)}.",
            field=_field_of_name(unknown[0], enable, disable),
        )
    await app.write(_store, me, wanted)
    return _list_namespaces(app, me, app.quick(enabled_check, me))


def enabled_check(tx: Tx, me: Caller) -> Enabled:
    """Return the function that says of a namespace whether it is on.

    By the credential's choice, else the user's, else as it is at first. A managed agent has
    those that its owner lists for it.
    """
    if me.agent is not None:
        return me.agent.namespaces.__contains__
    rows = tx.all(
        """SELECT namespace, enabled FROM tool_namespaces WHERE user_id = :me
          AND (credential = '' OR credential = :credential)
           ORDER BY credential""",
        me=me.user,
        credential=_credential_name(me),
    )
    chosen = {row[0]: row[1] == 1 for row in rows}
    return lambda name: chosen.get(name, name not in OFF_AT_FIRST)


def require_enabled(on: Enabled, namespace: str, *, of_agent: bool = False) -> None:
    """Raise NoSuchTool, saying why, unless the namespace is on."""
    if not on(namespace):
        raise registry.NoSuchTool(
            f"The namespace {namespace} is none of this agent's; its owner lists them."
            if of_agent
            else f"The namespace {namespace} is switched off for this credential; PUT "
            "/tools/namespaces switches it on.",
            namespace=namespace,
        )


def _wanted_switches(
    enable: list[str] | None, disable: list[str] | None, named: Mapping[str, bool] | None
) -> dict[str, bool]:
    if named is not None and (enable is not None or disable is not None):
        raise Invalid(
            "namespaces cannot be given together with enable or disable.", field="namespaces"
        )
    both = set(enable or ()) & set(disable or ())
    if both:
        raise Invalid(f"enable and disable both name {min(both)[:80]}.", field="disable")
    wanted = (
        dict(named)
        if named is not None
        else dict.fromkeys(enable or (), True) | dict.fromkeys(disable or (), False)
    )
    if not wanted:
        raise Invalid(
            "Name at least one namespace to switch on or off.",
            field="enable" if named is None else "namespaces",
        )
    return wanted


def _field_of_name(name: str, enable: list[str] | None, disable: list[str] | None) -> str:
    return (
        "enable"
        if name in (enable or ())
        else "disable"
        if name in (disable or ())
        else "namespaces"
    )


def _count_tools(app: App, me: Caller) -> dict[str, tuple[str, int]]:
    """Return where the tools of each namespace come from, and how many there are."""
    own = Counter(tool.namespace for tool in registry.native_tools(app.catalog).values())
    served = me.reach is None or me.agent is not None
    remote = app.quick(tool_rows.namespaces, me.user) if served else {}
    return {name: ("mcp", count) for name, count in remote.items()} | {
        name: ("native", count) for name, count in own.items()
    }


def _list_namespaces(app: App, me: Caller, on: Enabled) -> Namespaces:
    rows = [
        Namespace(name, [source], count, on(name))
        for name, (source, count) in sorted(
            _count_tools(app, me).items(), key=lambda found: found[1][0] == "mcp"
        )
    ]
    number = sum(row.enabled for row in rows)
    return Namespaces(rows, Summary(len(rows), number, len(rows) - number))


def _store(tx: Tx, me: Caller, wanted: Mapping[str, bool]) -> None:
    for name, on in wanted.items():
        tx.run(
            """INSERT INTO tool_namespaces (user_id, credential, namespace,
          enabled) VALUES (:me, :credential, :name, :on)
               ON CONFLICT (user_id, credential, namespace) DO UPDATE
                 SET enabled = excluded.enabled""",
            me=me.user,
            credential=_credential_name(me),
            name=name,
            on=int(on),
        )
    tx.emit(CHANGED)


def _credential_name(me: Caller) -> str:
    """Return the name under which a credential's own choices stand.

    A web session's are the user's.
    """
    return "" if me.kind == "session" or me.credential is None else f"{me.kind} {me.credential}"
