"""What a message wishes, as labelled messages of its language tell it.

May import mentions, changes, listed. Begin with `reader`.
"""
