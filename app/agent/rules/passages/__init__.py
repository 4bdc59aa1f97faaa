"""From a question to the sentences of notes that answer it.

May import phrases and turn. Begin with `answer_passages`.
"""
