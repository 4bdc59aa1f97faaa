"""Managed agents: making, showing, changing, pausing and deleting them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from app.account import cap_rows, key_rows
from app.account.metering import token_rows
from app.account.metering.token_reservations import zone_of
from app.account.periods import span_of
from app.account.users import Username
from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.fit_types import copy_fields
from app.core.operation import Http, operation
from app.core.schema import LARGEST_ID, Id, Line, Most, Offset, Record, Text
from app.errors import GrantRevoked, Invalid, QuotaExceeded
from app.managed_agents import agent_rows
from app.managed_agents.agent_rows import Agent, Status, Visibility
from app.network.grants import grant_rows, permission_object
from app.network.grants.permission_object import Permissions
from app.tools.approvals import escalation_rows, precedents
from app.tools.approvals.call_origin import Origin
from app.tools.mcp import tool_rows
from app.tools.registry import registry

MOST_AGENTS = 20
MOST_NAMESPACES = 200
GONE = "What allowed this is gone: the agent was deleted."
Handle = Annotated[str, Meta(description="rules of a username"), Username()]
Name = Annotated[str, Line(1, 100)]
Description = Annotated[str, Meta(max_length=500), Text()]
Persona = Annotated[str, Meta(max_length=20_000), Text()]
ModelName = Annotated[str, Line(1, 200)]
Namespaces = Annotated[list[str], Meta(max_length=MOST_NAMESPACES)]
Tokens = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
ReplyTokens = Annotated[int, Meta(ge=1, le=LARGEST_ID)]


class Budget(Record):
    """How many tokens the agent may take in a month and for one reply; null is no limit."""

    monthly_tokens: int | None = None
    per_reply_tokens: int | None = None


class BudgetChange(Record):
    """The limits to change: null takes one away, what is left out stays."""

    monthly_tokens: Tokens | UnsetType | None = UNSET
    per_reply_tokens: ReplyTokens | UnsetType | None = UNSET


class AgentUsage(Record):
    tokens_this_month: int
    messages_this_month: int


class AgentView(Record):
    """A managed agent; `userId` is its own id, which messages of its name as their sender."""

    id: int
    user_id: str
    handle: str
    address: str
    name: str
    description: str
    persona: str
    model: str | None
    namespaces: list[str]
    permissions: Permissions
    visibility: Visibility
    budget: Budget
    status: Status
    usage: AgentUsage
    created_at: str
    updated_at: str
    last_active_at: str | None


class AgentList(Record):
    agents: list[AgentView]
    total: int


class AgentAnswer(Record):
    agent: AgentView


class AgentDeleted(Record):
    pass


class AgentOwner(Record):
    username: str | None


@operation("GET /managed-agents", scope="agents:read")
def list_managed_agents(
    tx: Tx,
    me: Caller,
    *,
    status: Literal["active", "paused", "all"] = "all",
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
) -> AgentList:
    """List the user's managed agents, oldest first."""
    found, total = agent_rows.list_own(tx, me.user, status=status, limit=limit, offset=offset)
    return AgentList([view_of(tx, agent) for agent in found], total)


@operation("GET /managed-agents/{id}", scope="agents:read")
def read_managed_agent(tx: Tx, me: Caller, *, id: Id) -> AgentAnswer:
    """Read one managed agent; one that was deleted still says what it was."""
    return AgentAnswer(view_of(tx, agent_rows.require_own(tx, me.user, id, deleted=True)))


@operation(
    "POST /managed-agents",
    scope="agents:manage",
    http=Http(
        status=201,
        refuses={
            "namespaces": "there is no such namespace",
            "permissions": "a folder is none of the caller's",
        },
    ),
)
async def create_managed_agent(
    app: App,
    me: Caller,
    *,
    handle: Handle,
    name: Name,
    description: Description = "",
    persona: Persona = "",
    model: ModelName | None = None,
    namespaces: Namespaces | None = None,
    permissions: Permissions | None = None,
    visibility: Visibility = "private",
    budget: BudgetChange | None = None,
) -> AgentAnswer:
    """Make an agent that works in the user's workspace, as far as its permissions reach.

    It sees the tools of the namespaces listed and no others; `persona` is what it is told about
    itself. Without permissions it reaches nothing, without namespaces it has no tools.
    """
    return await app.write(
        _create,
        me.user,
        budget or BudgetChange(),
        {
            "handle": handle,
            "name": name,
            "description": description,
            "persona": persona,
            "model": model,
            "namespaces": _known_namespaces(app, me, namespaces or []),
            "permissions": permissions or permission_object.NOTHING,
            "visibility": visibility,
        },
    )


@operation(
    "PATCH /managed-agents/{id}",
    scope="agents:manage",
    http=Http(
        refuses={
            "namespaces": "there is no such namespace",
            "permissions": "a folder is none of the caller's",
        }
    ),
)
async def change_managed_agent(
    app: App,
    me: Caller,
    *,
    id: Id,
    name: Name | None = None,
    description: Description | None = None,
    persona: Persona | None = None,
    model: ModelName | UnsetType | None = UNSET,
    namespaces: Namespaces | None = None,
    permissions: Permissions | None = None,
    visibility: Visibility | None = None,
    budget: BudgetChange | None = None,
    status: Literal["active", "paused"] | None = None,
) -> AgentAnswer:
    """Change an agent, pause it or let it go on; what is left out stays.

    What is narrowed or paused holds at once, also for a turn that runs. The handle cannot be
    changed.
    """
    fields: dict[str, Any] = {
        "name": name,
        "description": description,
        "persona": persona,
        "permissions": permissions,
        "visibility": visibility,
        "status": status,
    }
    changes = {field: value for field, value in fields.items() if value is not None}
    if model is not UNSET:
        changes["model"] = model
    if namespaces is not None:
        changes["namespaces"] = _known_namespaces(app, me, namespaces)
    return await app.write(_change, me.user, id, budget or BudgetChange(), changes)


