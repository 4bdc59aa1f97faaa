"""The process and its machine: background tasks, lazy imports, other processes, power.

Imports nothing of Hearth. Begin with `background_tasks`.
"""
