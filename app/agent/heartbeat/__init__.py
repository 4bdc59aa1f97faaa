"""The autonomous pass: `run_once` looks, decides, acts and tells; `clock` says when.

Begin with `heartbeat` (the endpoints) and `run_once`.
"""

CATEGORY = "heartbeat"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
