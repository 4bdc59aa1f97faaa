"""Texts to vectors, in a process of its own or at an address.

Sees core alone; the others know only `core.embedder`. Begin with `choose_embedder`.
"""
