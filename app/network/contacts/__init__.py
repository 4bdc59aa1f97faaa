"""Whom one knows, and how one comes to know them.

May import grants. Begin with `contacts` and `contact_requests`.
"""

CATEGORY = "network"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
