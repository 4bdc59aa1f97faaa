"""Writing a workspace as files.

May import content. Begin with `exporter`.
"""
