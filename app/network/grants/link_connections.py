"""What a share link is to those who connect by it: whose agent it opens, and how far.

Whoever keeps the links says so.
"""

from collections.abc import Callable

import msgspec

from app.core.database.tx import Tx
from app.network.grants.permission_object import Permissions


class OpenLink(msgspec.Struct, frozen=True):
    """A link that is neither revoked nor expired.

    Its owner's row number and what it grants; `note_id` of one that is for a note alone.
    """

    owner: int
    permissions: Permissions
    note_id: int | None = None
    expires_at: str | None = None
    id: int | None = None
    """Its row number, where what was granted by it follows it from then on."""


def _none(tx: Tx, token: str) -> OpenLink | None:
    return None


class Links(msgspec.Struct):
    """The open links of this server.

    `find` gives that of a token; None when it is unknown, revoked or expired.
    """

    find: Callable[[Tx, str], OpenLink | None] = _none
