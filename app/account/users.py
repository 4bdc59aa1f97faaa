"""Users: the local registry of the people this server serves, their profile and their settings."""

import re
import sqlite3
import unicodedata
import zoneinfo
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.account import cap_rows
from app.core import random_tokens
from app.core.caller import Caller, Kind
from app.core.database.tx import Tx, stamp
from app.core.operation import operation
from app.core.schema import CONTROLS, FORMATS, Line, Record, Rule, Unknown
from app.errors import AlreadyExists, NotFound

NO_NAMES = Unknown()
MOST_NAMED = 10
LANGUAGE_TAG = r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}"
EMAIL = rf"[^\s@{CONTROLS}{FORMATS}]+@[^\s@{CONTROLS}{FORMATS}]+"
USERNAME = re.compile(r"[a-z0-9][a-z0-9_-]{1,31}")
AGENT_SUFFIX = "_coo"
NAMES_REST = timedelta(days=30)
REMOVING = "users.removing"
"""Told within the transaction that deletes a user, with the user, before it does."""
USERNAME_RULE = (
    "must have 2 to 32 characters: a-z, 0-9, _ and -, the first a letter or digit, "
    "and not end in _coo"
)


class Username(Rule, frozen=True):
    """A name as the contract allows it, in lower case."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{1,31}$",
            "not": {"type": "string", "pattern": "_[Cc][Oo][Oo]$"},
        }

    def __call__(self, value: str) -> str:
        name = value.strip().lower()
        # some letters of other scripts become ASCII in lower case
        if not value.isascii() or not USERNAME.fullmatch(name) or name.endswith(AGENT_SUFFIX):
            raise ValueError(USERNAME_RULE)
        return name


class Email(Rule, frozen=True):
    """An address with one @ and nothing invisible; the rest only its mail server can say."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"maxLength": 254, "pattern": f"^{EMAIL}$"}

    def __call__(self, value: str) -> str:
        address = value.strip()
        if not re.fullmatch(EMAIL, address) or len(address) > 254:
            raise ValueError("must be an e-mail address")
        return address


class Zone(Rule, frozen=True):
    """An IANA time zone."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {
            "description": "an IANA time zone that this server knows",
            "enum": sorted(zoneinfo.available_timezones()),
        }

    @property
    def shared(self) -> str:
        return "TimeZone"

    def __call__(self, value: str) -> str:
        try:
            zoneinfo.ZoneInfo(value)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("must be an IANA time zone such as Europe/Berlin") from None
        return value


class Locale(Rule, frozen=True):
    """A language tag of RFC 5646, by its form."""

    @property
    def accepts(self) -> Mapping[str, Any]:
        return {"pattern": f"^{LANGUAGE_TAG}$"}

    def __call__(self, value: str) -> str:
        if not re.fullmatch(LANGUAGE_TAG, value):
            raise ValueError("must be a language tag such as en or de-CH")
        return value


Name = Annotated[str, Meta(description="a username"), Username()]
TimeZone = Annotated[str, Meta(description="IANA time zone"), Zone()]
InboxFrom = Literal["anyone", "contacts"]


class AccountSettings(Record):
    """What a user has chosen for themselves and their agent."""

    name: str
    agent_name: str | None = None
    email: str | None = None
    timezone: str = "UTC"
    locale: str = "en"
    replan_per_day: int = 5
    default_model: str | None = None
    inbox_from: str = "anyone"
    escalation_ttl_hours: int = 72
    trash_days: int = 30
    snapshot_keep: int = 500


class SettingsAnswer(Record):
    """`notice` names what was sent and is no setting."""

    settings: AccountSettings
    notice: str | UnsetType = UNSET


class User(Record):
    """One user as the command line shows it."""

    user_id: str
    username: str
    name: str
    created_at: str


class UserAnswer(Record):
    user: User


class UserList(Record):
    users: list[User]


@operation("GET /account/settings", scope="account:manage", quick=True)
def read_settings(tx: Tx, me: Caller) -> SettingsAnswer:
    """Read the account's settings."""
    return SettingsAnswer(settings_of(tx, me.user))


