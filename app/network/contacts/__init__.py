"""Whom one knows, and how one comes to know them.

May import grants. Begin with `contacts` and `handshake`.
"""
