"""Answering without a model, always the same from the same workspace.

May import turn, calendar, quickadd. Begin with `rules`; `rules_loop` drives a turn by them.
"""
