"""How well the search finds what it should.

Judged collections, the measures, and a server that is asked.
"""
