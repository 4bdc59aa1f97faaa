"""Messages to people, agents and groups, and asking another's agent.

May import contacts. Begin with `messages`.
"""

CATEGORY = "messaging"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
