"""Who someone is: users, keys, sessions, teams, and what they may use.

May import core. Begin with `users` and `keys`; metering is `token_reservations` and `caps`.
"""
