"""iCalendar files: todos and journals.

Begin with `ics`.
"""
