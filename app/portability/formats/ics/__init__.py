"""Todos and journals of iCalendar files.

Begin with `ics`.
"""
