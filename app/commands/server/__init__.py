"""`hearth serve`: sockets, the HTTP server, starting and ending.

Begin with `serve`.
"""
