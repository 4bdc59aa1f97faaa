"""Who someone is: users, keys, sessions, teams, and what they may use.

May import core. Begin with `users` and `keys`; metering is `token_reservations` and `caps`.
"""

CATEGORY = "account"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
