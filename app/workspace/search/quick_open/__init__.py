"""A note, folder, tag or todo by a few letters of its name.

May import folders, index. Begin with `quick_open`.
"""
