"""The default route: the session that a user's messages go to unless it is said."""

from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import Http, operation
from app.core.schema import Record
from app.errors import NoDefaultRoute
from app.runtime.devices import endpoint_rows, fields, route_rows, session_rows


class RouteView(Record):
    """Where messages for the caller go."""

    endpoint_id: str
    session_handle: str
    updated_at: str


@operation("PUT /local-agent/default-route", scope="runtime:connect")
def put_default_route(
    tx: Tx, me: Caller, *, endpoint_id: fields.EndpointId, session_handle: fields.Handle
) -> RouteView:
    """Let messages for the caller go to an open session at one of their endpoints."""
    session_rows.require_at(tx, me, endpoint_id, session_handle)
    return RouteView(*route_rows.put(tx, me.user, endpoint_id, session_handle))


@operation("GET /local-agent/default-route", scope="runtime:connect")
def read_default_route(tx: Tx, me: Caller) -> RouteView:
    """Read where messages for the caller go."""
    found = route_rows.find(tx, me.user)
    if found is None:
        raise NoDefaultRoute("No default route is set yet; set one with PUT.")
    return RouteView(*found)


@operation("DELETE /local-agent/default-route", scope="runtime:connect", http=Http(status=204))
def remove_default_route(tx: Tx, me: Caller) -> Record:
    """Take the caller's default route away; doing it again changes nothing.

    A device token takes only a route to its own device away.
    """
    found = route_rows.find(tx, me.user)
    if found is not None:
        endpoint_rows.require_own(tx, me, found.endpoint_id)
        route_rows.clear(tx, me.user)
    return Record()
