"""Sums and numbers of days: what people reckon in words, with numbers of their own or of a note.

It imports what finds and quotes passages. Begin with `reckoning.read`.
"""
