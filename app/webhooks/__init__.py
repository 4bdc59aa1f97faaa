"""Webhooks: what happens is told to addresses that users name, signed, at least once.

May import all layers below. Begin with `outbox`, where an event becomes deliveries, and
`sender`, which sends them.
"""

CATEGORY = "webhooks"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
