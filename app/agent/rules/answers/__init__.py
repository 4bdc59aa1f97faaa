"""What the rules say and do for each kind of message.

May import phrases, routing, passages. Begin with `note_answers`.
"""
