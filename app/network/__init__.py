"""What passes between people, their agents and guests.

May import all layers below. Begin with `messages/messages` and `contacts/contacts`.
"""

CATEGORY = "network"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
