"""Reading folders, zips and tars that nobody vouches for.

May import content. Begin with `source_tree`.
"""
