"""Raw memory on a device: keys, sealing and opening of records, and checks of what a server says.

A library without the rest of Hearth; may import the core alone. Begin with `vault`.
"""
