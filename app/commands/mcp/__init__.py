"""`hearth mcp` and `hearth connect`: desktop agents on this machine.

Begin with `mcp`, which passes on what an agent says; `connect` writes that into its configuration.
"""
