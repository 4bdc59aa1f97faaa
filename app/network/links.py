"""What a share link is to those who connect by it: whose agent it opens, and how far. Whoever keeps the links says so."""

import dataclasses
from collections.abc import Callable

from app.core.tx import Tx
from app.network.grants import Permissions


@dataclasses.dataclass(frozen=True)
class OpenLink:
    """A link that is neither revoked nor expired: its owner's row number and what it grants; `note_id` of one that is for a note alone."""

    owner: int
    permissions: Permissions
    note_id: int | None = None
    expires_at: str | None = None


def _none(tx: Tx, token: str) -> OpenLink | None:
    return None


@dataclasses.dataclass
class Links:
    """The open links of this server: `find` gives that of a token; None when it is unknown, revoked or expired."""

    find: Callable[[Tx, str], OpenLink | None] = _none
