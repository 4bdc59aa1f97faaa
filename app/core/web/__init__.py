"""Fetching from addresses that users give, and nothing else of the outside world.

Begin with `http_fetch`.
"""
