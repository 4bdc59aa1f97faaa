"""What a share link is to those who connect by it: whose agent it opens, and how far."""

import msgspec

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
