"""Talking with one's agent, and what it remembers.

Begin with `agent_page`.
"""
