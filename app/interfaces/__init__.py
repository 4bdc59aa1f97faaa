"""Ways in: HTTP, pages, the clock, the command line's door.

Sees core and account; everything else is asked for through `App.call`. Begin with `http`.
"""

CATEGORY = "account"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
