"""Hearth as an MCP server: its tools, its notes and folders, its prompts.

Sees what its parent sees, and the `mcp` package, which takes half a second to import: nothing
outside of this folder imports from it except by `loaded`, when the first client comes. Begin with
`hearth_server`; `http_endpoint` and `byte_stream` are its two transports.
"""
