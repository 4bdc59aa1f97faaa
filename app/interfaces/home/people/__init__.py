"""People: what is written with them, what they may see, links for guests, and the team.

Begin with `inbox_page`; `talks` says what a conversation is to whoever looks at it.
"""
