"""What is kept beside the texts to find them by: words, trigrams, names, tags, links.

May import core. Begin with `word_index`; nothing here decides who may read what.
"""
