"""Wishes to change something, read as what is changed, how, and to what.

May import the languages, dialogue, routing, answers and mentions. Begin with `changes`.
"""
