"""The command line.

Sees everything. Each module is a command by its name.
"""