@operation("DELETE /managed-agents/{id}", scope="agents:manage")
def delete_managed_agent(tx: Tx, me: Caller, *, id: Id) -> AgentDeleted:
    """Delete an agent for good; its conversations stay readable.

    Its keys end at once, and its handle rests for 30 days.
    """
    agent = agent_rows.require_own(tx, me.user, id, deleted=True)
    if agent.status == "deleted":
        return AgentDeleted()
    agent_rows.delete(tx, id)
    key_rows.revoke_of_agent(tx, id)
    _put_monthly_cap(tx, agent, None)
    escalation_rows.supersede(
        tx, me, me.user, lambda origin, _: origin.agent_id == id, failure=GrantRevoked(GONE)
    )
    precedents.forget(tx, me.user, Origin("managed_agent", agent_id=id).key(me))
    return AgentDeleted()


@operation("COMMAND", effect="read")
def agent_owner(tx: Tx, me: Caller, *, handle: str) -> AgentOwner:
    """Say whose the agent of a handle is; null where there is none."""
    found = agent_rows.find_named(tx, handle.strip().lower())
    sql = "SELECT username FROM users WHERE id = :id"
    return AgentOwner(None if found is None else tx.value(sql, id=found.user_id))


def view_of(tx: Tx, agent: Agent) -> AgentView:
    """Return an agent as the contract shows it."""
    span = span_of(tx.moment, zone_of(tx, agent.user_id))
    tokens = token_rows.count(tx, agent.user_id, "agent", str(agent.id), "month", span).used
    # what it said and sent; months are those of UTC
    messages = tx.value(
        "SELECT count(*) FROM messages WHERE agent_id = :id AND created_at >= :since",
        id=agent.id,
        since=f"{span.month}-01",
    )
    cap = _monthly_cap(tx, agent)
    return copy_fields(
        AgentView,
        agent,
        user_id=agent.uuid,
        address=agent.handle,
        namespaces=list(agent.namespaces),
        budget=Budget(None if cap is None else cap.most, agent.reply_tokens),
        usage=AgentUsage(tokens, messages),
    )


def _create(tx: Tx, user: int, budget: BudgetChange, fields: dict[str, Any]) -> AgentAnswer:
    if agent_rows.list_own(tx, user)[1] >= MOST_AGENTS:
        raise QuotaExceeded(
            f"A user has at most {MOST_AGENTS} agents; delete one first.", limit=MOST_AGENTS
        )
    grant_rows.require_own_folders(tx, user, fields["permissions"])
    reply = None if budget.per_reply_tokens is UNSET else budget.per_reply_tokens
    made = agent_rows.insert(tx, user, reply_tokens=reply, **fields)
    agent = agent_rows.require_own(tx, user, made)
    if budget.monthly_tokens is not UNSET:
        _put_monthly_cap(tx, agent, budget.monthly_tokens)
    return AgentAnswer(view_of(tx, agent))


def _change(
    tx: Tx, user: int, id_: int, budget: BudgetChange, changes: dict[str, Any]
) -> AgentAnswer:
    agent = agent_rows.require_own(tx, user, id_)
    if "permissions" in changes:
        grant_rows.require_own_folders(tx, user, changes["permissions"])
    if budget.per_reply_tokens is not UNSET:
        changes = {**changes, "reply_tokens": budget.per_reply_tokens}
    agent_rows.update(tx, id_, **changes)
    if budget.monthly_tokens is not UNSET:
        _put_monthly_cap(tx, agent, budget.monthly_tokens)
    return AgentAnswer(view_of(tx, agent_rows.require_own(tx, user, id_)))


def _known_namespaces(app: App, me: Caller, wanted: list[str]) -> list[str]:
    """Return the namespaces, each once; raise Invalid for one that there is not."""
    if not wanted:
        return []
    own = {tool.namespace for tool in registry.native_tools(app.catalog).values()}
    known = own | app.quick(tool_rows.namespaces, me.user).keys()
    if unknown := [name for name in wanted if name not in known]:
        raise Invalid(
            f"There is no namespace called {unknown[0][:80]}; there are "
            f"{', '.join(sorted(known))}.",
            field="namespaces",
        )
    return list(dict.fromkeys(wanted))


def _monthly_cap(tx: Tx, agent: Agent) -> cap_rows.Cap | None:
    key = ("agent", str(agent.id), "month")
    return next(
        (
            cap
            for cap in cap_rows.list_caps(tx, agent.user_id, "tokens")
            if (cap.subject, cap.subject_id, cap.period) == key
        ),
        None,
    )


def _put_monthly_cap(tx: Tx, agent: Agent, most: int | None) -> None:
    """Set the cap of an agent's month, which metering shows too, or take it away."""
    there = _monthly_cap(tx, agent)
    if there is not None and most is not None:
        cap_rows.update(tx, agent.user_id, there.id, most=most, warn_percent=None)
    elif there is not None:
        cap_rows.delete(tx, agent.user_id, there.id)
    elif most is not None:
        cap_rows.insert(
            tx,
            agent.user_id,
            subject="agent",
            subject_id=str(agent.id),
            metric="tokens",
            period="month",
            most=most,
        )
