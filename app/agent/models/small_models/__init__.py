"""What small models need: fewer tools, flat schemas, repaired and printed calls.

May import turn and rules. Begin with `tool_choice`.
"""
