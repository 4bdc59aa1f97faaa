"""Stage A: what there is to do, by rules, without a token.

May import records. Begin with `agenda`.
"""
