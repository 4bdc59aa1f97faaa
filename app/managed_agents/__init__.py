"""Agents of a user that live in this server, with a handle, keys and a persona of their own.

May import the network and everything before it. Begin with `managed_agents`.
"""

CATEGORY = "managedAgents"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
