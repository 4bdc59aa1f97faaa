"""How well the search finds what it should: judged collections, the measures, and a server that is asked."""
