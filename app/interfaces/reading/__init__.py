"""Notes as people read them, on the pages of their owner and behind share links alike.

Begin with `reading`; `leads` says where what a text names can be followed.
"""
