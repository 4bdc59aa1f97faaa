"""Taking the items of a source into the workspace, and going on where it was cut off.

May import content and exports. Begin with `importer`.
"""
