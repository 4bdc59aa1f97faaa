"""`hearth bridge`: lets a program of this machine answer tasks of people whom its owner accepts.

Speaks to a Hearth server over HTTP, on this machine or another. Begin with `run_bridge`.
"""
