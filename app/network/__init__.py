"""What passes between people, their agents and guests.

May import all layers below. Begin with `messages/messages` and `contacts/contacts`.
"""
