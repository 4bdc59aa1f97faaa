"""Asking the service from the command line: through the server, or in the database without one.

Begin with `ask_operation`.
"""
