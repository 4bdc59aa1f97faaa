"""Words that tell of a thing, by language.

Begin with `lexicon`.
"""
