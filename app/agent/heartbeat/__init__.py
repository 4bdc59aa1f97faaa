"""The autonomous pass: `run_once` looks, decides, acts and tells; `clock` says when.

Begin with `heartbeat` (the endpoints) and `run_once`.
"""
