"""Calendars that are read: connected files and addresses, and their events.

Begin with `integrations`.
"""
