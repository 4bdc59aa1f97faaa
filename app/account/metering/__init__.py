"""What agents and models have used, and how much they may: usage, caps, reservations, invoices.

It imports from core and account. Begin with `caps.py`.
"""
