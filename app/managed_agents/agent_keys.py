"""The keys of managed agents, which are keys like any other with fewer scopes."""

from app.account import key_rows
from app.account.key_rows import NewKey
from app.account.keys import ExpiresIn, KeyList, KeyName, Revoked, Scopes
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Id
from app.errors import Invalid
from app.managed_agents import agent_callers, agent_rows


@operation("GET /managed-agents/{id}/keys", scope="agents:manage")
def list_agent_keys(tx: Tx, me: Caller, *, id: Id) -> KeyList:
    """List an agent's keys, newest first, revoked ones included."""
    agent_rows.require_own(tx, me.user, id, deleted=True)
    found = key_rows.list_own(tx, me.user, id)
    return KeyList(found, len(found))


@operation(
    "POST /managed-agents/{id}/keys",
    scope="agents:manage",
    http=Http(status=201, refuses={"scopes": "the agent's permissions do not come to one of them"}),
)
def create_agent_key(
    tx: Tx,
    me: Caller,
    *,
    id: Id,
    name: KeyName,
    scopes: Scopes | None = None,
    expires_in: ExpiresIn = "never",
) -> NewKey:
    """Create a key with which a program acts as the agent; without scopes it may send messages.

    Only scopes that the agent's permissions come to can be given.
    """
    agent = agent_rows.require_own(tx, me.user, id)
    asked = agent_callers.SENDS if scopes is None else tuple(scopes)
    permitted = agent_callers.permitted_scopes(agent.permissions)
    if beyond := [scope for scope in asked if scope not in permitted]:
        raise Invalid(
            f"scopes: the agent's permissions do not come to {beyond[0]}; they come to "
            f"{', '.join(permitted)}.",
            field="scopes",
        )
    key_rows.require_all(me, asked)
    made_by = key_rows.credential_key(tx, me)
    return key_rows.issue(tx, me.user, name, asked, expires_in, made_by=made_by, agent=id)


@operation("DELETE /managed-agents/{id}/keys/{keyId}", scope="agents:manage")
def revoke_agent_key(tx: Tx, me: Caller, *, id: Id, key_id: Id) -> Revoked:
    """Revoke a key of an agent at once; doing it again changes nothing."""
    agent_rows.require_own(tx, me.user, id, deleted=True)
    key_rows.require_own(tx, me.user, key_id, agent=id)
    key_rows.revoke(tx, key_id)
    return Revoked()
