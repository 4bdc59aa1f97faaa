"""The identity behind a credential: a user, or a managed agent and its owner."""

from msgspec import UNSET, UnsetType

from app.account import users
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record


class Profile(Record):
    """Who a user is; `userId` is a UUID."""

    user_id: str
    username: str
    name: str | None
    agent_name: str | None
    email: str | None


class Owner(Record):
    """Whose agent asked."""

    user_id: str
    username: str


class CredentialView(Record):
    """The credential that asked."""

    kind: str
    id: int | str | None
    name: str | None
    prefix: str | None
    expires_at: str | None


class Identity(Record):
    profile: Profile
    scopes: list[str]
    credential: CredentialView
    owner: Owner | UnsetType = UNSET


@operation("GET /identity", category="workspace", quick=True)
def identity(tx: Tx, me: Caller) -> Identity:
    """Read the identity behind the credential; of a managed agent's key the agent and its owner."""
    credential = CredentialView(me.kind, me.credential, me.name, me.prefix, me.expires_at)
    if me.agent is not None:
        is_agent = Profile(me.agent.user_id, me.agent.handle, me.agent.name, me.agent.name, None)
        return Identity(is_agent, list(me.scopes), credential, Owner(me.user_id, me.username))
    chosen = users.settings_of(tx, me.user)
    # to an application these are told by the scopes that OpenID has for them
    named = me.kind != "oauth" or "profile" in me.rights
    mailed = me.kind != "oauth" or "email" in me.rights
    profile = Profile(
        me.user_id,
        me.username,
        chosen.name if named else None,
        chosen.agent_name if named else None,
        chosen.email if mailed else None,
    )
    return Identity(profile, list(me.scopes), credential)
