"""Messages to people, agents and groups, and asking another's agent.

May import contacts. Begin with `messages`.
"""
