"""The first page: what is late, what is due, and what waits.

Begin with `today_page`.
"""
