"""The fixed sentences of answers, in every language.

Begin with `phrases`.
"""
