"""Hearth: one process, one SQLite file, one command.

`catalog` lists every operation, `main` puts the parts together, `__main__` is the command line.
The folders, from the bottom up: core, account, workspace, tools, agent, network, portability;
beside them embedding, upkeep, interfaces, commands. `tests/test_architecture.py` holds the order.
"""