@operation("PATCH /account/settings", scope="account:manage")
def change_settings(
    tx: Tx,
    me: Caller,
    *,
    name: Annotated[str, Line()] | None = None,
    agent_name: Annotated[str, Line()] | UnsetType | None = UNSET,
    email: Annotated[str, Email()] | UnsetType | None = UNSET,
    timezone: TimeZone | None = None,
    locale: Annotated[str, Locale()] | None = None,
    replan_per_day: Annotated[int, Meta(ge=1, le=50)] | None = None,
    default_model: Annotated[str, Line(1, 200)] | UnsetType | None = UNSET,
    inbox_from: InboxFrom | None = None,
    escalation_ttl_hours: Annotated[int, Meta(ge=1, le=720)] | None = None,
    trash_days: Annotated[int, Meta(ge=1, le=365)] | None = None,
    snapshot_keep: Annotated[int, Meta(ge=10, le=5000)] | None = None,
    unknown: Unknown = NO_NAMES,
) -> SettingsAnswer:
    """Change some of the account's settings.

    Those that are not given stay. null clears agentName, email and defaultModel.
    """
    given = {
        "timezone": timezone,
        "locale": locale,
        "replan_per_day": replan_per_day,
        "inbox_from": inbox_from,
        "escalation_ttl_hours": escalation_ttl_hours,
        "trash_days": trash_days,
        "snapshot_keep": snapshot_keep,
        "name": name,
    }
    changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    clearable = {"agent_name": agent_name, "email": email, "default_model": default_model}
    changes.update((field, value) for field, value in clearable.items() if value is not UNSET)
    if new_name := changes.pop("name", None):
        tx.update("users", {"id": me.user}, name=new_name)
    _choose(tx, me.user, changes)
    notice = _ignored_notice(unknown) if unknown else UNSET
    return SettingsAnswer(settings_of(tx, me.user), notice)


@operation("COMMAND")
def add_user(
    tx: Tx, me: Caller, *, username: Name, name: Annotated[str, Line(1, 100)] | None = None
) -> UserAnswer:
    """Add a user to the registry."""
    _require_no_agent(tx, username, field="username")
    try:
        added = tx.insert(
            "users",
            uuid=random_tokens.new_uuid(),
            username=username,
            name=name or username,
            created_at=tx.now,
        )
    except sqlite3.IntegrityError:
        raise AlreadyExists(
            f"There is a user called {username} already.", field="username"
        ) from None
    cap_rows.add_defaults(tx, added)
    return UserAnswer(_user_record(require_user(tx, username)))


@operation("COMMAND", effect="read")
def list_users(tx: Tx, me: Caller) -> UserList:
    """List the users of this server, oldest first."""
    return UserList(
        [
            _user_record(row)
            for row in tx.all("SELECT uuid, username, name, created_at FROM users ORDER BY id")
        ]
    )


@operation("COMMAND")
def rename_user(tx: Tx, me: Caller, *, username: str, to: Name) -> UserAnswer:
    """Give a user another username; ids, keys and notes stay."""
    row = require_user(tx, username)
    _require_no_agent(tx, to, field="to")
    try:
        tx.update("users", {"id": row["id"]}, username=to)
    except sqlite3.IntegrityError:
        raise AlreadyExists(f"There is a user called {to} already.", field="to") from None
    if to != row["username"]:
        _note_freed(tx, row["username"])
    tx.emit("users.changed")
    return UserAnswer(_user_record(require_user(tx, to)))


def any_users(tx: Tx) -> bool:
    """Return whether the server has any user yet."""
    return tx.one("SELECT 1 FROM users LIMIT 1") is not None


def any_other_user(tx: Tx, user: int) -> bool:
    """Return whether somebody else uses this server too."""
    return tx.one("SELECT 1 FROM users WHERE id <> :user LIMIT 1", user=user) is not None


