"""A typed line read as a todo: title, date, priority, recurrence.

Begin with `quickadd`.
"""
