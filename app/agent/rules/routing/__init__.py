"""From a message to what is meant by it: ordered patterns, by language.

May import phrases. Begin with `routing`.
"""