def fit_username(name: str) -> str:
    """Return the username that comes closest to a name of the system's, or `owner` when nothing of
    it fits.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    fitting = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")[:32]
    while fitting.endswith(AGENT_SUFFIX):
        fitting = fitting.removesuffix(AGENT_SUFFIX)
    return fitting if USERNAME.fullmatch(fitting) else "owner"


def remove(tx: Tx, user: int) -> None:
    """Delete a user's row and what is bound to it.

    workspace/delete_user.py empties the workspace first.
    """
    for name in tx.all(
        "SELECT username FROM users WHERE id = :user UNION "
        "SELECT handle FROM managed_agents WHERE user_id = :user",
        user=user,
    ):
        _note_freed(tx, name[0])
    tx.tell(REMOVING, user)
    tx.run("DELETE FROM users WHERE id = :user", user=user)
    tx.emit("users.changed")


def is_name_free(tx: Tx, name: str) -> bool:
    """Return whether an agent may be called so.

    No user and no agent is, and none was until lately: who writes to the name means them.
    """
    rested = stamp(tx.moment - NAMES_REST)
    return (
        not _agent_has_name(tx, name)
        and tx.one("SELECT 1 FROM users WHERE username = :name", name=name) is None
        and tx.one(
            "SELECT 1 FROM freed_names WHERE name = :name AND freed_at > :rested",
            name=name,
            rested=rested,
        )
        is None
    )


def _agent_has_name(tx: Tx, name: str) -> bool:
    return (
        tx.one(
            "SELECT 1 FROM managed_agents WHERE handle = :name AND status <> 'deleted' UNION ALL "
            "SELECT 1 FROM managed_agents WHERE handle = :name AND status = 'deleted' "
            "AND deleted_at > :rested LIMIT 1",
            name=name,
            rested=stamp(tx.moment - NAMES_REST),
        )
        is not None
    )


def _require_no_agent(tx: Tx, name: str, *, field: str) -> None:
    if _agent_has_name(tx, name):
        raise AlreadyExists(f"An agent is called {name}, or was in the last 30 days.", field=field)


def _note_freed(tx: Tx, name: str) -> None:
    tx.run(
        "INSERT INTO freed_names (name, freed_at) VALUES (:name, :now) "
        "ON CONFLICT (name) DO UPDATE SET freed_at = excluded.freed_at",
        name=name,
        now=tx.now,
    )


def require_user(tx: Tx, username: str) -> sqlite3.Row:
    """Return the user of that name; raise NotFound."""
    row = tx.one(
        "SELECT id, uuid, username, name, created_at FROM users WHERE username = :username",
        username=username.strip().lower(),
    )
    if row is None:
        raise NotFound(f"There is no user called {username[:64]}.", field="username")
    return row


def uuid_of(tx: Tx, user: int) -> str:
    """Return the userId of a user who exists."""
    return str(tx.value("SELECT uuid FROM users WHERE id = :user", user=user))


def local_caller(tx: Tx, username: str) -> Caller:
    """Return the caller for a user who sits where the data directory lies, and so may do what a
    signed-in user may; raise NotFound.
    """
    return caller_of_row(require_user(tx, username), "session")


def caller_for(tx: Tx, user: int, kind: Kind, **more: Any) -> Caller:
    """Return the caller for a user who exists, that acts while nobody asks."""
    row = tx.require_row("SELECT id, uuid, username FROM users WHERE id = :user", user=user)
    return caller_of_row(row, kind, **more)


def caller_of_row(row: sqlite3.Row, kind: Kind, **more: Any) -> Caller:
    """Return the caller for the user of a row with id, uuid and username."""
    return Caller(user=row["id"], user_id=row["uuid"], username=row["username"], kind=kind, **more)


def settings_of(tx: Tx, user: int) -> AccountSettings:
    """Return what a user has chosen, with the defaults for the rest."""
    row = tx.one("SELECT name, settings FROM users WHERE id = :user", user=user)
    if row is None:
        raise NotFound("This user is gone.")
    return AccountSettings(name=row["name"], **msgspec.json.decode(row["settings"]))


def take_from_browser(tx: Tx, user: int, *, language: str | None, timezone: str | None) -> None:
    """Keep a browser's language and time zone, if it is known, where a user has chosen none yet."""
    zone = timezone if timezone in zoneinfo.available_timezones() else None
    told = {"locale": language, "timezone": zone}
    chosen = _chosen(tx, user)
    _choose(tx, user, {name: said for name, said in told.items() if said and name not in chosen})


def _chosen(tx: Tx, user: int) -> dict[str, Any]:
    """Return the settings that a user has chosen; for all others the defaults hold."""
    row = tx.require_row("SELECT settings FROM users WHERE id = :user", user=user)
    return dict(msgspec.json.decode(row["settings"]))


def _choose(tx: Tx, user: int, changes: dict[str, Any]) -> None:
    stored = msgspec.json.encode(_chosen(tx, user) | changes).decode()
    tx.update("users", {"id": user}, settings=stored)


def _ignored_notice(unknown: Unknown) -> str:
    named = ", ".join(f"“{name[:60]}”" for name in unknown[:MOST_NAMED])
    more = len(unknown) - MOST_NAMED
    also = f" and {more} more" if more > 0 else ""
    return (
        f"There {'is no setting' if len(unknown) == 1 else 'are no settings'} called "
        f"{named}{also}; what was sent for that was ignored."
    )


def _user_record(row: sqlite3.Row) -> User:
    return User(row["uuid"], row["username"], row["name"], row["created_at"])
