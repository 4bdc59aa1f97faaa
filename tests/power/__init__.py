"""Simulated power cuts: what a running server writes is recorded, and every state of the disk
that a cut could leave is opened and looked at.
"""
