"""Connections and requests as they come over the wire, before anyone is known.

Begin with `http_connection`.
"""
