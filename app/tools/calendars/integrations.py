"""Integrations: what is connected from elsewhere, as calendars that are read and MCP servers."""

import re
import sqlite3
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx, stamp
from app.core.operation import MINUTE, Http, operation
from app.core.schema import Line, Record, Text
from app.core.text import fold_name
from app.core.web import addresses
from app.core.web.addresses import NotAllowed
from app.errors import Forbidden, Invalid, NotFound, PayloadTooLarge
from app.tools.calendars import calendar_rows as rows
from app.tools.calendars import calendars
from app.tools.calendars.calendars import CalendarFailed
from app.tools.mcp import removal, server_rows, tool_rows

PREFIX = "int_"
Name = Annotated[str, Meta(description="1 to 255 characters"), Line()]
Kind = Literal["oauth", "ics", "mcp"]
Action = Literal["refresh", "authorize", "disconnect", "remove"]
Status = Literal["connected", "needs_reauth", "disconnected", "error"]


class Integration(Record):
    """Something connected; `account` is where it comes from, without what is secret in its
    address.
    """

    id: str
    kind: Kind
    name: str
    namespace: str
    status: Status
    tool_count: int
    account: str | None
    connected_at: str | None
    last_error: str | None
    actions: list[Action]


class IntegrationList(Record):
    integrations: list[Integration]


class IntegrationAnswer(Record):
    integration: Integration


class Refreshed(Record):
    refreshed: int


@operation("GET /tools/integrations", scope="tools:read")
def list_integrations(tx: Tx, me: Caller) -> IntegrationList:
    """List what is connected; addresses and secrets are not shown."""
    tools = tool_rows.counts(tx, me)
    servers = [_server(row, tools.get(row["id"], 0)) for row in server_rows.listed(tx, me)]
    return IntegrationList(
        [integration_record(row) for row in rows.list_integrations(tx, me)] + servers
    )


@operation(
    "POST /tools/integrations",
    scope="tools:manage",
    http=Http(
        status=201,
        refuses={
            "url": "neither or both of it and content are given, or it may not be asked",
            "content": "it is no calendar",
        },
    ),
)
async def add_integration(
    app: App,
    me: Caller,
    *,
    kind: Literal["ics"],
    name: Name,
    url: Annotated[str, Meta(min_length=1, max_length=addresses.LONGEST_URL)] | None = None,
    content: Annotated[str, Meta(description="an iCalendar file of at most 5 MiB"), Text()]
    | None = None,
) -> IntegrationAnswer:
    """Connect a calendar to be read.

    By the address of its iCalendar file, which is read again each hour, or by that file itself.

    An address that does not answer is kept with the status `error` and tried again.
    """
    if (url is None) == (content is None):
        raise Invalid("Give either url or content.", field="url")
    # Before the fetch, which may take long; the insert checks it again.
    app.quick(rows.require_room, me, fold_name(name))
    address = None if url is None else _check_address(app, url)
    file, etag, events, trouble = await _first_read(app, me, address, content)
    # Should the server die before its events are stored, it is read again then.
    due_at = stamp(app.clock() + calendars.AGAIN)
    integration = await app.write(
        rows.insert, me, name=name, name_key=fold_name(name), url=address, due_at=due_at
    )
    row = app.quick(rows.require_own, me, integration)
    if trouble is not None:
        await calendars.note_failure(app, row, trouble)
    else:
        await calendars.store_events(app, row, events, file, etag=etag)
    return IntegrationAnswer(integration_record(app.quick(rows.require_own, me, integration)))


@operation("DELETE /tools/integrations/{id}", scope="tools:manage")
async def remove_integration(
    app: App, me: Caller, *, id: Annotated[str, Meta(max_length=100)]
) -> Record:
    """Disconnect something and forget all that was read from it."""
    if id.startswith(server_rows.PREFIX):
        await removal.remove(app, app.quick(server_rows.owned, me, id))
        return Record()
    found = re.fullmatch(PREFIX + "([0-9]{1,15})", id)
    if found is None:
        raise NotFound("There is no such integration.")
    await calendars.remove(app, me, int(found[1]))
    return Record()


@operation("COMMAND", every=MINUTE)
async def refresh_calendars(app: App, me: Caller) -> Refreshed:
    """Read again the calendars whose time has come."""
    if not app.quick(rows.any_due):
        return Refreshed(0)
    due = await app.write(
        rows.claim_due, again_at=stamp(app.clock() + calendars.AGAIN), most=calendars.AT_ONCE
    )
    for integration in due:
        await calendars.refresh(app, integration)
    return Refreshed(len(due))


def integration_record(row: sqlite3.Row) -> Integration:
    """Return an integration as it is shown."""
    account = None if row["url"] is None else urlsplit(row["url"]).hostname
    return Integration(
        f"{PREFIX}{row['id']}",
        row["kind"],
        row["name"],
        "calendar",
        row["status"],
        0,
        account,
        row["connected_at"],
        row["last_error"],
        ["remove"],
    )


def _server(row: sqlite3.Row, tools: int) -> Integration:
    """Return an MCP server as it is shown among the others."""
    actions: list[Action] = ["disconnect", "remove"]
    if row["transport"] == "http" and row["status"] != "connected":
        actions.insert(0, "authorize")
    return Integration(
        f"{server_rows.PREFIX}{row['id']}",
        "mcp",
        row["name"],
        row["namespace"],
        row["status"],
        tools,
        urlsplit(row["url"]).hostname,
        row["last_connected_at"],
        row["last_error"],
        ["refresh", *actions],
    )


def _check_address(app: App, url: str) -> str:
    """Return the address to be read.

    Raise Invalid for one that is none, Forbidden for one that says itself that it lies inside.
    """
    given = url.strip()
    if given.lower().startswith(("webcal://", "webcals://")):
        # What calendar programs call an address; behind it is plain HTTPS.
        given = "https://" + given.partition("://")[2]
    reach = calendars.allowed_addresses(app)
    try:
        target = addresses.parse_target(given, reach)
    except NotAllowed as error:
        raise Invalid(f"url cannot be used: {error}", field="url") from None
    try:
        addresses.require_nameable(target, reach)
    except NotAllowed:
        raise Forbidden(calendars.UNREAD, reason="address_not_allowed", field="url") from None
    # Without TLS anyone on the way could write the events.
    if target.scheme == "http" and not reach.loopback:
        raise Forbidden(calendars.UNREAD, reason="address_not_allowed", field="url")
    return target.url


async def _first_read(
    app: App, me: Caller, address: str | None, content: str | None
) -> tuple[bytes, str | None, list[list[Any]], CalendarFailed | None]:
    """Return the file, its tag and its events, or what kept an address from giving them.

    Raise Invalid for a file that is no calendar.
    """
    file = (content or "").encode()
    if len(file) > calendars.LARGEST:
        raise PayloadTooLarge(
            f"content is larger than {calendars.LARGEST >> 20} MiB.",
            limitBytes=calendars.LARGEST,
            field="content",
        )
    try:
        if (
            address is not None
            and (found := await calendars.fetch_calendar(app, me.user, address)) is not None
        ):
            return *found, None
        return file, None, await calendars.expand_calendar(app, me.user, file), None
    except CalendarFailed as error:
        # A file that is sent is the caller's mistake; an address may work later and is kept.
        if address is None:
            raise Invalid(f"content cannot be used: {error}", field="content") from None
        return b"", None, [], error
