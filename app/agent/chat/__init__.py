"""Talking with one's own agent, and the conversations that come of it.

May import everything else of the agent but the heartbeat. Begin with `chat`.
"""

CATEGORY = "agent"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
