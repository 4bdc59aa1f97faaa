"""The short commands of every day: add, today, find, ask, edit, inbox, log, status, open.

Each asks for operations through `app.commands.ask.door`, so that it answers at once.
"""
