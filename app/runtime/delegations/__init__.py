"""Tasks that one person's runtime hands to another's, and what they wait for.

May import messages, approvals and what they may. Begin with `delegations`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
