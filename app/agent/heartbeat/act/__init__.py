"""Doing, asking for or leaving each proposal, and what is needed to take it back.

May import records and decide. Begin with `act`.
"""
