"""Whose a credential is.

May import the account. Begin with `identity`.
"""
