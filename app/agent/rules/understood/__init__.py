"""What is done about a message as its reader understood it: at once, after a question, or not.

May import reader, mentions, changes, listed. Begin with `judged`.
"""
