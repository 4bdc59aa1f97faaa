"""The machines that agents run on: their endpoints, sessions and tokens, and where messages go.

May import no other folder of runtime. Begin with `endpoints`; its rows are `endpoint_rows`.
"""

CATEGORY = "runtime"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
