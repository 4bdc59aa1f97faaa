"""The first page: what is late and due, what waits for a yes, the briefing, the matrix, the day's
calendar, and what happened meanwhile.

Begin with `today_page`. `approvals` makes the card of what waits for a decision, which other
pages show too.
"""
