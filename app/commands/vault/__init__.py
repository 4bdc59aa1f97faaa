"""`hearth vault`: this device's encrypted records.

Begin with `vault`, the group; the other modules are its commands.
"""
