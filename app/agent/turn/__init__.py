"""One turn: what it is given, what it tells as it goes on, what it leaves behind.

May import memory. Begin with `live_turn`.
"""
