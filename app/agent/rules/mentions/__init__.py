"""What a message speaks of, by names, days and pointing words, and asking whether a wish is meant.

May import dialogue, answers. Begin with `mentions`.
"""
