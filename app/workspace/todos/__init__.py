"""Todos: due dates, steps, recurrence, replanning.

May import folders and index. Begin with `todos`.
"""
