"""Todos: due dates, steps, recurrence, replanning.

May import folders and index. Begin with `todos`.
"""

CATEGORY = "todos"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
