"""A message among others: what it takes back of itself, what of the turns before it means, and
which things it refers to. It reads the traces that turns leave, and changes nothing.

Begin with `continued.py`.
"""
