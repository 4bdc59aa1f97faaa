"""What follows when the time of a share link is over."""

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import MINUTE, operation
from app.core.schema import Record
from app.network.contacts import contacts
from app.network.grants import revocation, share_rows
from app.network.guests import shares


class ExpiredLinks(Record):
    links: int


@operation("COMMAND", every=MINUTE)
async def end_expired_links(app: App, me: Caller) -> ExpiredLinks:
    """Tell of each link whose time is over, and end the calls by it that wait for a yes."""
    # Each minute on an idle server: a look costs nothing, a write would wake the disk.
    if not app.quick(share_rows.any_expired_untold):
        return ExpiredLinks(0)
    return ExpiredLinks(await app.write(_end_expired, me))


def _end_expired(tx: Tx, me: Caller) -> int:
    ended = share_rows.take_expired(tx)
    for link in ended:
        contacts.link_ended(tx, me, owner=link.owner, link=link.id, reason="expired")
        shares.end_waiting(tx, me, link, "the share link's time is over")
        revocation.emit_revoked(tx, me, link.owner, "share_link", link.id, "expired")
    return len(ended)
