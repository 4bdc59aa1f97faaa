"""`hearth service`: the server as a service of the system that starts at login.

Begin with `service`; each system has a module.
"""
